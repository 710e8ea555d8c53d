package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// PruneBody asks for sessions that ended long enough ago, or removes them.
type PruneBody struct {
	Keep     []string           `json:"keep,omitempty" doc:"how long sessions stay after they have ended: STATUS=AGE or WORKFLOW:STATUS=AGE, STATUS one of complete, error, cancelled and ended; without it what the server was started with" example:"[\"complete=30d\"]"`
	Workflow string             `json:"workflow,omitempty" doc:"only sessions of this workflow"`
	Labels   map[string]string  `json:"labels,omitempty" doc:"only sessions with all of these labels"`
	After    string             `json:"after,omitempty" doc:"next of the previous page"`
	Limit    int                `json:"limit,omitempty" minimum:"0" maximum:"500" doc:"sessions looked at; 500 by default"`
	DryRun   bool               `json:"dry_run,omitempty" doc:"true: only finds"`
	Families []retention.Family `json:"families,omitempty" maxItems:"500" doc:"what a dry run has found: removed as far as nothing has changed since; nothing else is looked for"`
	Owner    string             `json:"owner,omitempty" maxLength:"100" doc:"name chosen by the caller: while it calls at least every 30 s, no other caller removes sessions"`
	End      bool               `json:"end,omitempty" doc:"true: the caller named by owner has done; does nothing else"`
}

func (r *operatingRoutes) registerPrune() {
	register(r.routeTable, operation{id: "prune", method: http.MethodPost, path: "/api/v1/prune", tag: tagOperating, longest: lookTime, replay: true, limit: batchLimit,
		summary: "Remove sessions that ended long enough ago, a page of them",
		about: "A session is removed with all its child sessions. Sessions that are running or can continue without a person are kept, as are those in a running batch. " +
			"To write sessions down first, find them with dry_run and an owner, read their documents, and send the families back.",
		problems: []string{"prune_busy"}}, r.prune)
	register(r.routeTable, operation{id: "getDocument", method: http.MethodGet, path: "/api/v1/sessions/{session}/document", tag: tagHistory, stream: true,
		summary:  "Read all there is of a session, as NDJSON",
		about:    "One line each: the session with its state, executions with their lineage, messages, requests, large outputs, results of rounds, and the end, without which the document is incomplete.",
		problems: []string{"session_not_found"}}, r.document)
	op := r.api.OpenAPI().Paths["/api/v1/sessions/{session}/document"].Get
	op.Responses["200"].Description = "Lines of the document"
	op.Responses["200"].Content = map[string]*huma.MediaType{octets: {Schema: bytesSchema()}, ndjson: {Schema: &huma.Schema{Type: huma.TypeString},
		Example: `{"session":{"id":"s1","workflow":"w","status":"complete","state":{}}}` + "\n" + `{"end":"s1"}` + "\n"}}
}

type pruneIn struct {
	Keyed
	Body PruneBody
}

func (r *operatingRoutes) prune(ctx context.Context, in *pruneIn) (*struct{ Body retention.Page }, error) {
	if !tokenLimit(ctx).IsZero() {
		return nil, errOverLimit(ctx, "sessions of all workflows are removed")
	}
	b := in.Body
	q := retention.Request{DryRun: b.DryRun, Families: b.Families, End: b.End,
		Query: retention.Query{Workflow: b.Workflow, Labels: b.Labels, After: b.After, Limit: b.Limit, Owner: b.Owner}}
	if len(b.Keep) > 0 {
		var err error
		if q.Keep, err = retention.ParseKeep(b.Keep); err != nil {
			return nil, &engine.DetailError{Err: engine.ErrBadRequest, Faults: []graph.Fault{{Pointer: "/keep", Message: err.Error()}}}
		}
	}
	page, err := r.e.Retention().Prune(ctx, q)
	if err != nil {
		return nil, err
	}
	if page.Families == nil {
		page.Families = []retention.Family{}
	}
	return &struct{ Body retention.Page }{*page}, nil
}

func (r *operatingRoutes) document(ctx context.Context, in *AtSession) (*huma.StreamResponse, error) {
	if _, _, err := r.e.State(ctx, in.Session); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		_, w := humachi.Unwrap(c)
		w.Header().Set("Content-Type", fileKind(c.Header("Accept"), ndjson))
		w.WriteHeader(http.StatusOK)
		if err := r.e.Retention().WriteDocument(ctx, in.Session, w); err != nil && !errors.Is(err, errHeadOnly) {
			if ctx.Err() == nil {
				r.log.ErrorContext(ctx, "document ends early", "session", in.Session, "error", fmt.Sprint(err))
			}
			panic(http.ErrAbortHandler) // half a document must not look complete
		}
	}}, nil
}
