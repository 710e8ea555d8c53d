package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/graph"
)

// addChildQuestions lists the questions of the sessions below with their ancestor's, the
// oldest first: a person need not know where they are asked. One read finds them; where
// there are more sessions than a page holds, AwaitingMore says so.
func (v *views) addChildQuestions(ctx context.Context, s *Session) error {
	below, err := v.store.Descendants(ctx, DescendantQuery{Of: s.ID, Awaiting: true, Limit: maxPage + 1, WithState: true})
	if err != nil {
		return err
	}
	if s.AwaitingMore = len(below) > maxPage; s.AwaitingMore {
		below = below[:maxPage]
	}
	var asking []storedSession
	for i := range below {
		if st, err := ParseState(below[i].ID, below[i].State); err == nil { // else an error of that session, which shows it
			asking = append(asking, storedSession{&below[i], st})
		}
	}
	answered, err := answeredTargets(ctx, v.store, asking)
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
	slices.SortStableFunc(s.Awaiting, func(a, b Question) int { return a.Since.Compare(b.Since) })
	return nil
}

// familyRests reports whether nothing below a session goes on by itself, so that all it
// waits for are people.
func (v *views) familyRests(ctx context.Context, id string) (bool, error) {
	moving, err := v.store.Descendants(ctx, DescendantQuery{Of: id, Moving: true, Limit: 1})
	if err != nil || len(moving) > 0 {
		return false, err
	}
	waiting, err := v.store.Descendants(ctx, DescendantQuery{Of: id, Awaiting: true, Limit: 1})
	return len(waiting) > 0, err
}

// answerBelow finds the session below whose question an answer is for, "" when there is
// none: of those with a question at the step that is named, the one that waits longest. Its
// error is the store's, which has not said no.
func (v *views) answerBelow(ctx context.Context, q AnswerRequest) (string, error) {
	page := DescendantQuery{Of: q.Session, Awaiting: true, Step: q.Step, Limit: maxPage}
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

// asksPerson reports whether a session has a question open that is a person's to answer,
// at the step if one is named.
func asksPerson(rec *SessionRecord, step string) bool {
	return slices.ContainsFunc(rec.Waits(), func(w Waiting) bool {
		return w.Kind != AskSignal && (step == "" || step == w.Step)
	})
}

// wholeView is a session with what its child sessions ask. One whose children all wait
// for people waits for people itself.
func (v *views) wholeView(ctx context.Context, rec *SessionRecord) (*Session, error) {
	s, err := v.view(ctx, rec)
	if err != nil || !s.parent {
		return s, err
	}
	if err := v.addChildQuestions(ctx, s); err != nil {
		return nil, err
	}
	if s.Status == StatusActive && rec.Lease == "" && rec.DueAt.IsZero() && len(s.Awaiting) > 0 {
		rests, err := v.familyRests(ctx, rec.ID)
		if err != nil {
			return nil, err
		}
		if rests {
			s.Status = StatusAwaitingInput
		}
	}
	return s, nil
}
