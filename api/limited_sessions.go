package api

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
)

// limitedSessions applies the limit to sessions, their history and their state.
type limitedSessions struct{ limits }

// Start gives the session the labels of the limit.
func (l limitedSessions) Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error) {
	if err := l.mayStart(ctx, &q); err != nil {
		return nil, err
	}
	s, err := l.e.Start(ctx, q)
	return s, l.hide(ctx, err)
}

// StartAndSubscribe gives the session the labels of the limit.
func (l limitedSessions) StartAndSubscribe(ctx context.Context, q engine.StartRequest) (*engine.Session, <-chan engine.Event, error) {
	if err := l.mayStart(ctx, &q); err != nil {
		return nil, nil, err
	}
	s, events, err := l.e.StartAndSubscribe(ctx, q)
	return s, events, l.hide(ctx, err)
}

func (l limitedSessions) mayStart(ctx context.Context, q *engine.StartRequest) error {
	if err := l.checkWorkflow(ctx, q.Workflow); err != nil {
		return err
	}
	labels, ok := tokenLimit(ctx).With(q.Labels)
	if !ok {
		return errOverLimit(ctx, "the session has another value of its label")
	}
	q.Labels = labels
	return nil
}

func (l limitedSessions) Session(ctx context.Context, id string) (*engine.Session, error) {
	return in(ctx, l.limits, id, func() (*engine.Session, error) { return l.e.Session(ctx, id) })
}

func (l limitedSessions) Sessions(ctx context.Context, q engine.SessionQuery) ([]engine.Session, *engine.Cursor, error) {
	q, err := restrictQuery(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return l.e.Sessions(ctx, q)
}

func (l limitedSessions) CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error) {
	q, err := restrictQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	return l.e.CountSessions(ctx, q, by)
}

// hideLooked takes out how many sessions a search has looked at: most may be beyond the limit.
func hideLooked(ctx context.Context, looked *int) {
	if !tokenLimit(ctx).IsZero() {
		*looked = 0
	}
}

func (l limitedSessions) Search(ctx context.Context, q engine.SessionQuery) (*engine.SessionPage, error) {
	q, err := restrictQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	page, err := l.e.Search(ctx, q)
	if err == nil {
		hideLooked(ctx, &page.Looked)
	}
	return page, err
}

func (l limitedSessions) SearchCount(ctx context.Context, q engine.SessionQuery, by string) (*engine.SessionCounts, error) {
	q, err := restrictQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	counts, err := l.e.SearchCount(ctx, q, by)
	if err == nil {
		hideLooked(ctx, &counts.Looked)
	}
	return counts, err
}

func (l limitedSessions) SearchAwaiting(ctx context.Context, q engine.SessionQuery) (*engine.QuestionPage, error) {
	q, err := restrictQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	page, err := l.e.SearchAwaiting(ctx, q)
	if err == nil {
		hideLooked(ctx, &page.Looked)
	}
	return page, err
}

func (l limitedSessions) State(ctx context.Context, id string) ([]byte, int64, error) {
	if err := l.checkSession(ctx, id); err != nil {
		return nil, 0, err
	}
	return l.e.State(ctx, id)
}

func (l limitedSessions) EditState(ctx context.Context, q engine.EditRequest) (*engine.Session, error) {
	return in(ctx, l.limits, q.Session, func() (*engine.Session, error) { return l.e.EditState(ctx, q) })
}

func (l limitedSessions) DeleteSession(ctx context.Context, id string, cancel bool) error {
	if err := l.checkSession(ctx, id); err != nil {
		return err
	}
	return l.e.DeleteSession(ctx, id, cancel)
}

func (l limitedSessions) Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error) {
	return in(ctx, l.limits, q.Session, func() (*engine.Session, error) { return l.e.Answer(ctx, q) })
}

func (l limitedSessions) Act(ctx context.Context, a engine.Action) (*engine.Session, error) {
	return in(ctx, l.limits, a.Session, func() (*engine.Session, error) { return l.e.Act(ctx, a) })
}

// Fork keeps workflow and labels of the old session, so the new one is within the limit too.
func (l limitedSessions) Fork(ctx context.Context, q engine.ForkRequest) (*engine.Session, error) {
	return in(ctx, l.limits, q.Session, func() (*engine.Session, error) { return l.e.Fork(ctx, q) })
}

func (l limitedSessions) Wait(ctx context.Context, id string) (*engine.Session, error) {
	return in(ctx, l.limits, id, func() (*engine.Session, error) { return l.e.Wait(ctx, id) })
}

func (l limitedSessions) WaitAfter(ctx context.Context, s *engine.Session) (*engine.Session, error) {
	return in(ctx, l.limits, s.ID, func() (*engine.Session, error) { return l.e.WaitAfter(ctx, s) })
}

func (l limitedSessions) Executions(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Execution, error) {
	return in(ctx, l.limits, id, func() ([]engine.Execution, error) { return l.e.Executions(ctx, id, q) })
}

func (l limitedSessions) Messages(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Message, error) {
	return in(ctx, l.limits, id, func() ([]engine.Message, error) { return l.e.Messages(ctx, id, q) })
}

func (l limitedSessions) Requests(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Request, error) {
	return in(ctx, l.limits, id, func() ([]engine.Request, error) { return l.e.Requests(ctx, id, q) })
}

func (l limitedSessions) Subscribe(ctx context.Context, session, lastEventID string) (<-chan engine.Event, error) {
	return in(ctx, l.limits, session, func() (<-chan engine.Event, error) { return l.e.Subscribe(ctx, session, lastEventID) })
}

func (l limitedSessions) EvalReference(ctx context.Context, q engine.ReferenceQuery) (*engine.ReferenceResult, error) {
	return in(ctx, l.limits, q.Session, func() (*engine.ReferenceResult, error) { return l.e.EvalReference(ctx, q) })
}

func (l limitedSessions) EvalCondition(ctx context.Context, q engine.ConditionQuery) (*engine.ConditionResult, error) {
	return in(ctx, l.limits, q.Session, func() (*engine.ConditionResult, error) { return l.e.EvalCondition(ctx, q) })
}

func (l limitedSessions) Explain(ctx context.Context, session string) (*engine.Explanation, error) {
	return in(ctx, l.limits, session, func() (*engine.Explanation, error) { return l.e.Explain(ctx, session) })
}
