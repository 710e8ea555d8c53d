package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// An eventBus carries the events of sessions to those who watch them in this process. A
// watcher that does not keep up loses events and reads what it missed from the history.
type eventBus struct {
	mu       sync.Mutex
	watchers map[string]map[*watcher]bool
}

// A watcher receives what happens in one session.
type watcher struct {
	events chan busEvent
	missed chan struct{} // capacity 1: events were dropped
}

// busEvent is an event with the version of the checkpoint that held it; 0 for what is
// provisional. A nudge has no event: the session rests, or its checkpoint showed nothing.
type busEvent struct {
	Event
	version int64
	rested  bool // a nudge: the lease was given up
}

// watcherRoom is how many events may wait for a watcher.
const watcherRoom = 256

func newEventBus() *eventBus { return &eventBus{watchers: map[string]map[*watcher]bool{}} }

func (b *eventBus) watch(session string) (*watcher, func()) {
	w := &watcher{events: make(chan busEvent, watcherRoom), missed: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers[session] == nil {
		b.watchers[session] = map[*watcher]bool{}
	}
	b.watchers[session][w] = true
	return w, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers[session], w)
		if len(b.watchers[session]) == 0 {
			delete(b.watchers, session)
		}
	}
}

func (b *eventBus) send(session string, ev busEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.watchers[session] {
		select {
		case w.events <- ev:
		default:
			select {
			case w.missed <- struct{}{}:
			default:
			}
		}
	}
}

func (b *eventBus) watched(session string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.watchers[session]) > 0
}

// publish sends a provisional event.
func (b *eventBus) publish(ev Event) { b.send(ev.Session, busEvent{Event: ev}) }

// publishAll sends the events of a checkpoint, after it, and a nudge.
func (b *eventBus) publishAll(session string, version int64, events []notedEvent, rested bool) {
	if !b.watched(session) {
		return
	}
	for _, ev := range events {
		b.send(session, busEvent{version: version, Event: Event{
			Type: ev.kind, Session: session, Data: ev.data, ID: cursor{version: version, seq: ev.seq, n: ev.n}.String()}})
	}
	b.send(session, busEvent{version: version, rested: rested})
}

// A notedEvent waits for the checkpoint that makes it true. It is noted also when nobody
// watches: somebody may begin to before the checkpoint is written.
type notedEvent struct {
	kind   string
	data   any
	seq, n int64 // counters when it happened
}

// event notes what the next checkpoint's watchers are told.
func (r *runner) event(kind string, data any) {
	r.unwritten.events = append(r.unwritten.events, notedEvent{kind, data, r.counters.Seq, r.counters.Messages})
}

// show tells watchers that a step has changed its status.
func (r *runner) show(step string) {
	visit := 0
	if l := r.state.engine.Live[step]; l != nil {
		visit = l.Visit
	}
	r.event(EventStep, StepEvent{Step: step, Visit: visit, Status: r.state.Status(step)})
}

// statusEvents tells of a changed status or changed questions.
func (r *runner) statusEvents(status, awaiting string) []notedEvent {
	shown := status + awaiting
	if shown == r.shown {
		return nil
	}
	r.shown = shown
	data := StatusEvent{Status: status, Awaiting: r.state.Questions()}
	return []notedEvent{{EventSession, data, r.counters.Seq, r.counters.Messages}}
}

// A cursor is how far somebody has followed a session; as text it is an event's id.
type cursor struct {
	version int64 // of the session
	seq     int64 // of EXECUTION
	n       int64 // of MESSAGE
}

func (c cursor) String() string { return fmt.Sprintf("%d-%d-%d", c.version, c.seq, c.n) }

func parseCursor(text string) (c cursor, ok bool) {
	parts := strings.Split(text, "-")
	if len(parts) != 3 {
		return c, false
	}
	for i, to := range []*int64{&c.version, &c.seq, &c.n} {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil || n < 0 {
			return c, false
		}
		*to = n
	}
	return c, true
}

// watchEvery is how often a watcher looks whether another engine has moved its session.
const watchEvery = time.Second

// Subscribe follows a session. The first event is a snapshot of it, unless lastEventID
// (the id of an event received before) says how far the caller has come: then what was
// missed comes first, read from the history. The channel is closed after an end event,
// when ctx ends, or when the session is deleted. Tokens carry no id.
func (e *Engine) Subscribe(ctx context.Context, session, lastEventID string) (<-chan Event, error) {
	w, stop := e.events.watch(session)
	f := &follower{e: e, session: session, out: make(chan Event)}
	at, resume := parseCursor(lastEventID)
	if resume {
		f.at = at
	}
	rec, err := e.store.Session(ctx, session)
	if err != nil {
		stop()
		return nil, err
	}
	go func() {
		defer close(f.out)
		defer stop()
		if resume {
			if f.catchUp(ctx, rec) != nil {
				return
			}
		} else if f.snapshot(ctx, rec) != nil {
			return
		}
		f.follow(ctx, w)
	}()
	return f.out, nil
}

// A follower brings one session's events to one subscriber.
type follower struct {
	e       *Engine
	session string
	at      cursor
	ended   bool
	out     chan Event
}

func (f *follower) emit(ctx context.Context, ev Event) error {
	select {
	case f.out <- ev:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f *follower) snapshot(ctx context.Context, rec *SessionRecord) error {
	view, err := f.e.view(ctx, rec)
	if err != nil {
		return err
	}
	f.at = cursorOf(rec)
	if err := f.emit(ctx, Event{Type: EventSnapshot, Session: f.session, Data: view, ID: f.at.String()}); err != nil {
		return err
	}
	return f.finish(ctx, view.Status, view.Awaiting)
}

// finish sends the end event once the session has ended.
func (f *follower) finish(ctx context.Context, status string, awaiting []Question) error {
	if !ended(status) {
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
			err = f.look(ctx)
		case <-tick.C:
			if !f.e.holds(f.session) {
				err = f.look(ctx)
			}
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// forward passes on what the bus brought, unless it is known from a snapshot or the
// history already.
func (f *follower) forward(ctx context.Context, ev busEvent) error {
	if ev.version == 0 {
		return f.emit(ctx, ev.Event)
	}
	if ev.version <= f.at.version && ev.Type == "" || ev.version < f.at.version {
		return nil
	}
	if ev.Type == "" { // the last of its checkpoint
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
		return f.finish(ctx, s.Status, s.Awaiting)
	}
	return nil
}

// look reads what other engines have done to the session since.
func (f *follower) look(ctx context.Context) error {
	rec, err := f.e.store.Session(ctx, f.session)
	if err != nil {
		if transient(err) {
			return nil
		}
		return err
	}
	if rec.Version == f.at.version {
		return nil
	}
	return f.catchUp(ctx, rec)
}

// catchUp tells from the history what happened between the cursor and the record.
func (f *follower) catchUp(ctx context.Context, rec *SessionRecord) error {
	to := cursorOf(rec)
	if to.version > f.at.version {
		if err := f.replay(ctx, to); err != nil {
			return err
		}
	}
	view, err := f.e.view(ctx, rec)
	if err != nil {
		return err
	}
	changed := to.version > f.at.version
	f.at = to
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
			break // level none keeps no executions: the session event says where it stands
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

func cursorOf(rec *SessionRecord) cursor {
	c := cursor{version: rec.Version}
	if counted, err := parseCounters(rec.ID, rec.Counters); err == nil {
		c.seq, c.n = counted.Seq, counted.Messages
	}
	return c
}
