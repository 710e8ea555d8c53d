package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Places bound how many sessions an engine holds, and share them between workflows.
//
// A session holds a place from before its claim until its runner ends, except while all its
// calls wait for a slot of their function: then it only waits. Without that exception 1,000
// sessions in the queue of one slow function stop every other session of the engine: no
// answer, timer or cancel is looked at until they are through. A session that gets its slot
// takes its place back even if none is free, so running may exceed the bound by as many calls
// as the engine makes at once; the alternative, a queue for places behind the queue for
// slots, would leave slots idle.
//
// Sessions that only wait are bounded too (Options.MaxWaiting), because they cost memory and
// their leases must be extended. What is above the bounds stays due in the store.
//
// Leases cannot be taken back, so an engine that is full of one workflow must still have room for
// the next. One workflow may use all of MaxSessions; workflows that hold less than an equal share
// get up to a quarter more. Of the sessions held, which cost memory, the last quarter is such room.
// Half of the room is open to nothing but starts and requests from people.
type places struct {
	running share         // sessions that hold a place
	held    share         // these and those that wait for a slot
	refused bool          // some due work was left in the store because no place was free
	behind  bool          // the same, until a search finds no more of it
	late    time.Duration // how long the earliest of that work has been due
	overdue time.Duration // the same of all due work in the store, measured with or without room

	freed bool // a place was freed since the newest search for due work began
}

// A share is a limited number of places, and how many each workflow holds.
type share struct {
	line int // any workflow may use so many, whatever it already holds
	most int // what is above line is for workflows that hold less than an equal share
	all  int
	of   map[string]int
}

// haste is the kind of work that asks for a place; each kind has its own limit.
type haste int

const (
	unhurried haste = iota // due work, items of batches
	started                // a start
	urgent                 // an answer or another request of a person
)

func newPlaces(o Options) places {
	held := o.MaxSessions + o.MaxWaiting
	return places{
		running: share{line: o.MaxSessions, most: o.MaxSessions + o.MaxSessions/4, of: map[string]int{}},
		held:    share{line: held - held/4, most: held, of: map[string]int{}},
	}
}

func (s *share) add(workflow string, n int) {
	s.all += n
	if s.of[workflow] += n; s.of[workflow] == 0 {
		delete(s.of, workflow)
	}
}

// forWork is how many places work without a waiting caller may use.
func (s *share) forWork() int { return s.most - (s.most-s.line)/2 }

// equal is the share of one workflow if one more workflow arrived.
func (s *share) equal() int { return max(1, s.most/(len(s.of)+1)) }

// allows reports whether a workflow may take one more place.
func (s *share) allows(workflow string, h haste) bool {
	switch {
	case s.all < s.line:
		return true
	case h == urgent:
		return s.all < s.most
	case h == unhurried && s.all >= s.forWork():
		return false
	}
	return s.all < s.most && s.of[workflow] < s.equal()
}

// atOnce returns how many sessions may be claimed at once, and the workflows to leave out (over)
// because they hold their share. Above the line it is half of the remaining places: one claim may
// return sessions of a single workflow, and the next workflow must still find a place.
func (s *share) atOnce() (n int, over []string) {
	if s.all < s.line {
		return s.line - s.all, nil
	}
	for w, n := range s.of {
		if n >= s.equal() {
			over = append(over, w)
		}
	}
	return (s.forWork() - s.all + 1) / 2, over
}

type hasteKey struct{}

// withoutHaste marks requests that no caller waits for: items of batches.
func withoutHaste(ctx context.Context) context.Context {
	return context.WithValue(ctx, hasteKey{}, true)
}

func hasteOf(ctx context.Context) haste {
	if ctx.Value(hasteKey{}) != nil {
		return unhurried
	}
	return urgent
}

// holding is the set of sessions that an engine holds, and its free places. The engine's loops,
// starts and requests use it, all under mu.
//
// A place is reserved before a lease is taken, so an engine never holds a lease that it cannot
// work on. A session enters runners when its lease was taken, and leaves when its runner has
// ended. There is at most one runner for an id: a newer lease makes the older runner stop.
// work counts the runners, so that Run returns only after the last of them has ended.
type holding struct {
	alarms

	mu       sync.Mutex
	runners  map[string]*held // sessions this engine holds, by id
	coming   map[string]*held // runners of sessions that are being created, by id
	places   places
	left     map[string]time.Time // sessions left to other engines, and until when, see peers.go
	polled   pulse                // the searches for due work
	running  bool
	stopping bool
	work     sync.WaitGroup // runners under way
	life     context.Context
	end      context.CancelCauseFunc

	tellInbox func(session string) // tells the other engines, see eventBus
}

// A held session is one that this engine runs.
type held struct {
	*session.Runner
	seat *seat
}

// A place is capacity for one session in this engine, held from before the claim until the
// session's runner ends.
type place struct{ workflow string }

// anyWorkflow is the workflow of a place for a session that is not known until it is claimed.
const anyWorkflow = "\x00"

// reserve takes a place for a session. It returns nil when this engine does not run, already holds
// the session, or has no free place.
func (h *holding) reserve(id, workflow string, why haste) *place {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running || h.runners[id] != nil {
		return nil
	}
	if !h.places.running.allows(workflow, why) || why != urgent && !h.places.held.allows(workflow, why) {
		h.places.refused, h.places.behind = true, true
		return nil
	}
	if why == started && h.places.behind && h.places.running.of[workflow] >= h.places.running.equal() {
		h.wakeUp() // what is due comes first; a search finds this session behind it
		return nil
	}
	p := &place{workflow}
	h.takePlace(p)
	return p
}

