package api

import (
	"context"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// lookTime is how long a look at many sessions may take.
const lookTime = 2 * time.Minute

// Looked bounds how many sessions are looked at.
type Looked struct {
	Limit int `query:"limit" minimum:"1" maximum:"100000" default:"10000" doc:"sessions looked at, the newest first"`
}

type stepAffectedIn struct {
	AtStep
	Looked
}

type pathAffectedIn struct {
	AtPath
	Looked
}

// WhatIfBody is a condition to try on a path.
type WhatIfBody struct {
	Condition condition `json:"condition,omitzero" doc:"as on a path: a text or a list; none is open"`
	Operator  string    `json:"operator,omitempty" doc:"AND (the default) or OR"`
	Limit     int       `json:"limit,omitempty" minimum:"1" maximum:"10000" default:"100" doc:"sessions to judge it on, the newest first"`
}

type whatIfIn struct {
	AtPath
	Keyed
	Body WhatIfBody
}

func (r *trafficRoutes) registerAffected() {
	about := "Counts the sessions that have not ended: those that stand at the step, those that can still come to it, and those that have passed it, with the ids of some. Changes nothing."
	register(r.routeTable, operation{id: "stepAffected", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/steps/{step}/affected", tag: tagOperating,
		summary: "See whom an edit of a step would touch", about: about, longest: lookTime,
		problems: []string{"workflow_not_found", "step_not_found"}}, r.stepAffected)
	register(r.routeTable, operation{id: "pathAffected", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/paths/{path}/affected", tag: tagOperating,
		summary: "See whom an edit of a path would touch", about: about + " The step is the one the path starts from.", longest: lookTime,
		problems: []string{"workflow_not_found", "path_not_found"}}, r.pathAffected)
	register(r.routeTable, operation{id: "whatIf", method: http.MethodPost, path: "/api/v1/workflows/{workflow}/paths/{path}/whatif", tag: tagOperating,
		summary: "Try a condition on the last sessions of a workflow", longest: lookTime, replay: true,
		about:    "How many of those that have finished the path's source would go elsewhere if the path had this condition. Changes nothing.",
		problems: []string{"workflow_not_found", "path_not_found"}}, r.whatIf)
}

func (r *trafficRoutes) stepAffected(ctx context.Context, in *stepAffectedIn) (*struct{ Body engine.Affected }, error) {
	return gave(r.e.Affected(ctx, in.Workflow, in.Step, "", in.Limit))
}

func (r *trafficRoutes) pathAffected(ctx context.Context, in *pathAffectedIn) (*struct{ Body engine.Affected }, error) {
	return gave(r.e.Affected(ctx, in.Workflow, "", in.Path, in.Limit))
}

func (r *trafficRoutes) whatIf(ctx context.Context, in *whatIfIn) (*struct{ Body engine.WhatIf }, error) {
	b := &in.Body
	return gave(r.e.WhatIf(ctx, in.Workflow, in.Path, b.Condition.value, b.Operator, b.Limit))
}

// gave answers with what a call gave.
func gave[T any](v *T, err error) (*struct{ Body T }, error) {
	if err != nil {
		return nil, err
	}
	return &struct{ Body T }{*v}, nil
}
