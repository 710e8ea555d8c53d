package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"github.com/stepgraph/stepgraph/internal/jsontext"

	"github.com/tidwall/gjson"
)

// Counters are numbers that must never decrease, even if a person edits the state. They are
// stored separately, in SESSION.counters.
type Counters struct{ n numbers }

// numbers is the counters as they are stored.
type numbers struct {
	Seq      int64                `json:"seq"`                // newest EXECUTION
	Messages int64                `json:"messages,omitempty"` // newest MESSAGE
	Seen     int64                `json:"seen"`               // inbox number applied
	Visits   map[string]int       `json:"visits"`             // visits of each step
	Attempts map[string]int       `json:"attempts,omitempty"` // attempts that have failed in each step's newest visit
	Asks     map[string]askCount  `json:"asks,omitempty"`     // questions of each step's newest visit
	Outputs  map[string][]int64   `json:"outputs,omitempty"`  // EXECUTION seq of each kept output, 0 unknown
	Calls    map[string]BegunCall `json:"calls,omitempty"`    // see BegunCall, by step
}

// askCount numbers the questions of a step's newest visit.
type askCount struct {
	Visit int `json:"visit"`
	Ask   int `json:"ask"`
}

// NewCounters returns the counters of a session that has not begun.
func NewCounters() *Counters { return &Counters{numbers{Visits: map[string]int{}}} }

// ParseCounters reads a SESSION.counters; an empty text gives those of a session that has not
// begun.
func ParseCounters(session string, text []byte) (*Counters, error) {
	c := &Counters{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &c.n); err != nil {
			return nil, &Error{session, fmt.Sprintf("counters: %v", err)}
		}
	}
	if c.n.Visits == nil {
		c.n.Visits = map[string]int{}
	}
	return c, nil
}

// Clone returns counters that share nothing with c.
func (c *Counters) Clone() *Counters {
	n := c.n
	n.Visits, n.Attempts, n.Asks, n.Outputs, n.Calls = maps.Clone(n.Visits), maps.Clone(n.Attempts), maps.Clone(n.Asks), cloneLists(n.Outputs), maps.Clone(n.Calls)
	return &Counters{n}
}

// SeenIn is the number of the newest request that counters as stored have seen, without
// decoding the rest: they grow with the steps of the session.
func SeenIn(text []byte) int64 { return gjson.GetBytes(text, "seen").Int() }

