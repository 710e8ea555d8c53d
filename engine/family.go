package engine

import (
	"context"
	"slices"
	"strings"
)

// hasChildren tells whether a step waits for child sessions.
func (s *State) hasChildren() bool {
	for id, d := range s.engine.Driven {
		if d.Kids != nil && !d.Ready && s.Status(id) == StatusActive {
			return true
		}
	}
	return false
}

// descendants are the sessions below one, at any depth, that are open.
func (e *Engine) descendants(ctx context.Context, id string, awaiting bool) ([]SessionRecord, error) {
	root := id
	if rec, err := e.store.Session(ctx, id); err == nil && rec.Root != "" {
		root = rec.Root
	}
	q := SessionQuery{Root: root, Awaiting: awaiting, OldestWaiting: awaiting, Limit: maxPage}
	if !awaiting {
		q.Status = []string{StatusActive}
	}
	found, err := e.store.ListSessions(ctx, q)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(rec SessionRecord) bool { return !strings.HasPrefix(rec.ID, id+"/") }), nil
}

// addChildQuestions lists the questions of child sessions with their parent's, the oldest
// first: a person need not know where they are asked.
func (e *Engine) addChildQuestions(ctx context.Context, s *Session) error {
	below, err := e.descendants(ctx, s.ID, true)
	if err != nil {
		return err
	}
	for i := range below {
		rec, err := e.store.Session(ctx, below[i].ID)
		if err != nil {
			continue // ended and deleted meanwhile
		}
		state, err := ParseState(rec.ID, rec.State)
		if err != nil {
			continue
		}
		for _, q := range state.Questions() {
			q.Session = rec.ID
			s.Awaiting = append(s.Awaiting, q)
		}
	}
	slices.SortStableFunc(s.Awaiting, func(a, b Question) int { return a.Since.Compare(b.Since) })
	return nil
}

// familyRests tells whether nothing below a session goes on by itself, so that all it
// waits for are people.
func (e *Engine) familyRests(ctx context.Context, id string) (bool, error) {
	active, err := e.descendants(ctx, id, false)
	if err != nil {
		return false, err
	}
	for i := range active {
		if active[i].Lease != "" || !active[i].DueAt.IsZero() {
			return false, nil
		}
	}
	waiting, err := e.descendants(ctx, id, true)
	return len(waiting) > 0, err
}

// answerBelow finds the child session whose question an answer to its parent is for: the
// parent has none open, and the one below that waits longest has the step that is named.
func (e *Engine) answerBelow(ctx context.Context, q AnswerRequest) (string, bool) {
	below, err := e.descendants(ctx, q.Session, true)
	if err != nil {
		return "", false
	}
	for i := range below {
		rec, err := e.store.Session(ctx, below[i].ID)
		if err != nil {
			continue
		}
		state, err := ParseState(rec.ID, rec.State)
		if err != nil {
			continue
		}
		for _, w := range state.questions() {
			if w.Kind != AskSignal && (q.Step == "" || q.Step == w.Step) {
				return rec.ID, true
			}
		}
	}
	return "", false
}
