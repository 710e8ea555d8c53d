package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/stepgraph/stepgraph/engine/state"
)

// An eventBus carries the events of sessions to those who watch them in this process. A
// watcher that does not keep up loses events and reads what it missed from the history.
type eventBus struct {
	mu       sync.Mutex
	watchers map[string]map[*watcher]bool
}

// A watcher receives what happens in one session.
type watcher struct {
	events chan busEvent // nil for one that only waits for rest
	missed chan struct{} // capacity 1: events were dropped
	rested chan struct{} // capacity 1: the lease was given up
	below  chan struct{} // capacity 1: a child session, or one of its own, has come to rest
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
	return b.add(session, &watcher{events: make(chan busEvent, watcherRoom), missed: make(chan struct{}, 1)})
}

// watchRest returns a watcher that is told of rest alone, and of that always.
func (b *eventBus) watchRest(session string) (*watcher, func()) { return b.add(session, &watcher{}) }

func (b *eventBus) add(session string, w *watcher) (*watcher, func()) {
	w.rested, w.below = make(chan struct{}, 1), make(chan struct{}, 1)
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
		if ev.rested {
			signal(w.rested)
		}
		if w.events == nil {
			continue
		}
		select {
		case w.events <- ev:
		default:
			signal(w.missed)
		}
	}
}

// signal sets a flag of capacity 1 that somebody may be waiting for.
func signal(flag chan struct{}) {
	select {
	case flag <- struct{}{}:
	default:
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
	if rested {
		b.stir(session)
	}
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
	r.unwritten.events = append(r.unwritten.events, notedEvent{kind, data, r.counters.Seq(), r.counters.Messages()})
}

// show tells watchers that a step has changed its status.
func (r *runner) show(step string) {
	r.event(EventStep, r.stepEvent(step, r.state.Live(step), r.state.Status(step)))
}

// stepEvent returns the event of a step that has a status now; l may be nil.
func (r *runner) stepEvent(step string, l *state.LiveStep, status string) StepEvent {
	ev := StepEvent{Step: step, Status: status}
	if l != nil {
		ev.Visit = l.Visit
		if l.Tool != nil {
			ev.Caller = l.Tool.Agent
		}
	}
	return ev
}

// statusEvents tells of a changed status or changed questions.
func (r *runner) statusEvents(status, awaiting string) []notedEvent {
	shown := status + awaiting
	if shown == r.shown {
		return nil
	}
	r.shown = shown
	data := StatusEvent{Status: status, Awaiting: questionsOf(r.state)}
	return []notedEvent{{EventSession, data, r.counters.Seq(), r.counters.Messages()}}
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

// Subscribe follows a session. The first event is a snapshot of it, unless lastEventID
// (the id of an event received before) says how far the caller has come: then what was
// missed comes first, read from the history. The channel is closed after an end event,
// when ctx ends, or when the session is deleted. Tokens carry no id.
func (e *Engine) Subscribe(ctx context.Context, session, lastEventID string) (<-chan Event, error) {
	w, stop := e.events.watch(session)
	rec, err := e.store.Session(ctx, session)
	if err != nil {
		stop()
		return nil, err
	}
	f := &follower{e: e, session: session, out: make(chan Event)}
	first := f.snapshot
	if at, resume := parseCursor(lastEventID); resume {
		f.at, first = at, f.catchUp
	}
	go f.run(ctx, w, stop, func() error { return first(ctx, rec) })
	return f.out, nil
}

// StartAndSubscribe starts a session and follows it from its first moment: the snapshot is the
// session as it was created, and no token is missed. A start with an idempotency key is
// followed from where its session stands.
func (e *Engine) StartAndSubscribe(ctx context.Context, q StartRequest) (*Session, <-chan Event, error) {
	if q.Key != "" {
		s, err := e.Start(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		events, err := e.Subscribe(ctx, s.ID, "")
		return s, events, err
	}
	if q.ID == "" {
		q.ID = e.o.NewID()
	}
	w, stop := e.events.watch(q.ID)
	s, rec, err := e.startAndView(ctx, &q)
	if err != nil {
		stop()
		return nil, nil, err
	}
	f := &follower{e: e, session: q.ID, out: make(chan Event)}
	go f.run(ctx, w, stop, func() error { return f.snapshot(ctx, rec) })
	return s, f.out, nil
}
