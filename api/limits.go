package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
)

// limits looks up what the token of a request may see.
type limits struct{ e Engine }

// tokenLimit is the limit of the request's token; zero for a token that has none.
func tokenLimit(ctx context.Context) access.Limit {
	if t := tokenFrom(ctx); t != nil {
		return t.Limit
	}
	return access.Limit{}
}

// errOverLimit refuses what has no meaning for a part of the sessions.
func errOverLimit(ctx context.Context, what string) error {
	return fmt.Errorf("%w: token %s is limited: %s", errForbidden, tokenFrom(ctx).Name, what)
}

// checkSession returns ErrSessionNotFound for a session outside of the limit. The store applies the
// same filter as in lists, without reading the state.
func (l limits) checkSession(ctx context.Context, session string) error {
	limit := tokenLimit(ctx)
	if limit.IsZero() {
		return nil
	}
	found, err := l.e.Store().ListSessions(ctx, engine.SessionQuery{IDs: []string{session}, Workflows: limit.Workflows, Labels: limit.Labels, Limit: 1})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("session %s: %w", session, engine.ErrSessionNotFound)
	}
	return err
}

// checkSessions returns ErrSessionNotFound for the first of many sessions that is outside.
func (l limits) checkSessions(ctx context.Context, sessions []string) error {
	limit := tokenLimit(ctx)
	if limit.IsZero() {
		return nil
	}
	for some := range slices.Chunk(sessions, 500) {
		distinct := slices.Compact(slices.Sorted(slices.Values(some)))
		found, err := l.e.Store().ListSessions(ctx, engine.SessionQuery{IDs: distinct, Workflows: limit.Workflows, Labels: limit.Labels, Limit: len(distinct)})
		if err != nil {
			return err
		}
		if len(found) == len(distinct) {
			continue
		}
		for _, f := range found {
			distinct = slices.DeleteFunc(distinct, func(id string) bool { return id == f.ID })
		}
		return fmt.Errorf("session %s: %w", distinct[0], engine.ErrSessionNotFound)
	}
	return nil
}

// restrictQuery adds the limit of the request's token to a query.
func restrictQuery(ctx context.Context, q engine.SessionQuery) (engine.SessionQuery, error) {
	limit := tokenLimit(ctx)
	labels, ok := limit.With(q.Labels)
	if !ok {
		return q, errOverLimit(ctx, "the label filter asks for sessions outside of it")
	}
	q.Labels, q.Workflows = labels, limit.Workflows
	return q, nil
}

// checkWorkflow returns ErrWorkflowNotFound for a workflow outside of the limit.
func (l limits) checkWorkflow(ctx context.Context, id string) error {
	if tokenLimit(ctx).Workflow(orDefault(id)) {
		return nil
	}
	return l.hide(ctx, &engine.DetailError{Err: engine.ErrWorkflowNotFound, Detail: fmt.Sprintf("%q", id)})
}

// hide removes workflows outside of the limit from the list that a not-found error carries.
func (l limits) hide(ctx context.Context, err error) error {
	limit := tokenLimit(ctx)
	var d *engine.DetailError
	if limit.IsZero() || !errors.As(err, &d) || !errors.Is(d.Err, engine.ErrWorkflowNotFound) {
		return err
	}
	short := *d
	short.Exists = nil
	if all, listErr := l.e.Workflows(ctx); listErr == nil {
		for _, w := range all {
			if limit.Workflow(w.ID) {
				short.Exists = append(short.Exists, w.ID)
			}
		}
	}
	return &short
}

// allSessions refuses a count over all sessions of a workflow to a token that is limited by label.
func (l limits) allSessions(ctx context.Context, workflow string) error {
	if err := l.checkWorkflow(ctx, workflow); err != nil {
		return err
	}
	if len(tokenLimit(ctx).Labels) > 0 {
		return errOverLimit(ctx, "this counts all sessions of the workflow, whatever their labels")
	}
	return nil
}

// orDefault is the workflow that a start without one means.
func orDefault(workflow string) string {
	if workflow == "" {
		return "default"
	}
	return workflow
}

// in calls the engine for a session within the limit.
func in[T any](ctx context.Context, l limits, session string, call func() (T, error)) (out T, err error) {
	if err := l.checkSession(ctx, session); err != nil {
		return out, err
	}
	return call()
}

// of calls the engine for a workflow within the limit.
func of[T any](ctx context.Context, l limits, workflow string, call func() (T, error)) (out T, err error) {
	if err := l.checkWorkflow(ctx, workflow); err != nil {
		return out, err
	}
	out, err = call()
	return out, l.hide(ctx, err)
}

// refuseLimited answers a limited token on a route that concerns the whole server.
func refuseLimited(r *http.Request, t *access.Token) *Problem {
	if t.Limit.IsZero() || access.LimitedMay(routePath(r)) {
		return nil
	}
	return problem("forbidden", "token "+t.Name+" is limited to workflows or sessions; this route concerns the whole server")
}
