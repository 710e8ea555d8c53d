package flowise

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// An Event is one frame of a prediction's stream.
type Event struct {
	Event string `json:"event"`
	Data  any    `json:"data"`
}

// nodeEvent is the data of nextAgentFlow.
type nodeEvent struct {
	NodeID    string `json:"nodeId"`
	NodeLabel string `json:"nodeLabel"`
	Status    string `json:"status"`
	Error     string `json:"error,omitempty"`
}

// A visitKey names a visit of a step.
type visitKey struct {
	step  string
	visit int
}

// A Stream produces the events of Flowise's stream for a run: one node after another, each
// with start, tokens and end, even if nodes ran in parallel. Its inputs are the current
// entries of the run and the tokens. It must be used by one goroutine only.
type Stream struct {
	graph  *shownGraph
	shown  map[visitKey]bool
	open   []visitKey          // the node that is being sent; before it the iteration that contains it
	said   map[visitKey]string // tokens that have been sent
	held   map[visitKey]string // tokens of nodes whose turn has not come
	silent map[visitKey]bool   // sent before this request
	whole  map[visitKey]bool   // visits of steps whose tokens have been heard from the first on
}

// NewStream begins the stream of a run. Nodes in entries are not sent again, except for the
// completion of those that wait for a person.
func NewStream(run Run, entries []Entry) *Stream {
	s := &Stream{graph: shownGraphOf(run.Workflow), shown: map[visitKey]bool{}, said: map[visitKey]string{}, held: map[visitKey]string{},
		silent: map[visitKey]bool{}, whole: map[visitKey]bool{}}
	for _, e := range entries {
		if e.Status != Stopped {
			s.shown[keyOf(e)], s.silent[keyOf(e)] = true, true
		}
	}
	return s
}

func keyOf(e Entry) visitKey { return visitKey{e.NodeID, e.visit} }

// Begin returns the first event.
func (s *Stream) Begin() []Event { return []Event{{"agentFlowEvent", InProgress}} }

// Started handles the start of a step.
func (s *Stream) Started(step string, visit int) []Event {
	n := s.graph.nodes[step]
	key := visitKey{step, visit}
	s.whole[key] = true
	if n == nil || n.name == kindHumanInput || s.shown[key] || len(s.open) > 0 && s.top() != (visitKey{n.holder, s.top().visit}) {
		return nil
	}
	return s.begin(key, n)
}

func (s *Stream) top() visitKey {
	if len(s.open) == 0 {
		return visitKey{}
	}
	return s.open[len(s.open)-1]
}

func (s *Stream) begin(key visitKey, n *shownNode) []Event {
	s.open = append(s.open, key)
	out := []Event{{"nextAgentFlow", nodeEvent{NodeID: n.id, NodeLabel: n.label, Status: InProgress}}}
	if text := s.held[key]; text != "" {
		delete(s.held, key)
		out = append(out, s.say(key, text)...)
	}
	return out
}

// Token handles a fragment of a model's text. Only nodes that end a run or ask a person are
// streamed. Fragments of a step that started before the stream are dropped, because the first
// ones may be missing; its whole text is sent when it ends.
func (s *Stream) Token(step string, visit int, text string) []Event {
	n := s.graph.nodeOf(step)
	if n == nil || !s.whole[visitKey{step, visit}] || n.holder != "" || !n.leaf && n.name != kindHumanInput {
		return nil
	}
	key := visitKey{n.id, visit}
	if s.shown[key] {
		return nil
	}
	if s.top() != key {
		s.held[key] += text
		return nil
	}
	return s.say(key, text)
}

func (s *Stream) say(key visitKey, text string) []Event {
	s.said[key] += text
	return []Event{{"token", text}}
}

// Update handles new entries. While a started node is running, other nodes wait, unless the
// run has ended.
func (s *Stream) Update(entries []Entry, ended bool) []Event {
	var out []Event
	for i, e := range entries {
		key := keyOf(e)
		if s.shown[key] && e.Status != Stopped || s.shown[key] && s.silent[key] {
			continue
		}
		if !ended && !e.settled {
			break // its state is on the way, and what follows comes after it
		}
		if !ended && s.busy(e, entries) {
			continue
		}
		out = append(out, s.entry(e, entries, i)...)
	}
	return out
}

// busy reports whether the node that is being sent has not ended yet, and e is another one.
func (s *Stream) busy(e Entry, entries []Entry) bool {
	top := s.top()
	if top == (visitKey{}) || top == keyOf(e) || top.step == e.Data.ParentNodeID {
		return false
	}
	for _, other := range entries {
		if keyOf(other) == top {
			return false
		}
	}
	return true
}

