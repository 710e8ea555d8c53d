package state

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A Suspended call is the state of a step whose function has delegated to the engine (see
// function.RunBody, RunSessions, CallTools): the step is active while other steps or sessions
// run for it. It is stored from the first call of the function to the end of the visit.
type Suspended struct {
	Visit   int             `json:"visit"`
	Call    int             `json:"call"`            // number of the newest call of the function
	Ready   bool            `json:"ready,omitempty"` // the function is to be called again
	Input   json.RawMessage `json:"input,omitempty"` // of the first call; a text, or where a BLOB keeps it
	Reads   []store.Lineage `json:"reads,omitempty"`
	Started int64           `json:"started"`
	Shown   bool            `json:"shown,omitempty"` // the visit's output entry is there already
	Renew   bool            `json:"renew,omitempty"` // it is retried: its input is resolved anew

	Body     *Body     `json:"body,omitempty"`
	Children *Children `json:"children,omitempty"`
	Agent    *Agent    `json:"agent,omitempty"`
}

// suspended are the suspended calls, by step.
type suspended struct{ calls map[string]*Suspended }

// Suspend keeps the suspended call of a step.
func (c *suspended) Suspend(step string, d *Suspended) {
	c.calls = put(c.calls, step, d)
}

// Suspended returns the suspended call of a step, or nil.
func (c *suspended) Suspended(step string) *Suspended { return c.calls[step] }

// SuspendedNow returns the suspended call of a step that others act for now, nil also where its
// function is to be called again.
func (c *suspended) SuspendedNow(step string) *Suspended {
	d := c.calls[step]
	if d == nil || d.Ready {
		return nil
	}
	return d
}

// SuspendedSteps are the steps with a suspended call, in order.
func (c *suspended) SuspendedSteps() []string { return sortedKeys(c.calls) }

// EndSuspended forgets the suspended call of a step.
func (c *suspended) EndSuspended(step string) { delete(c.calls, step) }

// Mentions reports whether a suspended call still refers to a text of this hash.
func (c *suspended) Mentions(hash string) bool {
	text, _ := jsontext.Marshal(c.calls)
	return strings.Contains(string(text), hash)
}

// heldOpen reports whether an active step only stands for others: its body or its tools
// say what the session waits for.
func (c *suspended) heldOpen(id string) bool {
	d := c.SuspendedNow(id)
	return d != nil && (d.Body != nil || d.Agent != nil)
}

// HasChildren reports whether a step has child sessions that have not ended, or that are still
// to be started.
func (c *suspended) HasChildren() bool {
	for _, d := range c.calls {
		if d.Children != nil && (len(d.Children.Live) > 0 || d.Children.More()) {
			return true
		}
	}
	return false
}

// LiveChildren are the ids of all child sessions that have not ended.
func (c *suspended) LiveChildren() (ids []string) {
	for _, step := range c.SuspendedSteps() {
		if k := c.calls[step].Children; k != nil {
			for _, index := range sortedKeys(k.Live) {
				ids = append(ids, k.Live[index])
			}
		}
	}
	return ids
}

// HolderOf is the container in whose round a step runs that the workflow no longer has, ""
// for none.
func (c *suspended) HolderOf(step string) string {
	for _, holder := range c.SuspendedSteps() {
		if d := c.calls[holder]; d.Body != nil && slices.Contains(d.Body.Steps, step) {
			return holder
		}
	}
	return ""
}

// A Body is a container at work: which round it is in and what the rounds go by.
type Body struct {
	Round  int             `json:"round"`            // from 0
	Rounds int             `json:"rounds,omitempty"` // how many there are; 0 as many as conditions let
	Items  json.RawMessage `json:"items,omitempty"`  // a list, or where a BLOB keeps it
	Count  int             `json:"count,omitempty"`  // of Items
	While  json.RawMessage `json:"while,omitempty"`
	Until  json.RawMessage `json:"until,omitempty"`
	Max    int             `json:"max"`
	Finish bool            `json:"finish,omitempty"`
	Visits int             `json:"visits,omitempty"` // in this round, against max_steps

	KeepGoing bool `json:"keep_going,omitempty"`

	AtOnce  bool     `json:"at_once,omitempty"`
	First   bool     `json:"first,omitempty"`
	Room    int      `json:"room,omitempty"`    // AtOnce: how many starts run at once
	Waiting []string `json:"waiting,omitempty"` // AtOnce: starts that have no room yet

	Broke  []BrokenPath `json:"broke,omitempty"`  // paths out of the body that were taken
	Failed string       `json:"failed,omitempty"` // the body step that ended the round in error
	Over   bool         `json:"over,omitempty"`   // no round follows
	Stored int          `json:"stored,omitempty"` // results written
	Steps  []string     `json:"steps,omitempty"`  // of the body when the round began
}

// A BrokenPath is a path out of a body that was taken in its round.
type BrokenPath struct {
	Target string    `json:"target"`
	From   TakenPath `json:"from"`
}

// Children is what the engine keeps of a step that waits for child sessions.
type Children struct {
	Sessions json.RawMessage         `json:"sessions"` // a list of function.ChildSession, or where a BLOB keeps it
	Count    int                     `json:"count"`
	Next     int                     `json:"next"`           // index of the next to start
	Live     map[string]string       `json:"live,omitempty"` // ids of those that have not ended, by index
	Failed   map[string]ChildFailure `json:"failed,omitempty"`
	Try      int                     `json:"try,omitempty"`   // part of the ids of those started anew
	Again    []int                   `json:"again,omitempty"` // indexes to be started anew
	Room     int                     `json:"room"`
	Outputs  []string                `json:"outputs,omitempty"`
}

// A ChildFailure is a child session that ended other than complete.
type ChildFailure struct {
	Session string `json:"session"`
	Status  string `json:"status"`
	Step    string `json:"step,omitempty"` // where it failed; Message begins with it
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// More reports whether a child session may start now.
func (k *Children) More() bool {
	return (k.Next < k.Count || len(k.Again) > 0) && len(k.Live) < k.Room
}

// Ended reports whether all child sessions have ended.
func (k *Children) Ended() bool {
	return k.Next == k.Count && len(k.Again) == 0 && len(k.Live) == 0
}

// Take is the index of the next child session.
func (k *Children) Take() int {
	if len(k.Again) > 0 {
		i := k.Again[0]
		k.Again = k.Again[1:]
		return i
	}
	k.Next++
	return k.Next - 1
}

// Begin notes that a child session has been created.
func (k *Children) Begin(index int, id string) { k.Live = put(k.Live, fmt.Sprint(index), id) }

// End notes that a child session has ended, with its failure if it did not complete. It reports
// false for one whose place another session has taken.
func (k *Children) End(index int, session string, failure *ChildFailure) bool {
	key := fmt.Sprint(index)
	if before, failed := k.Failed[key]; k.Live[key] != session && (!failed || before.Session != session) {
		return false
	}
	delete(k.Live, key)
	delete(k.Failed, key) // it may have been retried by itself
	if failure != nil {
		k.Failed = put(k.Failed, key, *failure)
	}
	return true
}

// RetryFailed starts the failed child sessions again, as new sessions.
func (k *Children) RetryFailed() {
	k.Try++
	for i := range k.Count {
		if _, failed := k.Failed[fmt.Sprint(i)]; failed {
			k.Again = append(k.Again, i)
		}
	}
	k.Failed = nil
}

// An Agent is an agent at work: the rounds that have passed, and the calls of the
// newest one.
type Agent struct {
	Rounds  []AgentRound `json:"rounds"`
	Calls   []AgentCall  `json:"calls,omitempty"` // of the newest round, until all have ended
	AtOnce  int          `json:"at_once,omitempty"`
	Parent  string       `json:"parent,omitempty"`  // EXECUTION of the newest round
	Pending int64        `json:"pending,omitempty"` // its seq
}

// An AgentRound is one entry of the transcript; its texts may stand on a BLOB.
type AgentRound struct {
	Entry   json.RawMessage `json:"entry,omitempty"`
	Results json.RawMessage `json:"results,omitempty"` // a list of function.ToolResult
}

// An AgentCall is one call of a tool.
type AgentCall struct {
	ID     string          `json:"id"`
	Tool   string          `json:"tool"`
	Step   string          `json:"step,omitempty"`
	Path   string          `json:"path,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	State  string          `json:"state,omitempty"`
	Visit  int             `json:"visit,omitempty"`
	Result json.RawMessage `json:"result,omitempty"` // a function.ToolResult
}

// States of a call; "" for one that has not begun.
const (
	CallRuns = "runs"
	CallDone = "done"
)

// A Parent says, in a child's state, who waits for it.
type Parent struct {
	Session string   `json:"session"`
	Step    string   `json:"step"`
	Visit   int      `json:"visit"`
	Index   int      `json:"index"`
	Body    string   `json:"body,omitempty"` // the map whose body this session runs
	Above   []string `json:"above"`          // workflows of its ancestors, the nearest last
	Told    int      `json:"told,omitempty"` // ends that the parent was notified of
	ToldAs  string   `json:"told_as,omitempty"`
	ToldAt  int64    `json:"told_at,omitempty"` // the newest EXECUTION then
}

// family is what a session knows of its parent, and what it has to tell its children.
type family struct {
	parent  *Parent
	notices []Notice
}

// Parent returns the session that waits for this one, nil if it is not a child.
func (f *family) Parent() *Parent { return f.parent }

// BecomeChild makes the session the child of another one; nil for none.
func (f *family) BecomeChild(p *Parent) { f.parent = p }

// A Notice is a request (pause, resume, cancel) that a session passes on to its child sessions.
// It is stored from the checkpoint that decided it until it has been sent. Sent before that
// checkpoint, it would take effect even if the checkpoint is refused, and child sessions that
// the checkpoint creates would not get it. Kept in memory, it would be lost with the engine. Its
// key makes a second delivery harmless.
type Notice struct {
	Kind   string   `json:"kind"`
	Reason string   `json:"reason,omitempty"`
	N      int64    `json:"n"`            // part of the key: the inbox number read when it was decided
	To     []string `json:"to,omitempty"` // session ids; none means all children that have not ended
}

// Notify keeps a notice to be sent to child sessions.
func (f *family) Notify(n Notice) { f.notices = append(f.notices, n) }

// Notices are the notices still to be sent to child sessions, in order.
func (f *family) Notices() []Notice { return f.notices }

// NoticesSent forgets the notices: they have been sent.
func (f *family) NoticesSent() { f.notices = nil }

// End keeps how a call of a tool ended.
func (c *AgentCall) End(result json.RawMessage) { c.Result, c.State = result, CallDone }
