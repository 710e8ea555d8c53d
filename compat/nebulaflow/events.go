package nebulaflow

import (
	"encoding/json"
	"slices"
	"sort"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// An Event is a message of NebulaFlow to its editor about a run.
type Event struct {
	Type string    `json:"type"`
	Data EventData `json:"data,omitzero"`
}

// EventData is what an event tells: of a node its status and result; of the end of a run, what
// NebulaFlow leaves out, its status and error.
type EventData struct {
	NodeID          string   `json:"nodeId,omitempty"`
	Status          string   `json:"status,omitempty"`
	Result          *string  `json:"result,omitempty"`
	Multi           []string `json:"multi,omitempty"`
	StoppedAtNodeID string   `json:"stoppedAtNodeId,omitempty"`
	Error           string   `json:"error,omitempty"`
}

// Types of event.
const (
	EventStarted   = "execution_started"
	EventNode      = "node_execution_status"
	EventPaused    = "execution_paused"
	EventCompleted = "execution_completed"
)

// Words of NebulaFlow for the status of a node.
const (
	nodeRunning     = "running"
	nodeCompleted   = "completed"
	nodeError       = "error"
	nodeInterrupted = "interrupted"
	nodePending     = "pending_approval"
)

// Events is a session as NebulaFlow would have told of it: the beginnings and ends of its
// nodes in their order, then what it waits for, then its pause or end. Seeded are the steps
// that counted as done (StartRequest.Seeds), of which nothing is told. Steps the compiler added
// are not seen. The state has the results of nodes that were bypassed, which the history lacks.
func Events(w *engine.Workflow, session *engine.Session, state *engine.State, history []engine.Execution, seeded map[string]json.RawMessage) []Event {
	out := []Event{{Type: EventStarted}}
	list := nodeEvents(w, state, history, seeded)
	last := ""
	for _, e := range list {
		out = append(out, e.event)
		if e.event.Data.Status != nodeRunning {
			last = e.event.Data.NodeID
		}
	}
	for _, q := range session.Awaiting {
		if q.Kind == engine.AskApproval && seen(w, q.Step) {
			out = append(out, Event{EventNode, EventData{NodeID: q.Step, Status: nodePending, Result: &q.Prompt}})
		}
	}
	switch session.Status {
	case engine.StatusPaused:
		out = append(out, Event{EventPaused, EventData{StoppedAtNodeID: last}})
	case engine.StatusComplete, engine.StatusError, engine.StatusCancelled:
		end := EventData{StoppedAtNodeID: last, Status: session.Status}
		if session.Error != nil {
			end.Error = session.Error.Message
		}
		out = append(out, Event{EventCompleted, end})
	}
	return out
}

type timed struct {
	at    time.Time
	event Event
}

func nodeEvents(w *engine.Workflow, state *engine.State, history []engine.Execution, seeded map[string]json.RawMessage) []timed {
	var list []timed
	seeds := map[string]bool{}
	for i := range history {
		x := &history[i]
		word := nodeWord(x.Status)
		if word == "" || !seen(w, x.Step) {
			continue
		}
		if _, given := seeded[x.Step]; given && !seeds[x.Step] {
			seeds[x.Step] = true // its first visit
			continue
		}
		output := x.Output
		if kept := state.Outputs(x.Step); len(kept) > 0 && w.Step(x.Step).Bypass {
			output = kept[len(kept)-1]
		}
		list = append(list, timed{x.StartedAt, Event{EventNode, EventData{NodeID: x.Step, Status: nodeRunning}}},
			timed{x.FinishedAt, Event{EventNode, ended(x, word, output)}})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].at.Before(list[j].at) })
	return list
}

func nodeWord(status string) string {
	switch status {
	case engine.StatusComplete:
		return nodeCompleted
	case engine.StatusError:
		return nodeError
	case engine.StatusCancelled:
		return nodeInterrupted
	}
	return "" // an answer, a round of an agent, a call that was lost
}

func ended(x *engine.Execution, word string, output json.RawMessage) EventData {
	e := EventData{NodeID: x.Step, Status: word}
	switch word {
	case nodeCompleted:
		text := gjson.GetBytes(output, "text").String()
		e.Result = &text
		for _, one := range gjson.GetBytes(output, "outputs").Array() {
			e.Multi = append(e.Multi, one.Get("text").String())
		}
	case nodeError:
		text := gjson.GetBytes(x.Error, "message").String()
		e.Result = &text
	}
	return e
}

// seen tells whether a step is a node.
func seen(w *engine.Workflow, step string) bool {
	return slices.ContainsFunc(w.Steps, func(s engine.Step) bool {
		return s.ID == step && s.Config != "" && s.Extra[propertyGenerated] == nil
	})
}
