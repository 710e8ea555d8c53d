package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestNoLevelStarves: while calls of people and of priority 1 always wait, each call of another level
// begins after a bounded number of others, in a pool of its own and where the slots of the engine are the scarce ones.
func TestNoLevelStarves(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		functions := 1 + r.IntN(3)
		s := &slots{free: 1 + r.IntN(3), pools: map[string]*slotPool{}}
		pool := func(i int) *slotPool { return s.pools[fmt.Sprint(i)] }
		for i := range functions {
			n := 1 + r.IntN(4)
			s.pools[fmt.Sprint(i)] = &slotPool{limit: n, free: n, levels: map[int]*turns{}}
		}
		q := &queued{s: s, ahead: map[*slotWaiter]int{}, in: map[*slotWaiter]*slotPool{}}
		for range 400 {
			for i := range functions { // the flood
				for level := range 2 {
					for q.waiting(pool(i), level) < 3 {
						q.add(pool(i), level, fmt.Sprint("flood", r.IntN(2)))
					}
				}
			}
			if r.IntN(3) == 0 {
				q.add(pool(r.IntN(functions)), 2+r.IntN(8), fmt.Sprint("w", r.IntN(3)))
			}
			s.grant()
			q.began()
			q.end(r)
		}
		// Behind at most the ten levels of each function; twice that, as calls of other functions begin while
		// its own has no free slot.
		bound := 2 * (levelPassedOver + 10*functions) * functions
		for w, n := range q.slowest {
			if n > bound*(q.ahead[w]+1) {
				t.Fatalf("seed %d: a call of level %d with %d calls of its level ahead began after %d others, want at most %d", seed, w.level, q.ahead[w], n, bound*(q.ahead[w]+1))
			}
		}
	}
}

// queued follows calls from their arrival to their end.
type queued struct {
	s       *slots
	in      map[*slotWaiter]*slotPool
	ahead   map[*slotWaiter]int // calls of its level and pool at its arrival
	arrived map[*slotWaiter]int // calls that had begun by then
	slowest map[*slotWaiter]int // calls that began before it
	running []*slotWaiter
	grants  int
}

func (q *queued) waiting(p *slotPool, level int) int {
	n := 0
	if t := p.levels[level]; t != nil {
		for _, list := range t.of {
			n += list.Len()
		}
	}
	return n
}

func (q *queued) add(p *slotPool, level int, workflow string) {
	if q.arrived == nil {
		q.arrived, q.slowest = map[*slotWaiter]int{}, map[*slotWaiter]int{}
	}
	w := &slotWaiter{caller: caller{workflow: workflow, level: level}, granted: make(chan struct{})}
	q.ahead[w], q.arrived[w], q.in[w] = q.waiting(p, level), q.grants, p
	q.s.enqueue(p, w)
}

// began notes the calls that have a slot now, and those that wait longer than any before.
func (q *queued) began() {
	var started []*slotWaiter
	for w := range q.arrived {
		if w.in == nil {
			started = append(started, w)
		}
	}
	q.grants += len(started)
	q.running = append(q.running, started...)
	for w, at := range q.arrived {
		if w.level > 1 { // others are the flood
			q.slowest[w] = q.grants - at
		}
		if w.in == nil {
			delete(q.arrived, w)
		}
	}
}

// end ends one of the calls under way.
func (q *queued) end(r *rand.Rand) {
	if len(q.running) == 0 {
		return
	}
	i := r.IntN(len(q.running))
	w := q.running[i]
	q.running = append(q.running[:i], q.running[i+1:]...)
	q.in[w].free++
	q.s.free++
}
