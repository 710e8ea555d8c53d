package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// Stats counts the sessions of a workflow by status and step.
type Stats struct {
	Workflow string           `json:"workflow"`
	Sessions int64            `json:"sessions"`
	Status   map[string]int64 `json:"status" doc:"sessions by status"`
	Waiting  map[string]int64 `json:"waiting" doc:"open questions by step"`

	Steps  map[string]map[string]int64 `json:"steps" doc:"by step, then by the step's status (error, pending, active): where the newest 500 sessions that failed, run, are paused or pending stand"`
	Limits engine.Limits               `json:"limits,omitzero" doc:"when sessions of the workflow run, as its settings or its node say"`
	Queues []engine.Lane               `json:"queues,omitempty" doc:"sessions that wait for their turn by these limits and sessions that have it, by concurrency key; at most 100"`

	More bool `json:"more" doc:"there are more such sessions, which steps does not count"`
}

// mostQueues bounds the queues of one answer.
const mostQueues = 100

func (r *trafficRoutes) registerStats() {
	register(r.routeTable, operation{id: "workflowStats", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/stats", tag: tagOperating,
		summary: "Count the sessions of a workflow by status and by the step where they wait", longest: lookTime,
		problems: []string{"workflow_not_found"}}, r.stats)
}

func (r *trafficRoutes) stats(ctx context.Context, in *AtWorkflow) (*struct{ Body Stats }, error) {
	w, err := r.e.Workflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	out := Stats{Workflow: in.Workflow, Status: map[string]int64{}, Waiting: map[string]int64{}}
	q := engine.SessionQuery{Workflow: in.Workflow}
	counts, err := r.e.CountSessions(ctx, q, "status")
	if err != nil {
		return nil, err
	}
	for status, n := range counts {
		out.Status[status] = n
		out.Sessions += n
	}
	if counts, err = r.e.CountSessions(ctx, q, "step"); err != nil {
		return nil, err
	}
	for place, n := range counts {
		out.Waiting[strings.TrimPrefix(place, in.Workflow+"/")] += n
	}
	standing, err := r.e.Standing(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	out.Steps, out.More = standing.Steps, standing.More
	out.Limits, _ = w.LimitsInForce() // an invalid limit has no effect; validate reports it
	if out.Queues, err = r.e.Lanes(ctx, in.Workflow, mostQueues); err != nil {
		return nil, err
	}
	return &struct{ Body Stats }{out}, nil
}