func (h *holding) takePlace(p *place) {
	h.places.running.add(p.workflow, 1)
	h.places.held.add(p.workflow, 1)
}

// giveBack frees a place that no runner uses.
func (h *holding) giveBack(p *place) {
	if p == nil {
		return
	}
	h.mu.Lock()
	h.freePlace(p.workflow)
	h.places.held.add(p.workflow, -1)
	h.mu.Unlock()
}

// freePlace frees a place, and looks for due work again if some was left without a place.
func (h *holding) freePlace(workflow string) {
	h.places.running.add(workflow, -1)
	h.noteFreed()
}

func (h *holding) noteFreed() {
	h.places.freed = true
	if h.places.refused {
		h.places.refused = false
		h.wakeUp()
	}
}

// reserveForClaim reserves places for a claim: it returns the places, and the workflows to leave out. The
// caller calls searched after the claim.
func (h *holding) reserveForClaim(most int) (list []*place, skip []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running {
		return nil, nil
	}
	run, over := h.places.running.atOnce()
	hold, overHeld := h.places.held.atOnce()
	n := min(most, run, hold)
	h.places.freed = false
	if n <= 0 {
		h.places.refused, h.places.behind = true, true
	}
	for range n {
		p := &place{anyWorkflow}
		h.takePlace(p)
		list = append(list, p)
	}
	return list, append(over, overHeld...)
}

// searched ends a search for due work and frees the places that it did not use. left reports that
// it left some work behind for want of places, or may have: then the next free place starts another
// search. A search that found all there was asks for nothing. Otherwise each step of a session
// would start one, as it frees a place.
func (h *holding) searched(unused []*place, left bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range unused {
		h.places.running.add(p.workflow, -1)
		h.places.held.add(p.workflow, -1)
	}
	switch h.places.behind = left; {
	case !left:
	case h.places.freed:
		h.wakeUp()
	default:
		h.places.refused = true
	}
}

// occupy assigns a place to a session's seat, now that its workflow is known.
func (h *holding) occupy(p *place, s *seat) {
	h.places.running.add(p.workflow, -1)
	h.places.held.add(p.workflow, -1)
	s.has = true
	h.takePlace(&place{s.workflow})
}

// A seat is one held session's share of the engine's places, guarded by Engine.mu.
type seat struct {
	in          *holding
	workflow    string
	has         bool // holds a place
	idle        bool // its goroutine waits for calls
	unreachable bool // its database does not answer, see markUnreachable
	calls       int  // calls under way that have a slot
	left        bool // the runner has ended
}

// Idle and Calls are session.Seat.
func (s *seat) Idle(idle bool) { s.change(func() { s.idle = idle }) }

// Calls adds change to the number of calls under way.
func (s *seat) Calls(change int) { s.change(func() { s.calls += change }) }

// change updates the seat with f, and then gives the place back or takes it again as needed.
func (s *seat) change(f func()) {
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	if s.left {
		return
	}
	f()
	s.settle()
}

// settle gives the place back or takes it again as needed. The caller holds Engine.mu.
func (s *seat) settle() {
	switch wants := (!s.idle || s.calls > 0) && !s.unreachable; {
	case s.left:
	case wants && !s.has:
		s.has = true
		s.in.places.running.add(s.workflow, 1)
	case !wants && s.has:
		s.has = false
		s.in.freePlace(s.workflow)
	}
}

// leave frees the places of a session that ends. The caller holds Engine.mu.
func (s *seat) leave() {
	if s.left {
		return
	}
	if s.has {
		s.in.freePlace(s.workflow)
	}
	s.in.places.held.add(s.workflow, -1)
	s.has, s.left = false, true
	s.in.noteFreed()
}

// A rotation makes claims of due work alternate between workflows. Due sessions come oldest first,
// so a workflow with 100,000 of them would otherwise be served before all others. After a claim
// that was full, the next claim leaves out the workflows that it returned, until no other
// workflow has due sessions. Skipping a long row of due sessions costs the store time, so after a
// search that found nothing the next rotationRest claims leave nothing out.
type rotation struct {
	served    map[string]bool
	rest      int
	fruitless bool // the newest search left out workflows that hold their share, and found nothing
}

const rotationRest = 16

// skip returns the workflows that the next claim leaves out.
func (t *rotation) skip() []string { return slices.Sorted(maps.Keys(t.served)) }

// claimed records what a claim returned; more reports whether other work may be due.
func (t *rotation) claimed(list []store.Claimed, limit int) (more bool) {
	filled := len(list) == limit
	if len(t.served) > 0 && !filled {
		if len(list) == 0 {
			t.rest = rotationRest
		}
		t.served = nil
		return true // sessions of the workflows left out are due
	}
	if !filled {
		return false
	}
	if t.rest > 0 {
		t.rest--
		return true
	}
	if t.served == nil {
		t.served = map[string]bool{}
	}
	for i := range list {
		t.served[cmp.Or(list[i].Session.Workflow, graph.DefaultWorkflow)] = true
	}
	return true
}

// hasRoom reports whether the engine runs and a session of some workflow may get a place.
func (h *holding) hasRoom() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.running && h.places.running.all < h.places.running.most
}
