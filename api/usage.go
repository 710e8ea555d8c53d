package api

import (
	"context"
	"net/http"

	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/engine"
)

// Bounds of what is read to show how calls went.
const (
	usageSessions = 200
	traceLength   = 5000 // executions of one session
)

// A CallTrace is what the canvas of a call centre shows of one call.
type CallTrace struct {
	Events []callcentre.Event `json:"events" doc:"in their order: highlight {nodes}, animate {edges}, usage {node}, node_error {node, error}, goal {node}"`
	Usage  map[string]int     `json:"usage" doc:"how often each node was used: turns of the router, consultations, runs of tools, accesses to integrations"`
	Goals  map[string]bool    `json:"goals" doc:"the goal tools that ran with success"`
	More   bool               `json:"more" doc:"the call has a longer history, of which the beginning was read"`
}

// CallUsage is how often the nodes of a call centre were used in its newest calls.
type CallUsage struct {
	Sessions int            `json:"sessions" doc:"whose history was read"`
	More     bool           `json:"more" doc:"there are older calls, which were not read"`
	Usage    map[string]int `json:"usage"`
	Goals    map[string]int `json:"goals" doc:"in how many calls each goal was reached"`
}

type usageIn struct {
	AtWorkflow
	Limit int `query:"limit" default:"200" minimum:"1" maximum:"200" doc:"how many calls are read, the newest first"`
}

func (r *historyRoutes) registerUsage() {
	register(r.routeTable, operation{id: "traceCall", method: http.MethodGet, path: "/api/v1/sessions/{session}/trace", tag: tagHistory,
		summary:  "Replay a call on the canvas of its call centre",
		about:    "Highlights, moving edges, uses, errors and goals of a session whose workflow came from a call-centre graph. Other workflows have none of them; their history is in the executions.",
		problems: []string{"session_not_found"}, longest: lookTime}, r.trace)
	register(r.routeTable, operation{id: "workflowUsage", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/usage", tag: tagOperating,
		summary:  "Count uses of nodes and goals of a call centre",
		about:    "Counted from the histories of the newest calls. A visit counts once, however many rounds, attempts or requests it took.",
		problems: []string{"workflow_not_found"}, longest: lookTime}, r.usage)
}

func (r *historyRoutes) trace(ctx context.Context, in *AtSession) (*struct{ Body CallTrace }, error) {
	session, err := r.e.Session(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	w, err := r.e.Workflow(ctx, session.Workflow)
	if err != nil {
		return nil, err
	}
	history, more, err := r.wholeHistory(ctx, session.ID)
	if err != nil {
		return nil, err
	}
	out := CallTrace{Events: callcentre.Trace(w, history), Usage: callcentre.Usage(w, history), Goals: callcentre.Goals(w, history), More: more}
	if out.Events == nil {
		out.Events = []callcentre.Event{}
	}
	return &struct{ Body CallTrace }{out}, nil
}

func (r *historyRoutes) usage(ctx context.Context, in *usageIn) (*struct{ Body CallUsage }, error) {
	w, err := r.e.Workflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	out := CallUsage{Usage: map[string]int{}, Goals: map[string]int{}}
	q := engine.SessionQuery{Workflow: w.ID, Limit: 50}
	for {
		sessions, next, err := r.e.Sessions(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range sessions {
			if out.Sessions == min(in.Limit, usageSessions) {
				out.More = true
				return &struct{ Body CallUsage }{out}, nil
			}
			history, _, err := r.wholeHistory(ctx, sessions[i].ID)
			if err != nil {
				return nil, err
			}
			out.add(w, history)
		}
		if next == nil {
			return &struct{ Body CallUsage }{out}, nil
		}
		q.After = *next
	}
}

func (u *CallUsage) add(w *engine.Workflow, history []engine.Execution) {
	u.Sessions++
	for node, n := range callcentre.Usage(w, history) {
		u.Usage[node] += n
	}
	for node := range callcentre.Goals(w, history) {
		u.Goals[node]++
	}
}

// wholeHistory reads what a session ran, from the beginning; more reports that it was cut.
func (r *historyRoutes) wholeHistory(ctx context.Context, session string) (all []engine.Execution, more bool, err error) {
	q := engine.HistoryQuery{Limit: 500}
	for {
		page, err := r.e.Executions(ctx, session, q)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page...)
		if len(page) < q.Limit {
			return all, false, nil
		}
		if len(all) >= traceLength {
			return all, true, nil
		}
		q.After = page[len(page)-1].Seq
	}
}
