package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// A limited engine applies the limit of the request's token: lists and counts are filtered,
// and what is outside does not exist.
//
// The limit is applied here, between the routes and the engine, because every route of every
// system (REST, compat, WebSocket, MCP) calls the same engine methods. A check in each route
// would be forgotten in the next one. For the same reason limited does not embed Engine: a
// method that is added to the interface does not compile until it is decided here.
type limited struct{ e Engine }

// tokenLimit is the limit of the request's token; zero for a token that has none.
func tokenLimit(ctx context.Context) access.Limit {
	if t := tokenFrom(ctx); t != nil {
		return t.Limit
	}
	return access.Limit{}
}

// beyondLimit refuses what has no meaning for a part of the sessions.
func beyondLimit(ctx context.Context, what string) error {
	return fmt.Errorf("%w: token %s is limited: %s", errForbidden, tokenFrom(ctx).Name, what)
}

// reach returns ErrSessionNotFound for a session outside of the limit. The store applies the
// same filter as in lists, without reading the state.
func (l limited) reach(ctx context.Context, session string) error {
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

// reachAll returns ErrSessionNotFound for the first of many sessions that is outside.
func (l limited) reachAll(ctx context.Context, sessions []string) error {
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

// narrow adds the limit to a query.
func narrow(ctx context.Context, q engine.SessionQuery) (engine.SessionQuery, error) {
	limit := tokenLimit(ctx)
	labels, ok := limit.With(q.Labels)
	if !ok {
		return q, beyondLimit(ctx, "the label filter asks for sessions outside of it")
	}
	q.Labels, q.Workflows = labels, limit.Workflows
	return q, nil
}

// reachWorkflow returns ErrWorkflowNotFound for a workflow outside of the limit.
func (l limited) reachWorkflow(ctx context.Context, id string) error {
	if tokenLimit(ctx).Workflow(orDefault(id)) {
		return nil
	}
	return l.hide(ctx, &engine.DetailError{Err: engine.ErrWorkflowNotFound, Detail: fmt.Sprintf("%q", id)})
}

// hide removes workflows outside of the limit from the list that a not-found error carries.
func (l limited) hide(ctx context.Context, err error) error {
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

// whole refuses a count over all sessions of a workflow to a token that is limited by label.
func (l limited) whole(ctx context.Context, workflow string) error {
	if err := l.reachWorkflow(ctx, workflow); err != nil {
		return err
	}
	if len(tokenLimit(ctx).Labels) > 0 {
		return beyondLimit(ctx, "this counts all sessions of the workflow, whatever their labels")
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
func in[T any](ctx context.Context, l limited, session string, call func() (T, error)) (out T, err error) {
	if err := l.reach(ctx, session); err != nil {
		return out, err
	}
	return call()
}

// of calls the engine for a workflow within the limit.
func of[T any](ctx context.Context, l limited, workflow string, call func() (T, error)) (out T, err error) {
	if err := l.reachWorkflow(ctx, workflow); err != nil {
		return out, err
	}
	out, err = call()
	return out, l.hide(ctx, err)
}

func (l limited) Registry() *engine.Registry { return l.e.Registry() }
func (l limited) Store() engine.Store        { return l.e.Store() }
func (l limited) Load() engine.Load          { return l.e.Load() }
func (l limited) Working() error             { return l.e.Working() }

// Retention is not narrowed: prune refuses tokens with a limit, and a document is written only of a
// session whose state the token may read.
func (l limited) Retention() *retention.Service { return l.e.Retention() }

// Start gives the session the labels of the limit.
func (l limited) Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error) {
	if err := l.mayStart(ctx, &q); err != nil {
		return nil, err
	}
	s, err := l.e.Start(ctx, q)
	return s, l.hide(ctx, err)
}

// StartAndSubscribe gives the session the labels of the limit.
func (l limited) StartAndSubscribe(ctx context.Context, q engine.StartRequest) (*engine.Session, <-chan engine.Event, error) {
	if err := l.mayStart(ctx, &q); err != nil {
		return nil, nil, err
	}
	s, events, err := l.e.StartAndSubscribe(ctx, q)
	return s, events, l.hide(ctx, err)
}

func (l limited) mayStart(ctx context.Context, q *engine.StartRequest) error {
	if err := l.reachWorkflow(ctx, q.Workflow); err != nil {
		return err
	}
	labels, ok := tokenLimit(ctx).With(q.Labels)
	if !ok {
		return beyondLimit(ctx, "the session has another value of its label")
	}
	q.Labels = labels
	return nil
}

func (l limited) Session(ctx context.Context, id string) (*engine.Session, error) {
	return in(ctx, l, id, func() (*engine.Session, error) { return l.e.Session(ctx, id) })
}

func (l limited) Sessions(ctx context.Context, q engine.SessionQuery) ([]engine.Session, *engine.Cursor, error) {
	q, err := narrow(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return l.e.Sessions(ctx, q)
}

func (l limited) CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error) {
	q, err := narrow(ctx, q)
	if err != nil {
		return nil, err
	}
	return l.e.CountSessions(ctx, q, by)
}

func (l limited) Awaiting(ctx context.Context, q engine.SessionQuery) ([]engine.Question, *engine.Cursor, error) {
	q, err := narrow(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return l.e.Awaiting(ctx, q)
}

func (l limited) State(ctx context.Context, id string) ([]byte, int64, error) {
	if err := l.reach(ctx, id); err != nil {
		return nil, 0, err
	}
	return l.e.State(ctx, id)
}

func (l limited) EditState(ctx context.Context, id string, version int64, text []byte, by string) (*engine.Session, error) {
	return in(ctx, l, id, func() (*engine.Session, error) { return l.e.EditState(ctx, id, version, text, by) })
}

func (l limited) DeleteSession(ctx context.Context, id string, cancel bool) error {
	if err := l.reach(ctx, id); err != nil {
		return err
	}
	return l.e.DeleteSession(ctx, id, cancel)
}

func (l limited) Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error) {
	return in(ctx, l, q.Session, func() (*engine.Session, error) { return l.e.Answer(ctx, q) })
}

func (l limited) Act(ctx context.Context, a engine.Action) (*engine.Session, error) {
	return in(ctx, l, a.Session, func() (*engine.Session, error) { return l.e.Act(ctx, a) })
}

// Fork keeps workflow and labels of the old session, so the new one is within the limit too.
func (l limited) Fork(ctx context.Context, q engine.ForkRequest) (*engine.Session, error) {
	return in(ctx, l, q.Session, func() (*engine.Session, error) { return l.e.Fork(ctx, q) })
}

func (l limited) Wait(ctx context.Context, id string) (*engine.Session, error) {
	return in(ctx, l, id, func() (*engine.Session, error) { return l.e.Wait(ctx, id) })
}

func (l limited) Executions(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Execution, error) {
	return in(ctx, l, id, func() ([]engine.Execution, error) { return l.e.Executions(ctx, id, q) })
}

func (l limited) Messages(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Message, error) {
	return in(ctx, l, id, func() ([]engine.Message, error) { return l.e.Messages(ctx, id, q) })
}

func (l limited) Requests(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Request, error) {
	return in(ctx, l, id, func() ([]engine.Request, error) { return l.e.Requests(ctx, id, q) })
}

func (l limited) Subscribe(ctx context.Context, session, lastEventID string) (<-chan engine.Event, error) {
	return in(ctx, l, session, func() (<-chan engine.Event, error) { return l.e.Subscribe(ctx, session, lastEventID) })
}

func (l limited) EvalReference(ctx context.Context, session, text string, whole bool) (*engine.ReferenceResult, error) {
	return in(ctx, l, session, func() (*engine.ReferenceResult, error) { return l.e.EvalReference(ctx, session, text, whole) })
}

func (l limited) EvalCondition(ctx context.Context, session string, condition any, operator string) (*engine.ConditionResult, error) {
	return in(ctx, l, session, func() (*engine.ConditionResult, error) { return l.e.EvalCondition(ctx, session, condition, operator) })
}

func (l limited) Explain(ctx context.Context, session string) (*engine.Explanation, error) {
	return in(ctx, l, session, func() (*engine.Explanation, error) { return l.e.Explain(ctx, session) })
}

func (l limited) Workflow(ctx context.Context, id string) (*engine.Workflow, error) {
	return of(ctx, l, id, func() (*engine.Workflow, error) { return l.e.Workflow(ctx, id) })
}

func (l limited) Workflows(ctx context.Context) ([]engine.WorkflowInfo, error) {
	all, err := l.e.Workflows(ctx)
	limit := tokenLimit(ctx)
	return slices.DeleteFunc(all, func(w engine.WorkflowInfo) bool { return !limit.Workflow(w.ID) }), err
}

func (l limited) Validate(w *engine.Workflow) []engine.Problem   { return l.e.Validate(w) }
func (l limited) CheckEdit(before, after *engine.Workflow) error { return l.e.CheckEdit(before, after) }

func (l limited) Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error) {
	return of(ctx, l, w.ID, func() (*engine.Difference, error) { return l.e.Put(ctx, w, o) })
}

func (l limited) DeleteWorkflow(ctx context.Context, id, match string) error {
	_, err := of(ctx, l, id, func() (any, error) { return nil, l.e.DeleteWorkflow(ctx, id, match) })
	return err
}

func (l limited) PutStep(ctx context.Context, workflow string, s engine.Step, match string) (*engine.Workflow, error) {
	return of(ctx, l, workflow, func() (*engine.Workflow, error) { return l.e.PutStep(ctx, workflow, s, match) })
}

func (l limited) RemoveStep(ctx context.Context, workflow, step, match string) (*engine.Workflow, error) {
	return of(ctx, l, workflow, func() (*engine.Workflow, error) { return l.e.RemoveStep(ctx, workflow, step, match) })
}

func (l limited) PutPath(ctx context.Context, workflow string, p engine.Path, match string) (*engine.Workflow, error) {
	return of(ctx, l, workflow, func() (*engine.Workflow, error) { return l.e.PutPath(ctx, workflow, p, match) })
}

func (l limited) RemovePath(ctx context.Context, workflow, path, match string) (*engine.Workflow, error) {
	return of(ctx, l, workflow, func() (*engine.Workflow, error) { return l.e.RemovePath(ctx, workflow, path, match) })
}

func (l limited) WorkflowLog(ctx context.Context, workflow, step string) ([]engine.LogEntry, error) {
	return of(ctx, l, workflow, func() ([]engine.LogEntry, error) { return l.e.WorkflowLog(ctx, workflow, step) })
}

func (l limited) DefinitionDiff(ctx context.Context, workflow, step, from, to string) ([]engine.PropertyDiff, error) {
	return of(ctx, l, workflow, func() ([]engine.PropertyDiff, error) { return l.e.DefinitionDiff(ctx, workflow, step, from, to) })
}

func (l limited) RestoreStep(ctx context.Context, workflow, step, hash string) (*engine.Workflow, []engine.Problem, error) {
	if err := l.reachWorkflow(ctx, workflow); err != nil {
		return nil, nil, err
	}
	return l.e.RestoreStep(ctx, workflow, step, hash)
}

func (l limited) Affected(ctx context.Context, workflow, step, path string, limit int) (*engine.Affected, error) {
	if err := l.whole(ctx, workflow); err != nil {
		return nil, err
	}
	return l.e.Affected(ctx, workflow, step, path, limit)
}

func (l limited) Traffic(ctx context.Context, workflow string, since time.Time, limit int) (*engine.Traffic, error) {
	if err := l.whole(ctx, workflow); err != nil {
		return nil, err
	}
	return l.e.Traffic(ctx, workflow, since, limit)
}

func (l limited) Standing(ctx context.Context, workflow string) (*engine.Standing, error) {
	if err := l.whole(ctx, workflow); err != nil {
		return nil, err
	}
	return l.e.Standing(ctx, workflow)
}

func (l limited) WhatIf(ctx context.Context, workflow, path string, condition any, operator string, limit int) (*engine.WhatIf, error) {
	if err := l.whole(ctx, workflow); err != nil {
		return nil, err
	}
	return l.e.WhatIf(ctx, workflow, path, condition, operator, limit)
}

// Doctor looks at the whole store.
func (l limited) Doctor(ctx context.Context) ([]engine.Finding, error) {
	if !tokenLimit(ctx).IsZero() {
		return nil, beyondLimit(ctx, "the doctor looks at all workflows and sessions")
	}
	return l.e.Doctor(ctx)
}

// StartBatch narrows the filter, and refuses items outside. The batch belongs to the token,
// so that nobody else with a limit sees its items.
func (l limited) StartBatch(ctx context.Context, q engine.BatchRequest) (*engine.Batch, bool, error) {
	if tokenLimit(ctx).IsZero() {
		return l.e.StartBatch(ctx, q)
	}
	if q.Filter != nil {
		filter, err := narrow(ctx, *q.Filter)
		if err != nil {
			return nil, false, err
		}
		q.Filter = &filter
	}
	ids := make([]string, len(q.Items))
	for i := range q.Items {
		ids[i] = q.Items[i].Session
	}
	if err := l.reachAll(ctx, ids); err != nil {
		return nil, false, err
	}
	q.By = tokenFrom(ctx).Name
	b, replayed, err := l.e.StartBatch(ctx, q)
	if err == nil && !ownBatch(ctx, b) {
		return nil, false, fmt.Errorf("%w: the key is that of another batch", engine.ErrKeyReused)
	}
	return b, replayed, err
}

// ownBatch reports whether a batch is that of the request's token, or the token has no limit.
// An older batch may be that of an earlier token of the same name.
func ownBatch(ctx context.Context, b *engine.Batch) bool {
	t := tokenFrom(ctx)
	return t == nil || t.Limit.IsZero() || b.By == t.Name && !b.CreatedAt.Before(t.CreatedAt)
}

func (l limited) Batch(ctx context.Context, id string) (*engine.Batch, error) {
	b, err := l.e.Batch(ctx, id)
	if err == nil && !ownBatch(ctx, b) {
		return nil, fmt.Errorf("batch %s: %w", id, engine.ErrBatchNotFound)
	}
	return b, err
}

// Batches reads on until the page is full: those of others are left out.
func (l limited) Batches(ctx context.Context, after engine.Cursor, limit int) ([]engine.Batch, error) {
	if tokenLimit(ctx).IsZero() {
		return l.e.Batches(ctx, after, limit)
	}
	var own []engine.Batch
	for {
		page, err := l.e.Batches(ctx, after, maxBatchPage)
		if err != nil {
			return nil, err
		}
		for i := range page {
			after = engine.Cursor{At: page[i].CreatedAt, ID: page[i].ID}
			if ownBatch(ctx, &page[i]) {
				if own = append(own, page[i]); len(own) == limit {
					return own, nil
				}
			}
		}
		if len(page) < maxBatchPage {
			return own, nil
		}
	}
}

// maxBatchPage is how many batches are read at once to find those of a token.
const maxBatchPage = 500

func (l limited) BatchItems(ctx context.Context, id string, q engine.ItemQuery) ([]engine.BatchItem, error) {
	if _, err := l.Batch(ctx, id); err != nil {
		return nil, err
	}
	return l.e.BatchItems(ctx, id, q)
}

func (l limited) StopBatch(ctx context.Context, id, message string) (*engine.Batch, error) {
	if _, err := l.Batch(ctx, id); err != nil {
		return nil, err
	}
	return l.e.StopBatch(ctx, id, message)
}

func (l limited) ContinueBatch(ctx context.Context, id string) (*engine.Batch, error) {
	if _, err := l.Batch(ctx, id); err != nil {
		return nil, err
	}
	return l.e.ContinueBatch(ctx, id)
}

func (l limited) DeleteBatch(ctx context.Context, id string) error {
	if _, err := l.Batch(ctx, id); err != nil {
		return err
	}
	return l.e.DeleteBatch(ctx, id)
}

// refuseLimited answers a limited token on a route that concerns the whole server.
func refuseLimited(r *http.Request, t *access.Token) *Problem {
	if t.Limit.IsZero() || access.LimitedMay(routePath(r)) {
		return nil
	}
	return problem("forbidden", "token "+t.Name+" is limited to workflows or sessions; this route concerns the whole server")
}

func (l limited) Lanes(ctx context.Context, workflow string, limit int) ([]engine.Lane, error) {
	return of(ctx, l, workflow, func() ([]engine.Lane, error) { return l.e.Lanes(ctx, workflow, limit) })
}

// Engines are not narrowed: what is shown of them names no workflow and no session.
func (l limited) Engines(ctx context.Context) ([]engine.EngineInfo, error) { return l.e.Engines(ctx) }
