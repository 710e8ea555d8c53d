package engine

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/store"
)

// An eventBus delivers the events of sessions to watchers in this process, also what other engines
// tell of them by a Relay. A watcher that does not keep up loses events and reads the missed ones
// from the history.
type eventBus struct {
	relay Relay // nil for none

	mu       sync.Mutex
	watchers map[string]map[*watcher]bool
	stops    map[string]func() // by session with watchers: ends listening to other engines
}

// A watcher receives the events of one session.
type watcher struct {
	events chan busEvent        // nil for a watcher that only waits until the session is at rest
	missed chan struct{}        // capacity 1: events were dropped
	rested chan struct{}        // capacity 1: the lease was given up
	rest   *store.SessionRecord // the session as it was then, if this engine gave the lease up; guarded by eventBus.mu
	below  chan struct{}        // capacity 1: a descendant session has come to rest
}

// busEvent is an event with the version of its checkpoint, 0 for a provisional event. A nudge has
// no event: it follows the events of every checkpoint, and is sent when the session comes to rest.
type busEvent struct {
	Event
	version int64
	rested  bool                 // a nudge: the lease was given up
	rest    *store.SessionRecord // with rested: the session then, if known
	notice  *notice              // of another engine's checkpoint; then there is no Event
}

// watcherRoom is the number of events buffered for a watcher.
const watcherRoom = 256

func newEventBus(relay Relay) *eventBus {
	return &eventBus{relay: relay, watchers: map[string]map[*watcher]bool{}, stops: map[string]func(){}}
}

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
		if stop := b.listen(session); stop != nil {
			b.stops[session] = stop
		}
	}
	b.watchers[session][w] = true
	return w, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers[session], w)
		if len(b.watchers[session]) == 0 {
			delete(b.watchers, session)
			if stop := b.stops[session]; stop != nil {
				delete(b.stops, session)
				stop()
			}
		}
	}
}

func (b *eventBus) send(session string, ev busEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.watchers[session] {
		if ev.rested {
			if ev.rest != nil && ev.rest.State != nil {
				w.rest = ev.rest
			}
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

// each calls f for every watcher of a session.
func (b *eventBus) each(session string, f func(w *watcher)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.watchers[session] {
		f(w)
	}
}

// publish sends a provisional event.
func (b *eventBus) publish(ev Event) {
	b.send(ev.Session, busEvent{Event: ev})
	if token, ok := ev.Data.(TokenEvent); ok {
		b.tell(ev.Session, notice{Token: &token})
	}
}

// takeRest returns the session as it was when this engine gave its lease up last, once; nil for none.
func (b *eventBus) takeRest(w *watcher) *store.SessionRecord {
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := w.rest
	w.rest = nil
	return rest
}

// publishAll sends the events of a written checkpoint, and a nudge. rested is the session as the
// checkpoint left it, if that gave up the lease.
func (b *eventBus) publishAll(session string, version int64, events []event.Noted, rested *store.SessionRecord) {
	if rested != nil {
		b.notifyAncestors(session)
	}
	if b.relay != nil {
		b.tell(session, noticeOf(version, events, rested != nil))
	}
	if !b.watched(session) {
		return
	}
	for _, ev := range events {
		b.send(session, busEvent{version: version, Event: Event{
			Type: ev.Kind, Session: session, Data: ev.Data, ID: cursor{version: version, seq: ev.Seq, n: ev.N}.String()}})
	}
	b.send(session, busEvent{version: version, rested: rested != nil, rest: rested})
}

// notifyAncestors notifies the watchers of every ancestor of a session that the session has come to
// rest.
func (b *eventBus) notifyAncestors(session string) {
	for at := strings.LastIndexByte(session, '/'); at > 0; at = strings.LastIndexByte(session[:at], '/') {
		b.each(session[:at], func(w *watcher) { signal(w.below) })
		b.tell(session[:at], notice{Below: true})
	}
}

// tell sends a notice about a session to the other engines.
func (b *eventBus) tell(session string, n notice) {
	if b.relay == nil {
		return
	}
	data, err := json.Marshal(n)
	if err == nil {
		b.relay.Send(topicSession+session, data)
	}
}

// listen subscribes to what other engines tell about a session; nil without a relay.
func (b *eventBus) listen(session string) (stop func()) {
	if b.relay == nil {
		return nil
	}
	return b.relay.Listen(topicSession+session, func(data []byte) {
		var n notice
		if json.Unmarshal(data, &n) != nil {
			return // of a later version
		}
		switch {
		case n.Token != nil:
			b.send(session, busEvent{Event: Event{Type: EventToken, Session: session, Data: *n.Token}})
		case n.Below:
			b.each(session, func(w *watcher) { signal(w.below) })
		default:
			b.send(session, busEvent{version: n.Version, rested: n.Rested, notice: &n})
		}
	}, func() {
		b.each(session, func(w *watcher) {
			signal(w.rested)
			if w.missed != nil {
				signal(w.missed)
			}
		})
	})
}

// tellInbox tells the other engines that a session that one of them may hold has a new request, or,
// with an empty id, that work has become due.
func (b *eventBus) tellInbox(session string) {
	if b.relay != nil {
		b.relay.Send(topicInbox, []byte(session))
	}
}

// A cursor is a position in a session's events; its text form is the event id.
type cursor struct {
	version int64 // of the session
	seq     int64 // of EXECUTION
	n       int64 // of MESSAGE
}

func (c cursor) String() string {
	b := strconv.AppendInt(make([]byte, 0, 24), c.version, 10)
	b = strconv.AppendInt(append(b, '-'), c.seq, 10)
	return string(strconv.AppendInt(append(b, '-'), c.n, 10))
}

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
