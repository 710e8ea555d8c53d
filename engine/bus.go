package engine

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/stepgraph/stepgraph/engine/event"
)

// An eventBus delivers the events of sessions to watchers in this process. A watcher that does not
// keep up loses events and reads the missed ones from the history.
type eventBus struct {
	mu       sync.Mutex
	watchers map[string]map[*watcher]bool
}

// A watcher receives the events of one session.
type watcher struct {
	events chan busEvent // nil for a watcher that only waits until the session is at rest
	missed chan struct{} // capacity 1: events were dropped
	rested chan struct{} // capacity 1: the lease was given up
	below  chan struct{} // capacity 1: a descendant session has come to rest
}

// busEvent is an event with the version of its checkpoint, 0 for a provisional event. A nudge has
// no event: it follows the events of every checkpoint, and is sent when the session comes to rest.
type busEvent struct {
	Event
	version int64
	rested  bool // a nudge: the lease was given up
}

// watcherRoom is the number of events buffered for a watcher.
const watcherRoom = 256

func newEventBus() *eventBus { return &eventBus{watchers: map[string]map[*watcher]bool{}} }

func (b *eventBus) watch(session string) (*watcher, func()) {
	return b.add(session, &watcher{events: make(chan busEvent, watcherRoom), missed: make(chan struct{}, 1)})
}

// watchRest returns a watcher that is notified only when the session comes to rest; that notice is never dropped.
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

// signal sets a flag, a channel of capacity 1, without blocking.
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

// publishAll sends the events of a written checkpoint, and a nudge.
func (b *eventBus) publishAll(session string, version int64, events []event.Noted, rested bool) {
	if rested {
		b.stir(session)
	}
	if !b.watched(session) {
		return
	}
	for _, ev := range events {
		b.send(session, busEvent{version: version, Event: Event{
			Type: ev.Kind, Session: session, Data: ev.Data, ID: cursor{version: version, seq: ev.Seq, n: ev.N}.String()}})
	}
	b.send(session, busEvent{version: version, rested: rested})
}

// stir notifies the watchers of every ancestor of a session that the session has come to
// rest.
func (b *eventBus) stir(session string) {
	for at := strings.LastIndexByte(session, '/'); at > 0; at = strings.LastIndexByte(session[:at], '/') {
		b.mu.Lock()
		for w := range b.watchers[session[:at]] {
			select {
			case w.below <- struct{}{}:
			default:
			}
		}
		b.mu.Unlock()
	}
}

// A cursor is a position in a session's events; its text form is the event id.
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