// AppendJSON encodes the counters, by hand: it is done at each checkpoint, and maps are
// what encoding/json is slowest at. Keys are in no order.
func (c *Counters) AppendJSON() []byte {
	n := &c.n
	b := make([]byte, 0, 128+40*len(n.Visits)+40*len(n.Outputs))
	b = strconv.AppendInt(append(b, `{"seq":`...), n.Seq, 10)
	b = strconv.AppendInt(append(b, `,"messages":`...), n.Messages, 10)
	b = strconv.AppendInt(append(b, `,"seen":`...), n.Seen, 10)
	b = appendMap(append(b, `,"visits":`...), n.Visits, appendInt)
	if len(n.Attempts) > 0 {
		b = appendMap(append(b, `,"attempts":`...), n.Attempts, appendInt)
	}
	if len(n.Asks) > 0 {
		b = appendMap(append(b, `,"asks":`...), n.Asks, func(b []byte, n askCount) []byte {
			b = appendInt(append(b, `{"visit":`...), n.Visit)
			return append(appendInt(append(b, `,"ask":`...), n.Ask), '}')
		})
	}
	if len(n.Outputs) > 0 {
		b = appendMap(append(b, `,"outputs":`...), n.Outputs, appendNumbers)
	}
	if len(n.Calls) > 0 {
		b = appendMap(append(b, `,"calls":`...), n.Calls, appendCall)
	}
	return append(b, '}')
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

func appendNumbers(b []byte, list []int64) []byte {
	b = append(b, '[')
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return append(b, ']')
}

func appendMap[V any](b []byte, m map[string]V, value func([]byte, V) []byte) []byte {
	b = append(b, '{')
	first := true
	for k, v := range m {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = value(append(jsontext.AppendString(b, k), ':'), v)
	}
	return append(b, '}')
}

// Seq is the number of the newest EXECUTION.
func (c *Counters) Seq() int64 { return c.n.Seq }

// NextSeq takes the number of the next EXECUTION.
func (c *Counters) NextSeq() int64 {
	c.n.Seq++
	return c.n.Seq
}

// Messages is the number of the newest MESSAGE.
func (c *Counters) Messages() int64 { return c.n.Messages }

// NextMessage takes the number of the next MESSAGE.
func (c *Counters) NextMessage() int64 {
	c.n.Messages++
	return c.n.Messages
}

// Recover raises the counters to the numbers of an EXECUTION and a MESSAGE found in the history.
func (c *Counters) Recover(seq, messages int64) {
	c.n.Seq, c.n.Messages = max(c.n.Seq, seq), max(c.n.Messages, messages)
}

// Seen is the inbox number up to which requests were applied.
func (c *Counters) Seen() int64 { return c.n.Seen }

// See notes that the requests up to a number were applied.
func (c *Counters) See(n int64) { c.n.Seen = max(c.n.Seen, n) }

// Visits is the number of a step's newest visit, 0 for a step that has never run.
func (c *Counters) Visits(step string) int { return c.n.Visits[step] }

// NextVisit takes the number of a step's next visit.
func (c *Counters) NextVisit(step string) int {
	c.n.Visits[step]++
	return c.n.Visits[step]
}

// NoteVisit raises the number of a step's newest visit to one that was found elsewhere.
func (c *Counters) NoteVisit(step string, visit int) {
	c.n.Visits[step] = max(c.n.Visits[step], visit)
}

// NoteVisitsOf raises the visits counted to those of other counters.
func (c *Counters) NoteVisitsOf(other *Counters) {
	for step, n := range other.n.Visits {
		c.NoteVisit(step, n)
	}
}

// HasRun reports whether a step has ever been visited.
func (c *Counters) HasRun(step string) bool {
	_, ran := c.n.Visits[step]
	return ran
}

// BeginVisit takes the number of a step's next visit, of which no attempt has failed.
func (c *Counters) BeginVisit(step string) int {
	delete(c.n.Attempts, step)
	return c.NextVisit(step)
}

// Attempts is how many attempts have failed in a step's newest visit.
func (c *Counters) Attempts(step string) int { return c.n.Attempts[step] }

// CountFailed counts a failed attempt of a step's newest visit and returns its number.
func (c *Counters) CountFailed(step string) int {
	c.n.Attempts = put(c.n.Attempts, step, c.n.Attempts[step]+1)
	return c.n.Attempts[step]
}

// NextAsk numbers the questions of one visit from 1.
func (c *Counters) NextAsk(step string, visit int) int {
	n := c.n.Asks[step]
	if n.Visit != visit {
		n = askCount{Visit: visit}
	}
	n.Ask++
	c.n.Asks = put(c.n.Asks, step, n)
	return n.Ask
}

// NoteOutput remembers which execution made a step's newest output.
func (c *Counters) NoteOutput(step string, seq int64, kept int) {
	list := append(c.n.Outputs[step], seq)
	for len(list) < kept { // outputs that were there before we counted
		list = append([]int64{0}, list...)
	}
	if extra := len(list) - kept; extra > 0 {
		list = append([]int64(nil), list[extra:]...)
	}
	c.n.Outputs = put(c.n.Outputs, step, list)
}

// RenewOutput notes that a step's newest output is another execution's now.
func (c *Counters) RenewOutput(step string, seq int64) {
	if list := c.n.Outputs[step]; len(list) > 0 {
		list[len(list)-1] = seq
		return
	}
	c.NoteOutput(step, seq, 1)
}

// DropOutput forgets which execution made a step's newest output: it was taken away.
func (c *Counters) DropOutput(step string) {
	if list := c.n.Outputs[step]; len(list) > 0 {
		c.n.Outputs[step] = list[:len(list)-1]
	}
}

// OutputSeq is the execution that made a kept output, 0 when unknown. index counts from
// the oldest of kept outputs.
func (c *Counters) OutputSeq(step string, index, kept int) int64 {
	list := c.n.Outputs[step]
	i := index - (kept - len(list))
	if i < 0 || i >= len(list) {
		return 0
	}
	return list[i]
}

// A BegunCall is a call with effects that is in progress, or may start before the next
// checkpoint. The list is stored in the counters, because an edit of the state does not undo a
// call.
type BegunCall struct {
	Visit    int    `json:"visit"`
	Call     int    `json:"call"` // its number in the key
	Attempt  int    `json:"attempt"`
	Salt     int    `json:"salt,omitempty"` // of the key
	Function string `json:"function"`
	At       int64  `json:"at"` // ms; it did not begin before
}

// ListCalls makes the list of calls the given one, by step.
func (c *Counters) ListCalls(calls map[string]BegunCall) { c.n.Calls = calls }

// TakeCalls empties the list of calls and returns it.
func (c *Counters) TakeCalls() map[string]BegunCall {
	calls := c.n.Calls
	c.n.Calls = nil
	return calls
}

func appendCall(b []byte, c BegunCall) []byte {
	b = appendInt(append(b, `{"visit":`...), c.Visit)
	b = appendInt(append(b, `,"call":`...), c.Call)
	b = appendInt(append(b, `,"attempt":`...), c.Attempt)
	if c.Salt > 0 {
		b = appendInt(append(b, `,"salt":`...), c.Salt)
	}
	b = jsontext.AppendString(append(b, `,"function":`...), c.Function)
	return append(strconv.AppendInt(append(b, `,"at":`...), c.At, 10), '}')
}
