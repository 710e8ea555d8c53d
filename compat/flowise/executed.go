package flowise

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/lenient"
)

// Flowise's names for the states of nodes and runs.
const (
	InProgress = "INPROGRESS"
	Finished   = "FINISHED"
	Stopped    = "STOPPED"
	Failed     = "ERROR"
	Terminated = "TERMINATED"
)

// Cancelled is Flowise's message for a cancelled run.
const Cancelled = "Flow execution was cancelled"

// A Run is the data of a session of a flow: its workflow, the session, and its executions in
// seq order with their lineage (HistoryQuery.Lineage).
type Run struct {
	Workflow   *engine.Workflow
	Session    *engine.Session
	Executions []engine.Execution
}

// An Entry is Flowise's record of one node that ran (agentFlowExecutedData).
type Entry struct {
	NodeID          string    `json:"nodeId"`
	NodeLabel       string    `json:"nodeLabel"`
	Data            EntryData `json:"data"`
	PreviousNodeIDs []string  `json:"previousNodeIds"`
	Status          string    `json:"status"` // Finished, Stopped, Failed or Terminated

	visit   int // of the step, to tell the entries of one node apart
	leaf    bool
	settled bool // nothing of it, such as the state, will change any more
}

// EntryData holds the input and output of a node. Output is nil for a node that failed.
type EntryData struct {
	ID               string            `json:"id"`
	Name             string            `json:"name"`
	Input            json.RawMessage   `json:"input,omitempty"`
	Output           json.RawMessage   `json:"output,omitempty"`
	State            json.RawMessage   `json:"state,omitempty"`
	ChatHistory      []ChatMessage     `json:"chatHistory,omitempty"`
	Error            string            `json:"error,omitempty"`
	IterationIndex   *int              `json:"iterationIndex,omitempty"`
	IterationContext *IterationContext `json:"iterationContext,omitempty"`
	ParentNodeID     string            `json:"parentNodeId,omitempty"`
}

// IterationContext is the item for which a node inside an iteration ran.
type IterationContext struct {
	Index     int             `json:"index"`
	Value     json.RawMessage `json:"value,omitempty"`
	IsFirst   bool            `json:"isFirst"`
	IsLast    bool            `json:"isLast"`
	SessionID string          `json:"sessionId,omitempty"`
}

// A ChatMessage is a message in the run's own chat.
type ChatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Name    string `json:"name,omitempty"`
}

// Executed converts the history of a session to Flowise's records: an entry for each node that
// ran, in the order of Flowise's FIFO queue as far as the taken paths determine it; nodes that
// wait for a person come last. Generated steps have no entries.
func Executed(run Run) []Entry {
	r := newRecorder(run)
	r.read()
	return r.entries(r.top)
}

// Text returns the answer of a run as JSON: the content of its last entry, which is a text or,
// for a custom function, a number or boolean; a single space if there is none.
func Text(entries []Entry) json.RawMessage {
	if content := lastContent(entries); content.Exists() && content.Type != gjson.Null {
		return json.RawMessage(content.Raw)
	}
	return json.RawMessage(`" "`)
}

func lastContent(entries []Entry) gjson.Result {
	if len(entries) == 0 {
		return gjson.Result{}
	}
	return gjson.GetBytes(entries[len(entries)-1].Data.Output, "content")
}

// Action returns the question of a stopped run, nil for none.
func Action(entries []Entry) json.RawMessage {
	if len(entries) == 0 {
		return nil
	}
	if found := gjson.GetBytes(entries[len(entries)-1].Data.Output, "humanInputAction"); found.Exists() {
		return json.RawMessage(found.Raw)
	}
	return nil
}

// State returns Flowise's name for the session's status.
func State(s *engine.Session) string {
	switch s.Status {
	case engine.StatusComplete:
		return Finished
	case engine.StatusAwaitingInput:
		return Stopped
	case engine.StatusCancelled:
		return Terminated
	case engine.StatusError, engine.StatusPending:
		return Failed
	}
	return InProgress
}

// entries makes entries of visits of one level, in Flowise's order.
func (r *recorder) entries(visits []*shownVisit) []Entry {
	out := []Entry{}
	talk := chatOf(r)
	for _, v := range queueOrder(visits) {
		if v.rounds != nil {
			out = append(out, r.itemEntries(v)...)
		}
		if v.x == nil && v.question == nil {
			continue // an iteration under way
		}
		out = append(out, r.entry(v, talk))
	}
	return out
}

// itemEntries are the entries of what ran inside an iteration. Those of an item that ended in
// error are not kept, as in Flowise.
func (r *recorder) itemEntries(v *shownVisit) []Entry {
	var out []Entry
	items := itemsOf(v)
	for i, visits := range v.rounds {
		if v.failed[i] {
			continue
		}
		context := &IterationContext{SessionID: orSession(r.Session), Index: i, IsFirst: i == 0, IsLast: v.x != nil && i == max(len(v.rounds), len(items))-1}
		if i < len(items) {
			context.Value = json.RawMessage(items[i].Raw)
		}
		for _, e := range r.entries(visits) {
			e.Data.IterationIndex, e.Data.IterationContext, e.Data.ParentNodeID = &context.Index, context, v.node.id
			out = append(out, e)
		}
	}
	return out
}

// itemsOf are the items an iteration went over, which may have been given as text.
func itemsOf(v *shownVisit) []gjson.Result {
	if v.x == nil {
		return nil
	}
	items := gjson.GetBytes(v.x.Input, "items")
	if items.Type == gjson.String {
		if list, err := lenient.Parse(items.String()); err == nil {
			items = gjson.ParseBytes(list)
		}
	}
	return items.Array()
}

// orSession is the id of a session's conversation, its own where it stands alone.
func orSession(s *engine.Session) string {
	if id := s.Labels[LabelSession]; id != "" {
		return id
	}
	return s.ID
}

func (r *recorder) entry(v *shownVisit, talk *chat) Entry {
	n := v.node
	e := Entry{NodeID: n.id, NodeLabel: n.label, PreviousNodeIDs: n.parents, Status: Finished, leaf: n.leaf, settled: v.settled,
		Data: EntryData{ID: n.id, Name: n.name}}
	switch {
	case v.question != nil:
		e.Status, e.visit = Stopped, v.question.Visit
		e.Data.Input, e.Data.State = askedInput(n), v.state
		e.Data.Output = r.askedOutput(v)
	case v.x.Status == engine.StatusError:
		e.Status, e.Data.Error, e.visit = Failed, FailureText(n.name, gjson.GetBytes(v.x.Error, "message").String()), v.x.Visit
		return e
	case v.x.Status == engine.StatusCancelled:
		e.Status, e.Data.Error, e.visit = Terminated, Cancelled, v.x.Visit
		return e
	default:
		e.visit = v.x.Visit
		e.Data.Input, e.Data.Output, e.Data.State = shownInput(n, v.x), r.shownOutput(v), v.state
	}
	e.Data.ChatHistory = talk.after(v, gjson.GetBytes(e.Data.Output, "content").String())
	return e
}

// plainJSON encodes a value as JavaScript would: without escapes for HTML. A value that cannot
// be encoded gives none.
func plainJSON(value any) json.RawMessage {
	text, _ := jsontext.Marshal(value)
	return text
}

// EntriesText returns entries as JSON text.
func EntriesText(entries []Entry) string { return string(plainJSON(entries)) }
