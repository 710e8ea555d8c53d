package flowise

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/lenient"
	"github.com/tidwall/gjson"
)

// What became of a node and of a run, in Flowise's words.
const (
	InProgress = "INPROGRESS"
	Finished   = "FINISHED"
	Stopped    = "STOPPED"
	Failed     = "ERROR"
	Terminated = "TERMINATED"
)

// Cancelled is what Flowise says of a run somebody has ended.
const Cancelled = "Flow execution was cancelled"

// A Run is what is known of a session of a flow: the definition, how the session stands and
// its EXECUTIONs in seq order, with what led to them (HistoryQuery.Lineage).
type Run struct {
	Workflow   *engine.Workflow
	Session    *engine.Session
	Executions []engine.Execution
}

// An Entry is what Flowise records of one node that ran (agentFlowExecutedData).
type Entry struct {
	NodeID          string    `json:"nodeId"`
	NodeLabel       string    `json:"nodeLabel"`
	Data            EntryData `json:"data"`
	PreviousNodeIDs []string  `json:"previousNodeIds"`
	Status          string    `json:"status"` // Finished, Stopped, Failed or Terminated

	visit int // of the step, to tell the entries of one node apart
	leaf  bool
}

// EntryData is what a node was given and what it gave. Output is nil for one that failed.
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

// IterationContext is the item a node inside an iteration ran for.
type IterationContext struct {
	Index     int             `json:"index"`
	Value     json.RawMessage `json:"value,omitempty"`
	IsFirst   bool            `json:"isFirst"`
	IsLast    bool            `json:"isLast"`
	SessionID string          `json:"sessionId,omitempty"`
}

// A ChatMessage is a message of the run's own chat.
type ChatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Name    string `json:"name,omitempty"`
}

// A shownVisit is one visit of a node on its way to an entry.
type shownVisit struct {
	node     *shownNode
	x        *engine.Execution // nil for an open question
	question *engine.Question
	state    json.RawMessage
	wave     int // how many answers had come before it
	parents  []*shownVisit
	children []*shownVisit
	rank     int // of the path that led here, among its siblings
	waits    int // parents that have not been shown yet

	round  int             // of the iteration it lies in
	rounds [][]*shownVisit // of an iteration: the visits inside, by item
	failed map[int]bool    // of an iteration: items that ended in error
}

// Executed is a session as Flowise would have recorded it: an entry for each node that ran, in
// the order of Flowise's queue, first in, first out, as far as the paths taken tell it; what
// waits for a person comes last. Steps the compiler added have no entries.
func Executed(run Run) []Entry {
	r := newRecorder(run)
	r.read()
	return r.entries(r.top, nil)
}

// Text is what a run answers: the content of its last entry, which is a text or, of a custom
// function, a number or boolean; a single space where there is none.
func Text(entries []Entry) any {
	if len(entries) == 0 {
		return " "
	}
	content := gjson.GetBytes(entries[len(entries)-1].Data.Output, "content")
	if !content.Exists() || content.Type == gjson.Null {
		return " "
	}
	return content.Value()
}

// Action is what a stopped run asks of a person, nil for none.
func Action(entries []Entry) json.RawMessage {
	if len(entries) == 0 {
		return nil
	}
	if found := gjson.GetBytes(entries[len(entries)-1].Data.Output, "humanInputAction"); found.Exists() {
		return json.RawMessage(found.Raw)
	}
	return nil
}

// State is Flowise's word for how a session stands.
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

// A recorder reads a session's EXECUTIONs.
type recorder struct {
	Run
	graph  *shownGraph
	top    []*shownVisit            // visits outside iterations
	last   map[string]*shownVisit   // the newest of each node
	by     map[string][]*shownVisit // what an EXECUTION led on from, by id
	open   map[string]*shownVisit   // iterations under way
	inside map[string][]*shownVisit // visits of an iteration's body since its last end, by iteration
	state  json.RawMessage
	wave   int
}

func newRecorder(run Run) *recorder {
	return &recorder{Run: run, graph: shownGraphOf(run.Workflow), last: map[string]*shownVisit{}, by: map[string][]*shownVisit{},
		open: map[string]*shownVisit{}, inside: map[string][]*shownVisit{}, state: json.RawMessage("{}")}
}

