package engine_test

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// A reckoning runs a program as one would by hand: part by part, the arms one after the
// other, by recursion and without waves, clock or routes. Programs are drawn so that
// nothing in them depends on who is faster.
type reckoning struct {
	session string
	counts  map[string]int // of the whole family: "session step complete" and "… error"
	visits  map[string]int
	output  map[string]any
	stops   map[string]bool
	stop    map[string][]bool // what the ends of bodies say, visit by visit
	status  map[string]string // complete or error; settled errors are gone from it
	round   map[string]int
	broke   []map[string]bool // for each running body, innermost last, what it breaks out of
	held    []*piece          // the same bodies
}

// How a part ended: what follows it begins, or nothing does, or its failure has to be
// dealt with.
const (
	arrived = "arrived"
	dead    = "dead"
	failed  = "failed"
)

func reckon(p *piece) *reckoning {
	r := newReckoning("A", map[string]int{})
	r.visit("root")
	r.run(p)
	return r
}

func newReckoning(session string, counts map[string]int) *reckoning {
	return &reckoning{session: session, counts: counts, visits: map[string]int{}, output: map[string]any{}, stops: map[string]bool{},
		stop: map[string][]bool{}, status: map[string]string{}, round: map[string]int{}}
}

// sessionStatus is what the session has come to.
func (r *reckoning) sessionStatus() string {
	for _, status := range r.status {
		if status == engine.StatusError {
			return engine.StatusError
		}
	}
	return engine.StatusComplete
}

// passed takes the error a part ended with as dealt with: what follows the part begins.
func (r *reckoning) passed(p *piece) {
	for p.kind == "seq" {
		p = p.parts[len(p.parts)-1]
	}
	if id := p.ends(); r.status[id] == engine.StatusError {
		delete(r.status, id)
		r.settle(p)
	}
}

func (r *reckoning) begin(id string) int {
	r.visits[id]++
	return r.visits[id]
}

func (r *reckoning) complete(id string, output any) {
	r.counts[r.session+" "+id+" complete"]++
	r.status[id], r.output[id] = engine.StatusComplete, output
}

// fail ends a visit in error, and tells how its part ended.
func (r *reckoning) fail(id, onError string) string {
	r.counts[r.session+" "+id+" error"]++
	r.status[id] = engine.StatusError
	if onError == engine.OnErrorContinue {
		r.output[id], r.stops[id] = failed, false
		return arrived
	}
	return failed
}

// visit runs a plain step.
func (r *reckoning) visit(id string) int {
	n := r.begin(id)
	r.stops[id] = at(r.stop[id], n)
	r.complete(id, fmt.Sprintf("%s#%d@%s", id, n, r.place()))
	return n
}

func (r *reckoning) place() string {
	for i := len(r.held) - 1; i >= 0; i-- {
		if r.held[i].kind != "group" {
			return fmt.Sprint(r.round[r.held[i].id])
		}
	}
	return "none"
}

func (r *reckoning) run(p *piece) string {
	switch p.kind {
	case "seq":
		for i, inner := range p.parts {
			if end := r.run(inner); end != arrived {
				return end
			}
			if i < len(p.parts)-1 {
				r.passed(inner)
			}
		}
		return arrived
	case "act":
		return r.act(p)
	case "choose":
		if arm := at(p.picks, r.visit(p.id)); arm >= 0 {
			if end := r.run(p.parts[arm]); end != arrived {
				return end
			}
			r.passed(p.parts[arm])
		}
		r.visit(p.id + "m")
		return arrived
	case "par":
		return r.par(p)
	case "repeat":
		for {
			if end := r.run(p.parts[0]); end != arrived {
				return end
			}
			r.passed(p.parts[0])
			if r.visit(p.id)%p.times == 0 {
				return arrived
			}
		}
	case "rounds":
		return r.rounds(p)
	case "group":
		return r.group(p)
	case "children":
		return r.children(p)
	}
	return r.agent(p)
}

func (r *reckoning) act(p *piece) string {
	if at(p.does, r.visits[p.id]+1) == "fail" {
		r.begin(p.id)
		return r.fail(p.id, p.onError)
	}
	n := r.visit(p.id)
	if p.breaks != "" && at(p.leaves, n) {
		r.broke[len(r.broke)-1][p.breaks] = true
		if !p.stays {
			return dead
		}
	}
	return arrived
}

func (r *reckoning) par(p *piece) string {
	open := at(p.opens, r.visit(p.id))
	end := dead
	for i, arm := range p.parts {
		if open&(1<<i) != 0 && r.run(arm) == arrived {
			end = arrived
			r.passed(arm)
		}
	}
	if end == arrived {
		r.visit(p.id + "m")
	}
	return end
}

// enter begins a body, leave ends it and gives what it broke out of.
func (r *reckoning) enter(p *piece) {
	r.broke, r.held = append(r.broke, map[string]bool{}), append(r.held, p)
}

func (r *reckoning) leave() map[string]bool {
	last := len(r.broke) - 1
	broke := r.broke[last]
	r.broke, r.held = r.broke[:last], r.held[:last]
	return broke
}

// onward goes on after a body: by the way out when it was broken, to the bodies around it
// when it broke out of those.
func (r *reckoning) onward(p *piece, broke map[string]bool) string {
	for id := range broke {
		if id != p.id {
			r.broke[len(r.broke)-1][id] = true
		}
	}
	if len(broke) > 0 && !broke[p.id] {
		return dead
	}
	if broke[p.id] {
		r.visit(p.id + "e")
	}
	if p.escape {
		if r.status[p.id] == engine.StatusError {
			delete(r.status, p.id)
			r.settle(p)
		}
		r.visit(p.id + "m")
	}
	return arrived
}

