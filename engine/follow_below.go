package engine

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
)

// below is what a follower has told of the sessions below its own: a session that waits
// for child sessions shows their questions as its own, though nothing in it changes when
// they ask.
type below struct {
	version int64 // of the session when it was looked at
	parent  bool  // it waited for child sessions then
	told    string
}

// tell notes what a subscriber has been shown.
func (f *follower) tell(rec *SessionRecord, view *Session) {
	f.below = below{version: rec.Version, parent: view.parent, told: shownAs(view.Status, view.Awaiting)}
}

// shownAs is a status and its questions as one text, to be compared.
func shownAs(status string, awaiting []Question) string {
	text := status
	for _, q := range awaiting {
		text += fmt.Sprintf("\n%s/%s/%d/%d/%t", q.Session, q.Step, q.Visit, q.Ask, q.Answered)
	}
	return text
}

// stirred looks at what the sessions below ask, once all that the bus has brought is told.
func (f *follower) stirred(ctx context.Context, w *watcher) error {
	for {
		select {
		case ev := <-w.events:
			if err := f.forward(ctx, ev); err != nil || f.ended {
				return err
			}
			continue
		default:
		}
		break
	}
	rec, err := f.e.store.Session(ctx, f.session)
	if err != nil || rec.Version != f.at.version {
		return nil // the next tick looks again
	}
	return f.lookBelow(ctx, rec)
}

// lookBelow tells when other questions of child sessions are open than before.
func (f *follower) lookBelow(ctx context.Context, rec *SessionRecord) error {
	was := f.below
	if rec.Version == was.version && !was.parent {
		return nil
	}
	view, err := f.e.wholeView(ctx, rec)
	if err != nil {
		if retry.Transient(err) {
			return nil
		}
		return err
	}
	f.tell(rec, view)
	if f.below.told == was.told || !view.parent && !was.parent {
		return nil
	}
	return f.emit(ctx, Event{Type: EventSession, Session: f.session, ID: f.at.String(), Data: StatusEvent{Status: view.Status, Awaiting: view.Awaiting}})
}
