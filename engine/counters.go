package engine

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// counters are what must never go down, whatever a person does to the state: they stand
// beside it in SESSION.counters.
type counters struct {
	Seq      int64               `json:"seq"`                // newest EXECUTION
	Messages int64               `json:"messages,omitempty"` // newest MESSAGE
	Seen     int64               `json:"seen"`               // inbox number applied
	Visits   map[string]int      `json:"visits"`             // visits of each step
	Attempts map[string]int      `json:"attempts,omitempty"` // attempts that have failed in each step's newest visit
	Asks     map[string]askCount `json:"asks,omitempty"`     // questions of each step's newest visit
	Outputs  map[string][]int64  `json:"outputs,omitempty"`  // EXECUTION seq of each kept output, 0 unknown
}

// askCount numbers the questions of a step's newest visit.
type askCount struct {
	Visit int `json:"visit"`
	Ask   int `json:"ask"`
}

func parseCounters(session string, text []byte) (*counters, error) {
	c := &counters{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, c); err != nil {
			return nil, &StateError{session, fmt.Sprintf("counters: %v", err)}
		}
	}
	if c.Visits == nil {
		c.Visits = map[string]int{}
	}
	return c, nil
}

// appendJSON encodes the counters, by hand: it is done at each checkpoint, and maps are
// what encoding/json is slowest at. Keys are in no order.
func (c *counters) appendJSON() []byte {
	b := make([]byte, 0, 128+40*len(c.Visits)+40*len(c.Outputs))
	b = strconv.AppendInt(append(b, `{"seq":`...), c.Seq, 10)
	b = strconv.AppendInt(append(b, `,"messages":`...), c.Messages, 10)
	b = strconv.AppendInt(append(b, `,"seen":`...), c.Seen, 10)
	b = appendMap(append(b, `,"visits":`...), c.Visits, appendInt)
	if len(c.Attempts) > 0 {
		b = appendMap(append(b, `,"attempts":`...), c.Attempts, appendInt)
	}
	if len(c.Asks) > 0 {
		b = appendMap(append(b, `,"asks":`...), c.Asks, func(b []byte, n askCount) []byte {
			b = appendInt(append(b, `{"visit":`...), n.Visit)
			return append(appendInt(append(b, `,"ask":`...), n.Ask), '}')
		})
	}
	if len(c.Outputs) > 0 {
		b = appendMap(append(b, `,"outputs":`...), c.Outputs, appendNumbers)
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

// failed counts a failed attempt of a step's newest visit and returns its number.
func (c *counters) failed(step string) int {
	if c.Attempts == nil {
		c.Attempts = map[string]int{}
	}
	c.Attempts[step]++
	return c.Attempts[step]
}

// noteOutput remembers which execution made a step's newest output.
func (c *counters) noteOutput(step string, seq int64, kept int) {
	if c.Outputs == nil {
		c.Outputs = map[string][]int64{}
	}
	list := append(c.Outputs[step], seq)
	for len(list) < kept { // outputs that were there before we counted
		list = append([]int64{0}, list...)
	}
	if extra := len(list) - kept; extra > 0 {
		list = append([]int64(nil), list[extra:]...)
	}
	c.Outputs[step] = list
}

// outputSeq is the execution that made a kept output, 0 when unknown. index counts from
// the oldest of kept outputs.
func (c *counters) outputSeq(step string, index, kept int) int64 {
	list := c.Outputs[step]
	i := index - (kept - len(list))
	if i < 0 || i >= len(list) {
		return 0
	}
	return list[i]
}
