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
	Limit  int    `query:"limit" minimum:"1" maximum:"100000" default:"10000" doc:"most sessions looked at, the newest first"`
	Cursor string `query:"cursor" doc:"next of the answer before"`
}

type stepAffectedIn struct {
	AtStep
	Looked
}

type pathAffectedIn struct {
	AtPath
	Looked
}

// AffectedByStep is an answer of a search for affected sessions. A name with sessions at its end is what generators call
// Affected.sessions.
type AffectedByStep struct {
	engine.Affected
	Next string `json:"next,omitempty" doc:"the cursor of the answer about the sessions that were not looked at, to be added to this one"`
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
	about := "Counts the sessions that have not ended: at the step, able to reach it, and past it, each with some ids. Changes nothing. " +
		"States are read one after the other: an answer counts the sessions that were read in about 60 ms and continues at `next`."
	register(r.routeTable, operation{id: "stepAffected", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/steps/{step}/affected", tag: tagOperating,
		summary: "See whom an edit of a step would touch", about: about, longest: lookTime,
		problems: []string{"workflow_not_found", "step_not_found", "bad_request"}}, r.stepAffected)
	register(r.routeTable, operation{id: "pathAffected", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/paths/{path}/affected", tag: tagOperating,
		summary: "See whom an edit of a path would touch", about: about + " The step is the one the path starts from.", longest: lookTime,
		problems: []string{"workflow_not_found", "path_not_found", "bad_request"}}, r.pathAffected)
	register(r.routeTable, operation{id: "whatIf", method: http.MethodPost, path: "/api/v1/workflows/{workflow}/paths/{path}/whatif", tag: tagOperating,
		summary: "Try a condition on the last sessions of a workflow", longest: lookTime, replay: true,
		about:    "How many of those that have finished the path's source would go elsewhere if the path had this condition. Changes nothing.",
		problems: []string{"workflow_not_found", "path_not_found"}}, r.whatIf)
}

func (r *trafficRoutes) stepAffected(ctx context.Context, in *stepAffectedIn) (*struct{ Body AffectedByStep }, error) {
	return r.searchAffected(ctx, engine.AffectedQuery{Workflow: in.Workflow, Step: in.Step}, in.Looked)
}

func (r *trafficRoutes) pathAffected(ctx context.Context, in *pathAffectedIn) (*struct{ Body AffectedByStep }, error) {
	return r.searchAffected(ctx, engine.AffectedQuery{Workflow: in.Workflow, Path: in.Path}, in.Looked)
}

func (r *trafficRoutes) searchAffected(ctx context.Context, q engine.AffectedQuery, in Looked) (*struct{ Body AffectedByStep }, error) {
	at, err := readCursor("affected", in.Cursor)
	if err != nil {
		return nil, err
	}
	q.Limit, q.After = in.Limit, engine.Cursor{At: at.At, ID: at.ID}
	found, err := r.e.SearchAffected(ctx, q)
	if err != nil {
		return nil, err
	}
	return &struct{ Body AffectedByStep }{AffectedByStep{*found, rowCursor("affected", found.Next)}}, nil
}

func (r *trafficRoutes) whatIf(ctx context.Context, in *whatIfIn) (*struct{ Body engine.WhatIf }, error) {
	b := &in.Body
	return gave(r.e.WhatIf(ctx, engine.WhatIfQuery{Workflow: in.Workflow, Path: in.Path, Condition: b.Condition.value, Operator: b.Operator, Limit: b.Limit}))
}

// gave answers with what a call gave.
func gave[T any](v *T, err error) (*struct{ Body T }, error) {
	if err != nil {
		return nil, err
	}
	return &struct{ Body T }{*v}, nil
}
