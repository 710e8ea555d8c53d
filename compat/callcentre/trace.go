package callcentre

import (
	"slices"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// An Event is one change on the canvas of a call centre.
type Event struct {
	Kind  string      `json:"event"`           // highlight, animate, usage, node_error, goal
	Nodes []string    `json:"nodes,omitempty"` // highlight: all that are lit from now on
	Edges [][2]string `json:"edges,omitempty"` // animate
	Node  string      `json:"node,omitempty"`
	Error string      `json:"error,omitempty"` // node_error
}

// Kinds of Event.
const (
	EventHighlight = "highlight"
	EventAnimate   = "animate"
	EventUsage     = "usage"
	EventNodeError = "node_error"
	EventGoal      = "goal"
)

// Trace converts the history of a session to canvas events in order: which nodes are
// highlighted and which edges animated, each access to an integration, each failed tool and
// each goal reached. executions must be the whole session's, in order.
func Trace(w *engine.Workflow, executions []engine.Execution) []Event {
	t := tracer{w: w, children: map[string][]*engine.Execution{}, rounds: map[visitOf][]*engine.Execution{}, goals: Goals(w, executions)}
	for i := range executions {
		e := &executions[i]
		if e.Status == engine.StatusRound {
			t.rounds[visitOf{e.Step, e.Visit}] = append(t.rounds[visitOf{e.Step, e.Visit}], e)
		} else if e.Parent != "" {
			t.children[e.Parent] = append(t.children[e.Parent], e)
		}
	}
	turn := visitOf{}
	for i := range executions {
		e := &executions[i]
		if t.kind(e.Step) != kindRouter {
			continue
		}
		if at := (visitOf{e.Step, e.Visit}); at != turn {
			turn = at
			t.light(e.Step)
			t.within(e)
		}
		t.failedAgent(e)
	}
	return t.events
}

type visitOf struct {
	step string
	n    int
}

type tracer struct {
	w        *engine.Workflow
	children map[string][]*engine.Execution // of a round, by its id: the visits its calls were
	rounds   map[visitOf][]*engine.Execution
	goals    map[string]bool
	lit      []string
	events   []Event
}

func (t *tracer) kind(step string) any {
	if s := t.w.Step(step); s != nil {
		return s.Extra[propertyKind]
	}
	return nil
}

// light lights up these nodes and no others.
func (t *tracer) light(nodes ...string) {
	if !slices.Equal(t.lit, nodes) {
		t.lit = nodes
		t.events = append(t.events, Event{Kind: EventHighlight, Nodes: nodes})
	}
}

// within shows what the rounds of an agent's visit called.
func (t *tracer) within(agent *engine.Execution) {
	for _, round := range t.rounds[visitOf{agent.Step, agent.Visit}] {
		seen := map[visitOf]bool{}
		for _, call := range t.children[round.ID] {
			at := visitOf{call.Step, call.Visit}
			if seen[at] || call.Retried() { // another attempt
				continue
			}
			seen[at] = true
			if t.kind(call.Step) == kindDepartment {
				t.light(agent.Step, call.Step)
				t.events = append(t.events, Event{Kind: EventAnimate, Edges: [][2]string{{agent.Step, call.Step}}})
				t.within(call)
				t.failedAgent(call)
				t.light(agent.Step)
				continue
			}
			t.tool(agent.Step, call, t.kind(agent.Step) == kindRouter)
			if t.kind(agent.Step) == kindRouter {
				t.light(agent.Step)
			}
		}
	}
}

// failedAgent shows that an agent itself failed, as when its model cannot be reached. That it
// said nothing, or used all its rounds, is its answer, as in the recorded traces.
func (t *tracer) failedAgent(e *engine.Execution) {
	kind := gjson.GetBytes(e.Error, "kind").String()
	if e.Status == engine.StatusError && !e.Retried() && kind != codeEmptyAnswer && kind != codeRoundLimit {
		_, why := outcome(e)
		t.events = append(t.events, Event{Kind: EventNodeError, Node: e.Step, Error: why})
	}
}

// tool shows one run of a tool and its access to an integration. A router does not show the
// integration before the tool has begun.
func (t *tracer) tool(agent string, call *engine.Execution, direct bool) {
	source := ""
	for _, round := range t.rounds[visitOf{call.Step, call.Visit}] {
		for _, access := range t.children[round.ID] {
			source = access.Step
		}
	}
	edges := [][2]string{{agent, call.Step}}
	if source == "" || direct {
		t.light(agent, call.Step)
	} else {
		t.light(agent, call.Step, source)
		edges = append(edges, [2]string{call.Step, source})
	}
	t.events = append(t.events, Event{Kind: EventAnimate, Edges: edges})
	if source != "" {
		t.light(call.Step, source)
		t.events = append(t.events, Event{Kind: EventUsage, Node: source})
	}
	switch failed, why := outcome(call); {
	case failed:
		t.events = append(t.events, Event{Kind: EventNodeError, Node: call.Step, Error: why})
	case t.goals[call.Step]:
		t.events = append(t.events, Event{Kind: EventGoal, Node: call.Step})
	}
}