func (s *Stream) entry(e Entry, entries []Entry, at int) []Event {
	key, n := keyOf(e), s.graph.nodes[e.NodeID]
	var out []Event
	if holder := s.graph.nodes[e.Data.ParentNodeID]; holder != nil && (len(s.open) == 0 || s.open[0].step != holder.id) {
		out = append(out, s.begin(visitKey{holder.id, 0}, holder)...)
	}
	if !s.isOpen(key) {
		out = append(out, s.begin(key, n)...)
	}
	if e.Status == Finished || e.Status == Stopped {
		out = append(out, s.words(key, n, e)...)
	}
	if e.Status == Finished && e.Data.ParentNodeID == "" {
		out = append(out, used(n, e)...)
	}
	s.shown[key] = true
	s.close(key)
	out = append(out, Event{"nextAgentFlow", nodeEvent{e.NodeID, e.NodeLabel, e.Status, errorOf(e)}})
	if e.Data.ParentNodeID == "" {
		out = append(out, Event{"agentFlowExecutedData", s.shownUpTo(entries, at)})
	}
	if n.name == kindLoop && e.leaf {
		out = append(out, s.lastWords(e)...)
	}
	return out
}

func errorOf(e Entry) string {
	if e.Status == Failed {
		return e.Data.Error
	}
	return ""
}

func (s *Stream) isOpen(key visitKey) bool {
	for i, one := range s.open {
		if one == key || one == (visitKey{key.step, 0}) {
			s.open[i] = key
			return true
		}
	}
	return false
}

// close ends the events of a node and of what it contains.
func (s *Stream) close(key visitKey) {
	for i, one := range s.open {
		if one == key {
			s.open = s.open[:i]
			return
		}
	}
}

// shownUpTo returns the entries that a client knows, up to the given one.
func (s *Stream) shownUpTo(entries []Entry, at int) []Entry {
	var out []Entry
	for i, e := range entries {
		if s.shown[keyOf(e)] && (i <= at || s.silent[keyOf(e)]) {
			out = append(out, e)
		}
	}
	return out
}

// words are the tokens of a node that have not been sent as they came.
func (s *Stream) words(key visitKey, n *shownNode, e Entry) []Event {
	if e.Data.ParentNodeID != "" || n.name == kindLoop || n.name == kindStart || !n.leaf && e.Status != Stopped {
		return nil
	}
	if n.name == kindIteration {
		return itemWords(e)
	}
	content := gjson.GetBytes(e.Data.Output, "content")
	if !content.Exists() {
		return nil
	}
	rest, ok := strings.CutPrefix(content.String(), s.said[key])
	if !ok || rest == "" {
		return nil
	}
	if content.Type != gjson.String {
		return []Event{{"token", json.RawMessage(content.Raw)}}
	}
	return []Event{{"token", rest}}
}

// used is what a model has used: the tools an agent called, wherever it stands; of the one that
// ends a run also their results and, unless it was asked for the whole answer at once, the calls of
// its last reply, which are none, and its tokens.
func used(n *shownNode, e Entry) []Event {
	var out []Event
	tools := gjson.GetBytes(e.Data.Output, "usedTools")
	for _, tool := range tools.Array() {
		out = append(out, Event{"calledTools", []calledNow{{tool.Get("tool").String(), json.RawMessage(tool.Get("toolInput").Raw), ""}}})
	}
	if !n.leaf {
		return out
	}
	if tools.Exists() {
		out = append(out, Event{"usedTools", json.RawMessage(tools.Raw)})
	}
	prefix := map[string]string{kindLLM: "llm", kindAgent: "agent"}[n.name]
	if prefix == "" || n.inputs.Get(prefix+"ModelConfig.streaming").Raw == "false" || len(rowsOf(n.inputs.Get(prefix+"StructuredOutput"))) > 0 {
		return out
	}
	out = append(out, Event{"calledTools", []calledNow{}})
	if usage := gjson.GetBytes(e.Data.Output, "usageMetadata"); usage.Exists() {
		out = append(out, Event{"usageMetadata", json.RawMessage(usage.Raw)})
	}
	return out
}

// A calledNow is a call of a tool before it has a result.
type calledNow struct {
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"toolInput"`
	Output string          `json:"toolOutput"`
}

// itemWords are the results of an iteration, each on a line of its own.
func itemWords(e Entry) []Event {
	var out []Event
	for i, one := range gjson.GetBytes(e.Data.Output, "iterationResults").Array() {
		if text := one.String(); text != "" {
			if i > 0 {
				text = "\n" + text
			}
			out = append(out, Event{"token", text})
		}
	}
	return out
}

// lastWords is what a loop says when it jumps no more.
func (s *Stream) lastWords(e Entry) []Event {
	content := gjson.GetBytes(e.Data.Output, "content").String()
	if strings.HasPrefix(content, "Loop back to ") {
		return nil
	}
	return []Event{{"token", content}}
}

// Rest returns the last events of a run that has ended or waits for a person.
func (s *Stream) Rest(run Run, entries []Entry) []Event {
	out := s.Update(entries, true)
	state := State(run.Session)
	if state == Stopped {
		out = append(out, Event{"agentFlowEvent", Stopped}, Event{"action", Action(entries)})
	}
	return append(out, Event{"agentFlowEvent", state})
}
