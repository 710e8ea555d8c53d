package api

import (
	"context"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

type trafficIn struct {
	AtWorkflow
	After time.Time `query:"after" doc:"only what ended since then; all that is read when left out"`
	Limit int       `query:"limit" default:"500" minimum:"1" maximum:"500" doc:"how many sessions are read, the newest first"`
}

// WorkflowTraffic is engine.Traffic under a name that says what it is of.
type WorkflowTraffic engine.Traffic

func (r *trafficRoutes) registerTraffic() {
	register(r.routeTable, operation{id: "workflowTraffic", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/traffic", tag: tagOperating,
		summary:  "Count what ran in a workflow, by step and path",
		about:    "Visits, failures, times, tokens and cost of each step, and how often each path was taken, in the newest sessions. The time a person took to answer is not counted.",
		problems: []string{"workflow_not_found"}, longest: lookTime}, r.traffic)
}

func (r *trafficRoutes) traffic(ctx context.Context, in *trafficIn) (*struct{ Body WorkflowTraffic }, error) {
	t, err := r.e.Traffic(ctx, engine.TrafficQuery{Workflow: in.Workflow, Since: in.After, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	return &struct{ Body WorkflowTraffic }{WorkflowTraffic(*t)}, nil
}
