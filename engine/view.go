package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/tidwall/gjson"
)

// viewDefinitionAge is the maximum age of the definition that decides whether the step of a
// question is shown as removed.
const viewDefinitionAge = time.Second

// views builds what people see from stored sessions: a session with its open questions, including
// those of its child sessions. It changes nothing.
type views struct {
	store       Store
	definitions *definitionReader
	searchTime  time.Duration // see Search
}

// view builds a Session from its record. If the state does not parse, the error is shown in the
// session and not returned to the caller.
func (v *views) view(ctx context.Context, rec *store.SessionRecord) (*Session, error) {
	return v.viewOf(ctx, rec, &opened{})
}

// viewOf is view with what was decoded of the record before. known are requests in the session's
// inbox that the caller has: if no unread one is missing, the inbox is not read.
func (v *views) viewOf(ctx context.Context, rec *store.SessionRecord, before *opened, known ...Request) (*Session, error) {
	s := &Session{
		ID: rec.ID, Workflow: cmp.Or(rec.Workflow, graph.DefaultWorkflow), Status: rec.Status, Version: rec.Version,
		CreatedAt: rec.CreatedAt, UpdatedAt: rec.UpdatedAt, Labels: rec.Labels,
		Awaiting: []Question{}, Messages: []Message{},
	}
	st, err := before.of(rec)
	if err != nil {
		s.Status = StatusError
		s.Error = &SessionError{Kind: function.KindState, Message: err.Error()}
		return s, nil
	}
	s.Status = st.StatusOf(rec)
	s.Messages = st.Messages()
	s.Error = st.Failure()
	s.Awaiting = slices.Clone(state.Shared(st, "questions", event.Questions)) // they are marked below
	s.Problems = slices.Clone(state.Shared(st, "problems", problemsOf))
	s.Steps = maps.Clone(state.Shared(st, "steps", statusesOf))
	if len(s.Awaiting) > 0 {
		if err := v.markQuestions(ctx, rec, st.State, s, known); err != nil {
			return nil, err
		}
	}
	if s.Status == StatusComplete {
		if s.Result, err = v.result(ctx, rec, st.State); err != nil {
			return nil, err
		}
	}
	s.parent = st.WaitsForChildren()
	return s, nil
}

// result returns the result of a complete session.
func (v *views) result(ctx context.Context, rec *store.SessionRecord, st *State) (json.RawMessage, error) {
	def, err := v.definitions.Recent(ctx, cmp.Or(rec.Workflow, graph.DefaultWorkflow), viewDefinitionAge)
	if err != nil {
		return nil, err
	}
	holder := ""
	if p := st.Parent(); p != nil {
		holder = p.Body
	}
	return session.Result(ctx, v.store, st, def, holder), nil
}

// markQuestions marks the questions of a session that are already answered, and those whose step
// was removed.
func (v *views) markQuestions(ctx context.Context, rec *store.SessionRecord, st *State, s *Session, known []Request) error {
	answered, err := answeredTargets(ctx, v.store, []storedSession{{rec, st}}, known)
	if err != nil {
		return err
	}
	def, err := v.definitions.Recent(ctx, s.Workflow, viewDefinitionAge)
	if err != nil {
		return err
	}
	markEach(s.Awaiting, rec.ID, def, answered)
	return nil
}

// markEach marks the questions of one session.
func markEach(list []Question, session string, def *graph.Definition, answered map[askedKey]bool) {
	for i := range list {
		q := &list[i]
		q.Gone = def.Step(q.Step) == nil
		q.Answered = answered[askedKey{session, q.Step, q.Visit, q.Ask}]
	}
}

// An askedKey identifies one question of one session.
type askedKey struct {
	session, step string
	visit, ask    int
}

// A storedSession is a session's record with its decoded state.
type storedSession struct {
	rec   *store.SessionRecord
	state *State
}

// answeredTargets returns the questions whose answers are accepted and not applied yet. It reads
// the inbox at most once, for any number of sessions, and not at all for sessions whose unread
// requests are all in known.
func answeredTargets(ctx context.Context, in Store, sessions []storedSession, known []Request) (map[askedKey]bool, error) {
	answered := map[askedKey]bool{}
	mark := func(requests []Request) {
		for i := range requests {
			if q := &requests[i]; q.Kind == RequestAnswer {
				answered[askedKey{q.Session, q.Step, q.Visit, q.Ask}] = true
			}
		}
	}
	var unread []store.InboxAfter
	for _, s := range sessions {
		for _, h := range s.state.Held() {
			answered[askedKey{s.rec.ID, h.Step, h.Visit, h.Ask}] = true
		}
		if seen := state.SeenIn(s.rec.Counters); s.rec.Inbox > seen && gjson.ValidBytes(s.rec.Counters) {
			if of := requestsBetween(known, s.rec.ID, seen, s.rec.Inbox); int64(len(of)) == s.rec.Inbox-seen {
				mark(of)
				continue
			}
			unread = append(unread, store.InboxAfter{Session: s.rec.ID, N: seen})
		}
	}
	if len(unread) == 0 {
		return answered, nil
	}
	found, err := in.Requests(ctx, unread)
	if err != nil {
		return nil, err
	}
	for _, requests := range found {
		mark(requests)
	}
	return answered, nil
}

// requestsBetween returns the requests of a session with numbers above seen and up to last.
func requestsBetween(requests []Request, session string, seen, last int64) []Request {
	var of []Request
	for i := range requests {
		if q := &requests[i]; q.Session == session && q.N > seen && q.N <= last {
			of = append(of, *q)
		}
	}
	return of
}

// statusesOf returns the statuses of all steps.
func statusesOf(s *State) map[string]string {
	steps := make(map[string]string, len(s.StepIDs()))
	for _, id := range s.StepIDs() {
		steps[id] = s.Status(id)
	}
	return steps
}

// problemsOf lists why steps wait and paths are closed.
func problemsOf(s *State) []SessionProblem {
	var out []SessionProblem
	for _, id := range s.StepIDs() {
		entry := s.Step(id)
		switch entry.Status {
		case StatusPending:
			p := SessionProblem{Step: id, Message: "waits for values"}
			if l := s.Live(id); l != nil {
				p.Missing = l.Missing
				p.Message = l.PendingText()
			}
			out = append(out, p)
		case StatusActive:
			if l := s.Live(id); l != nil && l.Lacks != "" {
				out = append(out, SessionProblem{Step: id, Message: l.LackText()})
			}
		case StatusError:
			if !s.Failed(id) {
				continue
			}
			out = append(out, SessionProblem{Step: id, Message: entry.Error})
		}
	}
	for _, path := range s.ProblemPaths() {
		out = append(out, SessionProblem{Path: path, Step: sourceOf(path), Message: s.ProblemOf(path)})
	}
	for _, id := range s.WaitingJoins() {
		join := JoinAll
		if s.HasArrived(id) {
			join = JoinRequired
		}
		out = append(out, SessionProblem{Step: id, Message: "join: " + join + ": waits for steps that can still reach it"})
	}
	return out
}
