package engine

import (
	"container/list"
	"context"
	"maps"
	"slices"
	"sync"
)

// Slots limit how many calls with effects one engine has under way: in total, and for each
// function. Calls above a limit wait; they are never refused. Calls of sessions that a person has
// moved on come first, then calls by workflow priority. Among equals, workflows take turns, and
// the calls of one workflow are in order of arrival. With a single queue, a person would wait
// behind 1,500 calls of a nightly run.
//
// No level waits for ever: when levelPassedOver calls of better levels have begun before those of a
// level, one of its calls is next, then the count begins anew. Strict levels would leave a workflow of
// priority 9 without a call for as long as those above it have enough work for all slots.
type slots struct {
	mu    sync.Mutex
	free  int // of the engine
	pools map[string]*slotPool
	turn  []*slotPool // pools with calls that wait, next first
}

// A slotPool holds the slots of one function.
type slotPool struct {
	limit, free, queued int

	levels map[int]*turns
}

// turns holds the waiting calls of one priority level, by workflow.
type turns struct {
	of     map[string]*list.List // of *slotWaiter
	next   []string              // workflows with waiting calls, in the order of their turns
	passed int                   // calls of better levels that began while these waited
}

// levelPassedOver is how many calls of better levels may begin before one of a level that waits.
const levelPassedOver = 8

// rank orders levels: those that were passed over often enough come first.
func (t *turns) rank(level int) int {
	if t.passed >= levelPassedOver {
		return levelOfPeople - 1
	}
	return level
}

// A caller identifies the session, the workflow and the priority level of a call.
type caller struct {
	session  string
	workflow string
	level    int // lower first
}

// levelOfPeople precedes every workflow priority.
const levelOfPeople = 0

type slotWaiter struct {
	caller
	granted chan struct{}
	in      *list.Element // nil once granted
}

func newSlots(o Options, r *Registry) *slots {
	s := &slots{free: o.Effects, pools: map[string]*slotPool{}}
	of := map[string]int{}
	for name, n := range o.CallsOf {
		if spec := r.Find(name); spec != nil {
			of[spec.Name] = n
		}
	}
	for _, spec := range r.Specs() {
		n := of[spec.Name]
		if n == 0 {
			n = spec.Limit
		}
		if n == 0 {
			n = o.CallsAtOnce
		}
		s.pools[spec.Name] = &slotPool{limit: n, free: n, levels: map[int]*turns{}}
	}
	return s
}

// take waits for a slot for one call of a function; the returned function releases it.
func (s *slots) take(ctx context.Context, function string, c caller) (func(), error) {
	pool := s.pools[function]
	release := func() {
		s.mu.Lock()
		pool.free++
		s.free++
		s.grant()
		s.mu.Unlock()
	}
	s.mu.Lock()
	if s.free > 0 && pool.free > 0 { // then no call of this function waits
		pool.free--
		s.free--
		s.mu.Unlock()
		return release, nil
	}
	w := &slotWaiter{caller: c, granted: make(chan struct{})}
	s.enqueue(pool, w)
	s.mu.Unlock()
	select {
	case <-w.granted:
		return release, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	waited := w.in != nil
	if waited {
		s.remove(pool, w)
	}
	s.mu.Unlock()
	if !waited {
		release()
	}
	return nil, context.Cause(ctx)
}

func (s *slots) enqueue(pool *slotPool, w *slotWaiter) {
	t := pool.levels[w.level]
	if t == nil {
		t = &turns{of: map[string]*list.List{}}
		pool.levels[w.level] = t
	}
	q := t.of[w.workflow]
	if q == nil {
		q = list.New()
		t.of[w.workflow] = q
		t.next = append(t.next, w.workflow)
	}
	w.in = q.PushBack(w)
	if pool.queued++; pool.queued == 1 {
		s.turn = append(s.turn, pool)
	}
}

// remove removes a call from the queue.
func (s *slots) remove(pool *slotPool, w *slotWaiter) {
	t := pool.levels[w.level]
	q := t.of[w.workflow]
	q.Remove(w.in)
	w.in = nil
	if q.Len() == 0 {
		delete(t.of, w.workflow)
		t.next = without(t.next, w.workflow)
	}
	if len(t.next) == 0 {
		delete(pool.levels, w.level)
	}
	if pool.queued--; pool.queued == 0 {
		s.turn = without(s.turn, pool)
	}
}

func without[T comparable](list []T, x T) []T {
	return slices.DeleteFunc(list, func(y T) bool { return y == x })
}

// grant gives free slots to waiting calls. When the engine's total is the limiting one, functions
// also take turns, within a level.
func (s *slots) grant() {
	for s.free > 0 {
		var best *slotPool
		level, rank := 0, 0
		for _, p := range s.turn {
			if p.free == 0 {
				continue
			}
			if l, r := p.level(); best == nil || r < rank {
				best, level, rank = p, l, r
			}
		}
		if best == nil {
			return
		}
		s.pass(level)
		t := best.levels[level]
		t.passed = 0
		workflow := t.next[0]
		w := t.of[workflow].Front().Value.(*slotWaiter)
		s.remove(best, w)
		if t.of[workflow] != nil { // the other workflows of its level go first now
			t.next = append(t.next[1:], workflow)
		}
		if best.queued > 0 {
			s.turn = append(without(s.turn, best), best)
		}
		best.free--
		s.free--
		close(w.granted)
	}
}

// pass counts a call of a level for the levels below it that could have had its slot of the engine.
func (s *slots) pass(level int) {
	for _, p := range s.turn {
		for l, t := range p.levels {
			if l > level && p.free > 0 {
				t.passed++
			}
		}
	}
}

// last returns the sessions of at most n calls that wait for a slot of a function, those whose
// turn comes last. Calls of sessions that a person has moved on are left out.
func (s *slots) last(function string, n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	levels := s.pools[function].levels
	var found []string
	for _, level := range slices.Backward(slices.Sorted(maps.Keys(levels))) {
		if level == levelOfPeople {
			break
		}
		var ends []*list.Element // of the queues of its workflows
		for _, workflow := range levels[level].next {
			ends = append(ends, levels[level].of[workflow].Back())
		}
		for len(ends) > 0 && len(found) < n {
			end := ends[0]
			found = append(found, end.Value.(*slotWaiter).session)
			if ends = ends[1:]; end.Prev() != nil {
				ends = append(ends, end.Prev())
			}
		}
	}
	return found
}

// level returns the level whose call is next, and its rank.
func (p *slotPool) level() (level, rank int) {
	first := true
	for l, t := range p.levels {
		r := t.rank(l)
		if first || r < rank || r == rank && (t.passed > p.levels[level].passed || t.passed == p.levels[level].passed && l < level) {
			level, rank, first = l, r, false
		}
	}
	return level, rank
}

// load adds the use of the slots to a Load.
func (s *slots) load(out *Load) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Functions = map[string]FunctionLoad{}
	for name, p := range s.pools {
		calls := p.limit - p.free
		out.Calls += calls
		out.Queued += p.queued
		if calls > 0 || p.queued > 0 {
			out.Functions[name] = FunctionLoad{Calls: calls, Queued: p.queued, Limit: p.limit}
		}
	}
}
