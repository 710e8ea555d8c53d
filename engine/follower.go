package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// watchEvery is how often a subscription checks whether another engine has advanced its session.
const watchEvery = time.Second

// A follower delivers one session's events to one subscriber.
type follower struct {
	e       *Engine
	session string
	at      cursor
	ended   bool
	read    int64 // the version up to which the history was read last
	behind  bool  // events were left out, and the history could not be read
	out     chan Event
	below   below
}

func (f *follower) emit(ctx context.Context, ev Event) error {
	select {
	case f.out <- ev:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run sends the initial events and then new ones until the session ends or ctx ends.
func (f *follower) run(ctx context.Context, w *watcher, stop func(), first func() error) {
	defer close(f.out)
	defer stop()
	if first() == nil {
		f.follow(ctx, w)
	}
}

func (f *follower) snapshot(ctx context.Context, rec *store.SessionRecord) error {
	view, err := f.e.viewWithChildren(ctx, rec)
	if err != nil {
		return err
	}
	f.at = cursorOf(rec)
	f.recordShown(rec, view)
	if err := f.emit(ctx, Event{Type: EventSnapshot, Session: f.session, Data: view, ID: f.at.String()}); err != nil {
		return err
	}
	return f.finish(ctx, view.Status, view.Awaiting)
}

// finish sends the end event once the session has ended.
func (f *follower) finish(ctx context.Context, status string, awaiting []Question) error {
	if !store.Ended(status) {
		return nil
	}
	f.ended = true
	return f.emit(ctx, Event{Type: EventEnd, Session: f.session, Data: StatusEvent{Status: status, Awaiting: awaiting}, ID: f.at.String()})
}

func (f *follower) follow(ctx context.Context, w *watcher) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for !f.ended {
		var err error
		select {
		case ev := <-w.events:
			err = f.forward(ctx, ev)
		case <-w.missed:
			err = f.poll(ctx)
		case <-w.below:
			err = f.checkDescendants(ctx, w)
		case <-tick.C:
			if f.behind || !f.e.holds(f.session) {
				err = f.poll(ctx)
			}
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// forward sends an event from the bus, unless a snapshot or the history has already covered it.
func (f *follower) forward(ctx context.Context, ev busEvent) error {
	if ev.notice != nil {
		return f.relayed(ctx, ev.notice)
	}
	if ev.version == 0 {
		return f.emit(ctx, ev.Event)
	}
	if ev.version > f.at.version+1 { // another engine has written what is between
		if err := f.poll(ctx); err != nil || f.ended || f.behind {
			return err
		}
	}
	if ev.version <= f.at.version && ev.Type == "" || ev.version < f.at.version {
		return nil
	}
	if ev.Type == "" { // a nudge, the last entry of its checkpoint
		f.at.version = ev.version
		return nil
	}
	id, _ := parseCursor(ev.ID)
	if ev.version == f.at.version {
		return nil
	}
	f.at.seq, f.at.n = id.seq, id.n
	if err := f.emit(ctx, ev.Event); err != nil {
		return err
	}
	if s, ok := ev.Data.(StatusEvent); ok && ev.Type == EventSession {
		f.below.shown = shownAs(s.Status, s.Awaiting)
		if store.Ended(s.Status) {
			f.at.version = ev.version // the last event of this version
		}
		return f.finish(ctx, s.Status, s.Awaiting)
	}
	return nil
}

// relayed sends the events of a checkpoint that another engine has written. The notice holds the
// events of steps; messages, status and questions come from the store. A gap before the notice is
// filled from the history.
func (f *follower) relayed(ctx context.Context, n *notice) error {
	if n.Version <= f.at.version {
		if n.Version == f.read && !f.ended { // the history was read before the notice came
			return f.begun(ctx, n)
		}
		return nil
	}
	if n.Version > f.at.version+1 || n.Cut {
		if err := f.poll(ctx); err != nil || f.ended || f.at.version != n.Version {
			return err
		}
		return f.begun(ctx, n)
	}
	read := n.Rested
	for _, ev := range n.Events {
		id := cursor{version: n.Version, seq: ev.Seq, n: ev.N}
		switch {
		case ev.Step != nil:
			if err := f.emit(ctx, Event{Type: EventStep, Session: f.session, Data: *ev.Step, ID: id.String()}); err != nil {
				return err
			}
			f.at.seq = max(f.at.seq, ev.Seq)
		case ev.Type == EventMessage:
			if ok, err := f.message(ctx, id); err != nil || !ok {
				return err
			}
		default:
			read = true
		}
	}
	if !read {
		f.at.version = n.Version
		return nil
	}
	return f.poll(ctx) // the version is still the one before: the status is sent
}

// begun sends the events of the steps that have begun in a checkpoint and not ended in it. The
// history, from which the rest of it was sent, has none of them.
func (f *follower) begun(ctx context.Context, n *notice) error {
	last := map[string]int{}
	for i, ev := range n.Events {
		if ev.Step != nil {
			last[ev.Step.Step] = i
		}
	}
	for i, ev := range n.Events {
		if ev.Step == nil || last[ev.Step.Step] != i || ev.Step.Status != StatusActive {
			continue
		}
		if err := f.emit(ctx, Event{Type: EventStep, Session: f.session, Data: *ev.Step, ID: f.at.String()}); err != nil {
			return err
		}
	}
	return nil
}

// message sends the messages up to a position. It returns false when they cannot be read now.
func (f *follower) message(ctx context.Context, to cursor) (ok bool, err error) {
	for f.at.n < to.n {
		page, err := f.e.store.Messages(ctx, f.session, HistoryQuery{After: f.at.n, Limit: int(min(to.n-f.at.n, 500))})
		if err != nil || len(page) == 0 {
			return false, nil // the next look reads them
		}
		for _, m := range page {
			f.at.n = m.N
			if err := f.emit(ctx, Event{Type: EventMessage, Session: f.session, Data: m, ID: to.String()}); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// poll reads what other engines have written to the session since the last check.
func (f *follower) poll(ctx context.Context) error {
	rec, err := f.e.store.Session(ctx, f.session)
	f.behind = err != nil
	if err != nil {
		if retry.Transient(err) {
			return nil
		}
		return err
	}
	if rec.Version == f.at.version {
		return f.pollDescendants(ctx, rec)
	}
	return f.catchUp(ctx, rec)
}

// catchUp sends, from the history, the events between the cursor and the record.
func (f *follower) catchUp(ctx context.Context, rec *store.SessionRecord) error {
	to := cursorOf(rec)
	changed := to.version > f.at.version || to.seq > f.at.seq || to.n > f.at.n
	if changed { // the cursor may be in the middle of a checkpoint's events
		if err := f.replay(ctx, to); err != nil {
			return err
		}
	}
	view, err := f.e.viewWithChildren(ctx, rec)
	if err != nil {
		return err
	}
	f.at, f.read = to, to.version
	f.recordShown(rec, view)
	if changed {
		data := StatusEvent{Status: view.Status, Awaiting: view.Awaiting}
		if err := f.emit(ctx, Event{Type: EventSession, Session: f.session, Data: data, ID: f.at.String()}); err != nil {
			return err
		}
	}
	return f.finish(ctx, view.Status, view.Awaiting)
}

func (f *follower) replay(ctx context.Context, to cursor) error {
	for f.at.seq < to.seq {
		page, err := f.e.store.Executions(ctx, f.session, HistoryQuery{After: f.at.seq, Limit: 500})
		if err != nil || len(page) == 0 {
			break // history level none keeps no executions: the session event shows the current status
		}
		for _, x := range page {
			f.at.seq = x.Seq
			status := x.Status
			if status == StatusAnswered {
				status = StatusComplete
			}
			if err := f.emit(ctx, Event{Type: EventStep, Session: f.session, ID: f.at.String(),
				Data: StepEvent{Step: x.Step, Visit: x.Visit, Status: status}}); err != nil {
				return err
			}
		}
	}
	for f.at.n < to.n {
		page, err := f.e.store.Messages(ctx, f.session, HistoryQuery{After: f.at.n, Limit: 500})
		if err != nil || len(page) == 0 {
			break
		}
		for _, m := range page {
			f.at.n = m.N
			if err := f.emit(ctx, Event{Type: EventMessage, Session: f.session, Data: m, ID: f.at.String()}); err != nil {
				return err
			}
		}
	}
	return nil
}

func cursorOf(rec *store.SessionRecord) cursor {
	c := cursor{version: rec.Version}
	if counted, err := state.ParseCounters(rec.ID, rec.Counters); err == nil {
		c.seq, c.n = counted.Seq(), counted.Messages()
	}
	return c
}

// below is what a follower has sent about the descendant sessions. A session that waits for child
// sessions shows their questions as its own, although nothing in its own record changes when they
// ask.
type below struct {
	version int64 // the session's version at the last look
	parent  bool  // whether it waited for child sessions then
	shown   string
}

// recordShown records what the subscriber has been shown.
func (f *follower) recordShown(rec *store.SessionRecord, view *Session) {
	f.below = below{version: rec.Version, parent: view.parent, shown: shownAs(view.Status, view.Awaiting)}
}

// shownAs returns a status and its questions as one text, for comparison.
func shownAs(status string, awaiting []Question) string {
	text := status
	for _, q := range awaiting {
		text += fmt.Sprintf("\n%s/%s/%d/%d/%t", q.Session, q.Step, q.Visit, q.Ask, q.Answered)
	}
	return text
}

// checkDescendants checks the questions of descendant sessions, after all events from the bus have been sent.
func (f *follower) checkDescendants(ctx context.Context, w *watcher) error {
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
		return nil // retried at the next tick
	}
	return f.pollDescendants(ctx, rec)
}

// pollDescendants sends an event when the open questions of descendant sessions have changed.
func (f *follower) pollDescendants(ctx context.Context, rec *store.SessionRecord) error {
	was := f.below
	if rec.Version == was.version && !was.parent {
		return nil
	}
	view, err := f.e.viewWithChildren(ctx, rec)
	if err != nil {
		if retry.Transient(err) {
			return nil
		}
		return err
	}
	f.recordShown(rec, view)
	if f.below.shown == was.shown || !view.parent && !was.parent {
		return nil
	}
	return f.emit(ctx, Event{Type: EventSession, Session: f.session, ID: f.at.String(), Data: StatusEvent{Status: view.Status, Awaiting: view.Awaiting}})
}
