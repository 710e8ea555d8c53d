package engine

import (
	"context"
	"strings"
	"time"
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

// ofPerson reports whether somebody waits for what a request does: it is no item of a batch,
// whose keys have a slash, and no word of a child session.
func ofPerson(q *Request) bool {
	return q.Kind != RequestChild && q.Kind != RequestLost && !strings.Contains(q.Key, "/")
}

// A place is room for one more session in this engine, held from before a claim is asked
// for until its runner ends.
type place struct{ workflow string }

// anyWorkflow stands for the workflow of a session that is not known before it is claimed.
const anyWorkflow = "\x00"

// reserve takes a place for a session and a fresh lease for it, or nothing when this
// engine does not run, holds the session already or has no room.
func (e *Engine) reserve(id, workflow string, h haste) (*Lease, *place) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running || e.runners[id] != nil {
		return nil, nil
	}
	if !e.places.running.allows(workflow, h) || h != urgent && !e.places.held.allows(workflow, h) {
		e.places.refused = true
		return nil, nil
	}
	p := &place{workflow}
	e.takePlace(p)
	return e.freshLease(), p
}

func (e *Engine) takePlace(p *place) {
	e.places.running.add(p.workflow, 1)
	e.places.held.add(p.workflow, 1)
}

// giveBack frees a place that no runner has.
func (e *Engine) giveBack(p *place) {
	if p == nil {
		return
	}
	e.mu.Lock()
	e.freePlace(p.workflow)
	e.places.held.add(p.workflow, -1)
	e.mu.Unlock()
}

// freePlace looks for due work again if some was left for want of a place.
func (e *Engine) freePlace(workflow string) {
	e.places.running.add(workflow, -1)
	if e.places.refused {
		e.places.refused = false
		e.wakeUp()
	}
}

// room reserves places for a claim: how many, and of which workflows none.
func (e *Engine) room(most int) (list []*place, skip []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running {
		return nil, nil
	}
	run, over := e.places.running.atOnce()
	hold, overHeld := e.places.held.atOnce()
	n := min(most, run, hold)
	if n < most {
		e.places.refused = true
	}
	for range n {
		p := &place{anyWorkflow}
		e.takePlace(p)
		list = append(list, p)
	}
	return list, append(over, overHeld...)
}

// occupy hands a place to the runner of its session, whose workflow is known now.
func (e *Engine) occupy(p *place, r *runner) {
	e.places.running.add(p.workflow, -1)
	e.places.held.add(p.workflow, -1)
	r.seat = seat{has: true}
	e.takePlace(&place{r.workflow})
}

// A seat is what a runner has of the engine's places, guarded by Engine.mu.
type seat struct {
	has   bool // holds a place
	idle  bool // its goroutine waits for calls
	calls int  // under way, with a slot
	left  bool // the runner has ended
}

// reseat gives the place back or takes it again after f has changed the seat.
func (e *Engine) reseat(r *runner, f func(*seat)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := &r.seat
	if s.left {
		return
	}
	f(s)
	switch wants := !s.idle || s.calls > 0; {
	case wants && !s.has:
		s.has = true
		e.places.running.add(r.workflow, 1)
	case !wants && s.has:
		s.has = false
		e.freePlace(r.workflow)
	}
}

// leave gives back what a runner that ends has of the places. Engine.mu is held.
func (e *Engine) leave(r *runner) {
	if r.seat.left {
		return
	}
	if r.seat.has {
		e.freePlace(r.workflow)
	}
	e.places.held.add(r.workflow, -1)
	r.seat = seat{left: true}
	if e.places.refused {
		e.places.refused = false
		e.wakeUp()
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
func (t *rotation) skip() []string { return sortedKeys(t.served) }

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
		t.served[workflowOf(list[i].Session.Workflow)] = true
	}
	return true
}

// A Load is what an engine holds and does at a moment.
type Load struct {
	Sessions  int                     `json:"sessions" doc:"sessions that run: they hold one of the engine's places"`
	Waiting   int                     `json:"waiting" doc:"sessions that wait for a slot of a function and hold no place"`
	Calls     int                     `json:"calls" doc:"calls of functions with effects under way"`
	Queued    int                     `json:"queued" doc:"calls that wait for a slot"`
	Late      float64                 `json:"late_seconds" doc:"for how long due work has waited for room; 0 while there is room"`
	Limits    LoadLimits              `json:"limits"`
	Workflows map[string]WorkflowLoad `json:"workflows"`
	Functions map[string]FunctionLoad `json:"functions" doc:"those with calls under way or waiting"`
}

// LoadLimits are the bounds of an engine.
type LoadLimits struct {
	Sessions int `json:"sessions"`
	Waiting  int `json:"waiting"`
	Calls    int `json:"calls"`
}

// WorkflowLoad is the part of one workflow.
type WorkflowLoad struct {
	Sessions int `json:"sessions"`
	Waiting  int `json:"waiting"`
}

// FunctionLoad is how a function is called.
type FunctionLoad struct {
	Calls  int `json:"calls"`
	Queued int `json:"queued"`
	Limit  int `json:"limit"`
}

// Load returns what the engine holds and does now.
func (e *Engine) Load() Load {
	out := Load{Workflows: map[string]WorkflowLoad{},
		Limits: LoadLimits{Sessions: e.o.MaxSessions, Waiting: e.o.MaxWaiting, Calls: e.o.Effects}}
	e.mu.Lock()
	out.Sessions = e.places.running.all
	out.Waiting = e.places.held.all - out.Sessions
	out.Late = e.places.late.Seconds()
	for w, held := range e.places.held.of {
		if w != anyWorkflow {
			running := e.places.running.of[w]
			out.Workflows[w] = WorkflowLoad{Sessions: running, Waiting: held - running}
		}
	}
	e.mu.Unlock()
	e.slots.load(&out)
	return out
}

// Overload is told by how late due work is, not by how much of it there is: 100,000 sessions of one
// quick step are no backlog, 2,000 that call a slow model are. While the engine has no room and a
// session has been due for longer than Options.MaxLate, starts that get no place are refused with
// ErrOverloaded. Starts of workflows that hold less than their share still get one. Answers, other
// requests of people and batches are never refused.

// overloadEvery is how often an engine without room looks how late due work is.
const overloadEvery = time.Second

// watchBacklog keeps places.late, how long the session that is due first has been due.
func watchBacklog(ctx context.Context, e *Engine) {
	e.every(ctx, overloadEvery, func() {
		e.mu.Lock()
		full := e.places.refused || e.places.late > 0
		e.mu.Unlock()
		late := time.Duration(0)
		if full {
			next, err := e.store.NextDue(ctx)
			if err != nil || next.IsZero() {
				return
			}
			now, err := e.store.Now(ctx)
			if err != nil {
				return
			}
			late = max(0, now.Sub(next))
		}
		e.mu.Lock()
		e.places.late = late
		e.mu.Unlock()
	})
}

// overloaded is the refusal of a start that got no place, or nil.
func overloaded(e *Engine) error {
	e.mu.Lock()
	late := e.places.late
	e.mu.Unlock()
	if late <= e.o.MaxLate {
		return nil
	}
	return detail(ErrOverloaded, "sessions have been due for %s, and this engine has no room", late.Round(time.Second))
}
