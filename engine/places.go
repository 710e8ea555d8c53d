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
// One workflow alone gets no more than three quarters of either bound: leases cannot be taken
// back, so what is left for other workflows has to be free before they come. The last
// quarter goes to workflows that hold less than an equal share, and half of it to nothing
// but requests from people.
type places struct {
	running share         // sessions that hold a place
	held    share         // these and those that wait for a slot
	refused bool          // something was left due for want of a place
	late    time.Duration // for how long the first of that has been due
}

// A share is a bounded number and how much of it each workflow has.
type share struct {
	most int
	all  int
	of   map[string]int
}

// Who asks for a place: each sees a bound of its own.
type haste int

const (
	unhurried haste = iota // due work, items of batches
	started                // a start
	urgent                 // an answer or another request of a person
)

func newPlaces(o Options) places {
	return places{
		running: share{most: o.MaxSessions, of: map[string]int{}},
		held:    share{most: o.MaxSessions + o.MaxWaiting, of: map[string]int{}},
	}
}

func (s *share) add(workflow string, n int) {
	s.all += n
	if s.of[workflow] += n; s.of[workflow] == 0 {
		delete(s.of, workflow)
	}
}

// line is what anybody may use, whatever it has already.
func (s *share) line() int { return s.most - s.most/4 }

// forWork is what work that nobody waits for may use.
func (s *share) forWork() int { return s.most - s.most/8 }

// equal is the share of one workflow if one more came.
func (s *share) equal() int { return max(1, s.most/(len(s.of)+1)) }

// allows reports whether a workflow may have one more.
func (s *share) allows(workflow string, h haste) bool {
	switch {
	case s.all < s.line():
		return true
	case h == urgent:
		return s.all < s.most
	case h == unhurried && s.all >= s.forWork():
		return false
	}
	return s.all < s.most && s.of[workflow] < s.equal()
}

// atOnce is how many sessions of any workflow but those of over may be claimed at once.
// Above the line it is half of what is left: one claim may bring sessions of one workflow
// only, and the next workflow must find something too.
func (s *share) atOnce() (n int, over []string) {
	if s.all < s.line() {
		return s.line() - s.all, nil
	}
	for w, n := range s.of {
		if n >= s.equal() {
			over = append(over, w)
		}
	}
	return (s.forWork() - s.all + 1) / 2, over
}

type hasteKey struct{}

// withoutHaste marks requests that nobody waits for: items of batches.
func withoutHaste(ctx context.Context) context.Context {
	return context.WithValue(ctx, hasteKey{}, true)
}

func hasteOf(ctx context.Context) haste {
	if ctx.Value(hasteKey{}) != nil {
		return unhurried
	}
	return urgent
}

// holding is the sessions that an engine holds, and the room it has for more.
type holding struct {
	alarms

	mu       sync.Mutex
	runners  map[string]*held // sessions this engine holds, by id
	places   places
	left     map[string]time.Time // sessions left to other engines, and until when, see peers.go
	polled   pulse                // the searches for due work
	running  bool
	stopping bool
	work     sync.WaitGroup // runners under way
	life     context.Context
	end      context.CancelCauseFunc
}

// A held session is one that this engine runs.
type held struct {
	*session.Runner
	seat *seat
}

// A place is room for one more session in this engine, held from before a claim is asked
// for until its runner ends.
type place struct{ workflow string }

// anyWorkflow stands for the workflow of a session that is not known before it is claimed.
const anyWorkflow = "\x00"

// reserve takes a place for a session, or nothing when this
// engine does not run, holds the session already or has no room.
func (h *holding) reserve(id, workflow string, why haste) *place {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running || h.runners[id] != nil {
		return nil
	}
	if !h.places.running.allows(workflow, why) || why != urgent && !h.places.held.allows(workflow, why) {
		h.places.refused = true
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

// giveBack frees a place that no runner has.
func (h *holding) giveBack(p *place) {
	if p == nil {
		return
	}
	h.mu.Lock()
	h.freePlace(p.workflow)
	h.places.held.add(p.workflow, -1)
	h.mu.Unlock()
}

// freePlace looks for due work again if some was left for want of a place.
func (h *holding) freePlace(workflow string) {
	h.places.running.add(workflow, -1)
	if h.places.refused {
		h.places.refused = false
		h.wakeUp()
	}
}

// room reserves places for a claim: how many, and of which workflows none.
func (h *holding) room(most int) (list []*place, skip []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running {
		return nil, nil
	}
	run, over := h.places.running.atOnce()
	hold, overHeld := h.places.held.atOnce()
	n := min(most, run, hold)
	if n < most {
		h.places.refused = true
	}
	for range n {
		p := &place{anyWorkflow}
		h.takePlace(p)
		list = append(list, p)
	}
	return list, append(over, overHeld...)
}

// occupy hands a place to the seat of a session, whose workflow is known now.
func (h *holding) occupy(p *place, s *seat) {
	h.places.running.add(p.workflow, -1)
	h.places.held.add(p.workflow, -1)
	s.has = true
	h.takePlace(&place{s.workflow})
}

// A seat is what a held session has of the engine's places, guarded by Engine.mu.
type seat struct {
	in       *holding
	workflow string
	has      bool // holds a place
	idle     bool // its goroutine waits for calls
	calls    int  // under way, with a slot
	left     bool // the runner has ended
}

// Idle and Calls are session.Seat.
func (s *seat) Idle(idle bool) { s.change(func() { s.idle = idle }) }

// Calls counts a call under way.
func (s *seat) Calls(change int) { s.change(func() { s.calls += change }) }

// change gives the place back or takes it again after f has changed the seat.
func (s *seat) change(f func()) {
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	if s.left {
		return
	}
	f()
	switch wants := !s.idle || s.calls > 0; {
	case wants && !s.has:
		s.has = true
		s.in.places.running.add(s.workflow, 1)
	case !wants && s.has:
		s.has = false
		s.in.freePlace(s.workflow)
	}
}

// leave gives back what a session that ends has of the places. Engine.mu is held.
func (s *seat) leave() {
	if s.left {
		return
	}
	if s.has {
		s.in.freePlace(s.workflow)
	}
	s.in.places.held.add(s.workflow, -1)
	s.has, s.left = false, true
	if s.in.places.refused {
		s.in.places.refused = false
		s.in.wakeUp()
	}
}

// A rotation lets claims of due work go from workflow to workflow: due sessions come oldest
// first, so a workflow with 100,000 of them would else be served before all others. After
// a claim that found as many as it could take, the next one leaves out the workflows it
// has brought, until nothing else is due. Looking past a long row of due sessions costs the
// store, so after a look that found nothing the next rotationRest claims do without.
type rotation struct {
	served map[string]bool
	rest   int
}

const rotationRest = 16

// skip is what the next claim leaves out.
func (t *rotation) skip() []string { return slices.Sorted(maps.Keys(t.served)) }

// claimed notes what a claim has brought; more reports whether there may be other due work.
func (t *rotation) claimed(list []Claimed, limit int) (more bool) {
	filled := len(list) == limit
	if len(t.served) > 0 && !filled {
		if len(list) == 0 {
			t.rest = rotationRest
		}
		t.served = nil
		return true // what was left out is due
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
