package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// addChildQuestions adds the open questions of all descendant sessions to those of the session,
// oldest first, so that a person need not know which session asks. It reads one page of sessions;
// AwaitingMore is true when there are more.
func (v *views) addChildQuestions(ctx context.Context, s *Session) error {
	below, err := v.store.Descendants(ctx, store.DescendantQuery{Of: s.ID, Awaiting: true, Limit: maxPage + 1, WithState: true})
	if err != nil {
		return err
	}
	if s.AwaitingMore = len(below) > maxPage; s.AwaitingMore {
		below = below[:maxPage]
	}
	var asking []storedSession
	for i := range below {
		if st, err := ParseState(below[i].ID, below[i].State); err == nil { // a session with an unreadable state shows that error itself
			asking = append(asking, storedSession{&below[i], st})
		}
	}
	answered, err := answeredTargets(ctx, v.store, asking, nil)
	if err != nil {
		return err
	}
	for _, child := range asking {
		def, err := v.definitions.Recent(ctx, cmp.Or(child.rec.Workflow, graph.DefaultWorkflow), viewDefinitionAge)
		if err != nil {
			return err
		}
		list := event.Questions(child.state)
		markEach(list, child.rec.ID, def, answered)
		for i := range list {
			list[i].Session = child.rec.ID
		}
		s.Awaiting = append(s.Awaiting, list...)
	}
	sorting.Stable(s.Awaiting, func(a, b *Question) int { return a.Since.Compare(b.Since) })
	return nil
}

// familyIdle reports whether no descendant session continues by itself, so that the session waits
// only for people.
func (v *views) familyIdle(ctx context.Context, id string) (bool, error) {
	moving, err := v.store.Descendants(ctx, store.DescendantQuery{Of: id, Moving: true, Limit: 1})
	if err != nil || len(moving) > 0 {
		return false, err
	}
	waiting, err := v.store.Descendants(ctx, store.DescendantQuery{Of: id, Awaiting: true, Limit: 1})
	return len(waiting) > 0, err
}

// answerBelow returns the descendant session whose question an answer is for, "" when there is
// none: among those that have a question at the named step, the one that has waited longest. An
// error comes from the store and does not mean that there is none.
func (v *views) answerBelow(ctx context.Context, q AnswerRequest) (string, error) {
	page := store.DescendantQuery{Of: q.Session, Awaiting: true, Step: q.Step, Limit: maxPage}
	for {
		below, err := v.store.Descendants(ctx, page)
		if err != nil {
			return "", err
		}
		for i := range below {
			if asksPerson(&below[i], q.Step) {
				return below[i].ID, nil
			}
		}
		if len(below) < page.Limit {
			return "", nil
		}
		last := &below[len(below)-1]
		page.After = Cursor{At: last.AwaitingSince, ID: last.ID}
	}
}

// asksPerson reports whether a session has an open question for a person, at the named step if
// there is one.
func asksPerson(rec *store.SessionRecord, step string) bool {
	return slices.ContainsFunc(rec.Waits(), func(w store.Waiting) bool {
		return w.Kind != AskSignal && (step == "" || step == w.Step)
	})
}

// viewWithChildren returns the view of a session with the questions of its descendants. A session whose
// children all wait for people is shown as waiting for people itself.
func (v *views) viewWithChildren(ctx context.Context, rec *store.SessionRecord) (*Session, error) {
	s, err := v.view(ctx, rec)
	if err != nil || !s.parent {
		return s, err
	}
	if err := v.addChildQuestions(ctx, s); err != nil {
		return nil, err
	}
	if s.Status == StatusActive && rec.Lease == "" && rec.DueAt.IsZero() && len(s.Awaiting) > 0 {
		idle, err := v.familyIdle(ctx, rec.ID)
		if err != nil {
			return nil, err
		}
		if idle {
			s.Status = StatusAwaitingInput
		}
	}
	return s, nil
}
