package flowise

import (
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A shownVisit is one visit of a node on its way to an entry.
type shownVisit struct {
	node     *shownNode
	x        *engine.Execution // nil for an open question
	question *engine.Question
	state    json.RawMessage
	wave     int  // how many answers had come before it
	resumed  bool // it waited for a person
	settled  bool // what the compiler put behind the node has run too
	parents  []*shownVisit
	children []*shownVisit
	rank     int // of the path that led here, among its siblings
	waits    int // parents that have not been shown yet

	round  int             // of the iteration it lies in
	rounds [][]*shownVisit // of an iteration: the visits inside, by item
	failed map[int]bool    // of an iteration: items that ended in error
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

// newRecorder leaves out attempts that were made again: a node is at work until its last one
// has ended.
func newRecorder(run Run) *recorder {
	run.Executions = slices.DeleteFunc(slices.Clone(run.Executions), func(x engine.Execution) bool { return x.Retried() })
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
	for _, v := range r.by[x.ID] {
		v.settled = v.settled || r.graph.tail[v.node.id] == x.Step
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
		if r.retriedLater(x, at) {
			return
		}
	case engine.StatusCancelled:
		if r.Session.Status != engine.StatusCancelled {
			return // another branch has ended the run
		}
	default:
		return
	}
	resumed := x.Status == engine.StatusAnswered
	if n.name == kindAgent {
		if resumed, _ = r.permitted(n.id, x.Visit); resumed {
			r.wave++
			r.drop(n)
		}
	}
	if state := gjson.GetBytes(x.Output, "state"); n.name == kindStart && state.IsObject() {
		r.state = json.RawMessage(state.Raw)
	}
	v := &shownVisit{node: n, x: x, state: r.state, wave: r.wave, resumed: resumed,
		settled: r.graph.tail[n.id] == "" || x.Status == engine.StatusError || x.Status == engine.StatusCancelled}
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

// retriedLater reports whether the visit was tried again after an error.
func (r *recorder) retriedLater(x *engine.Execution, at int) bool {
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