func (r *recorder) read() {
	for i := range r.Executions {
		x := &r.Executions[i]
		if n := r.graph.nodes[x.Step]; n != nil {
			r.visit(n, x, i)
		} else {
			r.passed(x)
		}
	}
	for id := range r.inside { // iterations that have not ended yet
		if n := r.graph.nodes[id]; n != nil {
			v := &shownVisit{node: n, state: r.state}
			r.collect(v)
			r.top = append(r.top, v)
		}
	}
	for i := range r.Session.Awaiting {
		r.asks(&r.Session.Awaiting[i])
	}
}

// passed notes a step the compiler added: what led to it leads on to what follows it.
func (r *recorder) passed(x *engine.Execution) {
	for _, took := range x.Took {
		for _, v := range r.by[took.Execution] {
			if !slices.Contains(r.by[x.ID], v) {
				r.by[x.ID] = append(r.by[x.ID], v)
			}
		}
	}
	if x.Status != engine.StatusComplete {
		return
	}
	if state := gjson.GetBytes(x.Output, "state"); state.IsObject() {
		r.state = json.RawMessage(state.Raw)
		if v := r.last[r.graph.of[x.Step]]; v != nil {
			v.state = r.state
		}
	}
}

// visit notes the visit of a node.
func (r *recorder) visit(n *shownNode, x *engine.Execution, at int) {
	switch x.Status {
	case engine.StatusComplete:
	case engine.StatusAnswered:
		r.wave++
		r.drop(n)
	case engine.StatusError:
		if r.outlived(x, at) {
			return
		}
	case engine.StatusCancelled:
		if r.Session.Status != engine.StatusCancelled {
			return // another branch has ended the run
		}
	default:
		return
	}
	if state := gjson.GetBytes(x.Output, "state"); n.name == kindStart && state.IsObject() {
		r.state = json.RawMessage(state.Raw)
	}
	v := &shownVisit{node: n, x: x, state: r.state, wave: r.wave}
	for _, took := range x.Took {
		for _, before := range r.by[took.Execution] {
			if !slices.Contains(v.parents, before) {
				v.parents = append(v.parents, before)
				before.children = append(before.children, v)
				v.rank = r.graph.rank[took.Label]
			}
		}
	}
	r.by[x.ID] = []*shownVisit{v}
	r.last[n.id] = v
	if n.name == kindIteration {
		r.collect(v)
	}
	if n.holder != "" {
		r.inside[n.holder] = append(r.inside[n.holder], v)
		return
	}
	r.top = append(r.top, v)
}

// outlived tells whether the visit was tried again after an error.
func (r *recorder) outlived(x *engine.Execution, at int) bool {
	for _, later := range r.Executions[at+1:] {
		if later.Step == x.Step && later.Visit == x.Visit {
			return true
		}
	}
	return false
}

// drop forgets the entries of a node that a person has answered: Flowise replaces them.
func (r *recorder) drop(n *shownNode) {
	gone := func(v *shownVisit) bool { return v.node == n }
	r.top = slices.DeleteFunc(r.top, gone)
	for id, list := range r.inside {
		r.inside[id] = slices.DeleteFunc(list, gone)
	}
}

// collect gives an iteration the visits of its body, item by item. A visit that the iteration
// began and whose node has run for this item belongs to the next one.
func (r *recorder) collect(v *shownVisit) {
	v.failed = map[int]bool{}
	begun := map[string]bool{}
	for _, inner := range r.inside[v.node.id] {
		if len(inner.parents) == 0 {
			if begun[inner.node.id] {
				begun = map[string]bool{}
				v.rounds = append(v.rounds, nil)
			}
			begun[inner.node.id] = true
		}
		if v.rounds == nil {
			v.rounds = append(v.rounds, nil)
		}
		inner.round = len(v.rounds) - 1
		v.rounds[inner.round] = append(v.rounds[inner.round], inner)
		if inner.x != nil && inner.x.Status == engine.StatusError {
			v.failed[inner.round] = true
		}
	}
	delete(r.inside, v.node.id)
}

// entries makes entries of visits of one level, in Flowise's order.
func (r *recorder) entries(visits []*shownVisit, within *shownVisit) []Entry {
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
		for _, e := range r.entries(visits, v) {
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
	e := Entry{NodeID: n.id, NodeLabel: n.label, PreviousNodeIDs: n.parents, Status: Finished, leaf: n.leaf,
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
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// EntriesText is entries as JSON text.
func EntriesText(entries []Entry) string { return string(plainJSON(entries)) }