// clear forgets how the steps of a body ended, at any depth.
func (r *reckoning) clear(p *piece) { r.inside(p, func(id string) { delete(r.status, id) }) }

// settle takes the errors of a body as dealt with, and those that made its containers fail.
func (r *reckoning) settle(p *piece) {
	for _, inner := range p.parts {
		wrong := r.status[inner.id] == engine.StatusError
		if wrong {
			delete(r.status, inner.id)
		}
		if wrong || !inner.container() && inner.kind != "scripted_agent" {
			r.settle(inner)
		}
	}
}

// settleCause takes the one error that ended a round as dealt with, not those of steps
// after which the round went on.
func (r *reckoning) settleCause(p *piece) {
	for _, inner := range p.parts {
		switch {
		case r.status[inner.id] == engine.StatusError && inner.onError == "":
			delete(r.status, inner.id)
			r.settle(inner)
		case !inner.container() && inner.kind != "scripted_agent":
			r.settleCause(inner)
		}
	}
}

func (r *reckoning) inside(p *piece, do func(id string)) {
	for _, inner := range p.parts {
		do(inner.id)
		do(inner.id + "m")
		do(inner.id + "e")
		if inner.kind != "scripted_agent" { // tools stand in no body
			r.inside(inner, do)
		}
	}
}

// result is what the ends of a body have come to in the round that is over.
func (r *reckoning) result(p *piece) any {
	several := map[string]any{}
	for _, chain := range p.parts {
		if id := chain.ends(); r.status[id] != "" {
			several[id] = r.output[id]
		}
	}
	if len(p.parts) == 1 {
		return several[p.parts[0].ends()]
	}
	if len(several) == 0 {
		return nil
	}
	return several
}

func (r *reckoning) rounds(p *piece) string {
	r.begin(p.id)
	r.stops[p.id] = false
	end := p.parts[0].ends()
	if p.until != nil {
		r.stop[end] = p.until
	}
	r.clear(p)
	results, broke := []any{}, map[string]bool{}
	for i := 0; i < p.times && len(broke) == 0; i++ {
		if i > 0 {
			r.clear(p)
		}
		r.round[p.id] = i
		ended := r.chains(p)
		broke = r.leave()
		if ended == failed {
			if p.onError != engine.OnErrorContinue {
				return r.fail(p.id, p.onError)
			}
			r.settleCause(p)
			results = append(results, failed)
		} else {
			results = append(results, r.result(p))
		}
		if p.until != nil && r.stops[end] {
			break
		}
	}
	r.complete(p.id, results)
	return r.onward(p, broke)
}

func (r *reckoning) chains(p *piece) string {
	r.enter(p)
	ended := arrived
	for _, chain := range p.parts {
		if r.run(chain) == failed {
			ended = failed
		}
	}
	return ended
}

func (r *reckoning) group(p *piece) string {
	r.begin(p.id)
	r.clear(p)
	if p.first {
		r.race(p)
	} else {
		r.chains(p)
	}
	broke := r.leave()
	results, won, lost := []any{}, false, false
	for _, chain := range p.parts {
		var result any
		switch id := chain.ends(); r.status[id] {
		case engine.StatusComplete:
			result, won = r.output[id], true
		case engine.StatusError:
			result = failed
		}
		results = append(results, result)
	}
	r.inside(p, func(id string) { lost = lost || r.status[id] == engine.StatusError })
	if !won && lost {
		if r.fail(p.id, p.onError) == failed {
			return failed
		}
		return r.onward(p, nil) // a failure outweighs a break
	}
	r.settle(p)
	r.complete(p.id, results)
	return r.onward(p, broke)
}

// race runs the one that wins, and begins the others: they fail or ask, and nobody
// answers before the winner is there.
func (r *reckoning) race(p *piece) {
	r.enter(p)
	r.run(p.parts[0])
	for _, loser := range p.parts[1:] {
		if r.begin(loser.id); loser.does[0] == "fail" {
			r.fail(loser.id, loser.onError)
		}
	}
}

func (r *reckoning) children(p *piece) string {
	visit := r.begin(p.id)
	results, lost := []any{}, false
	for i := range p.times {
		child := newReckoning(fmt.Sprintf("%s/%s/%d/%d", r.session, p.id, visit, i), r.counts)
		child.round[p.id] = i
		child.chains(p)
		if child.sessionStatus() == engine.StatusError {
			results, lost = append(results, failed), true
			continue
		}
		results = append(results, child.result(p))
	}
	if lost && p.strict {
		return r.fail(p.id, p.onError)
	}
	r.complete(p.id, results)
	return arrived
}

func (r *reckoning) agent(p *piece) string {
	r.begin(p.id)
	heard := []any{}
	for _, calls := range p.calls {
		for _, tool := range calls {
			if tool < 0 {
				heard = append(heard, failed)
				continue
			}
			heard = append(heard, r.call(p.parts[tool]))
		}
	}
	r.complete(p.id, heard)
	return arrived
}

// call runs a tool, which stands in no body, and deals with its error.
func (r *reckoning) call(tool *piece) any {
	broke, held := r.broke, r.held
	r.broke, r.held = nil, nil
	r.run(tool)
	r.broke, r.held = broke, held
	if r.status[tool.id] == engine.StatusError {
		delete(r.status, tool.id)
		r.settle(tool)
		return failed
	}
	return r.output[tool.id]
}
