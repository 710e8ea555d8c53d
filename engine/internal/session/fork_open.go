package session

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/evaluation"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// An openFinder finds what was open when the execution numbered `first` began: the paths that had
// been taken by then and had not yet led to an ended visit. If such a path leads to a join, the
// join was waiting; otherwise its target step was under way. Searching the visits alone is not
// enough: a waiting join has no visit, and an open question has no EXECUTION yet.
type openFinder struct {
	f     *forking
	all   []store.Execution
	first int64
	last  map[visitKey]int64 // newest execution number of each visit
	taken map[string][]state.TakenPath
}

func (f *forking) findOpen(all []store.Execution, first int64) {
	o := openFinder{f: f, all: all, first: first, last: map[visitKey]int64{}, taken: map[string][]state.TakenPath{}}
	for i := range all {
		o.last[visitKey{all[i].Step, all[i].Visit}] = all[i].Seq
	}
	o.collect()
	for i := range all {
		if x := &all[i]; x.Seq <= first && !f.inside(x) && (x.Seq == first || o.over(x)) {
			o.use(x)
		}
	}
	f.joins = map[string][]state.TakenPath{}
	for _, step := range slices.Sorted(maps.Keys(o.taken)) {
		o.place(step, o.taken[step])
	}
	o.withoutPaths()
	f.findArrivals(all, first)
}

// findArrivals finds the paths that had arrived at steps with `join: required` when the execution
// numbered `first` began. An arrival counts for later visits too, until a back path runs its
// source again. So the waiting joins do not list all arrivals, and every taken path is replayed.
func (f *forking) findArrivals(all []store.Execution, first int64) {
	then := state.New(f.rec.ID)
	arrive := func(target string, from state.TakenPath) {
		if s := f.def.Step(target); s != nil && s.Holder == "" && s.Join == graph.JoinRequired {
			then.Arrive(s, from)
		}
	}
	for i := range all {
		x := &all[i]
		if x.Seq >= first {
			continue
		}
		for _, t := range tookOf(x) { // taken by an operator, or the source's record was cut
			arrive(x.Step, f.named(t))
		}
		evaluated := slices.DeleteFunc(evaluation.Decode(x.Paths), func(p evaluation.Path) bool { return !p.Open })
		for _, p := range evaluated {
			arrive(p.Target, f.named(state.TakenPath{Seq: x.Seq, Path: p.Path}))
		}
		for _, p := range evaluated {
			if path := f.def.Path(p.Path); path != nil && path.Closes && !path.Leaves {
				then.GoBack(f.def, p.Target)
			}
		}
	}
	f.arrived = map[string][]state.TakenPath{}
	for _, id := range then.Arrived() {
		f.arrived[id] = then.AllTakenTo(id)
	}
}

// named returns a path from the history with the properties that its name gives: whether it is a back path.
func (f *forking) named(t state.TakenPath) state.TakenPath {
	path := f.def.Path(t.Path)
	t.Jump = path != nil && path.Closes
	return t
}

// collect finds the paths that had been taken, from the execution of their source or, where that
// record was cut, from the execution they led to.
func (o *openFinder) collect() {
	for i := range o.all {
		x := &o.all[i]
		if o.f.inside(x) {
			continue
		}
		if x.Seq < o.first {
			for _, p := range evaluation.Decode(x.Paths) {
				if p.Open {
					o.add(p.Target, state.TakenPath{Seq: x.Seq, Path: p.Path})
				}
			}
			continue
		}
		for _, t := range tookOf(x) {
			o.add(x.Step, t)
		}
	}
	o.f.state.EachTaken(o.add)
}

func (o *openFinder) add(step string, t state.TakenPath) {
	s := o.f.def.Step(step)
	t = o.f.named(t)
	if s == nil || s.Holder != "" || t.Seq <= 0 || t.Seq >= o.first || slices.Contains(o.taken[step], t) {
		return
	}
	o.taken[step] = append(o.taken[step], t)
}

// over reports whether the visit of an execution had ended for good by then: it was not retried
// later and is not under way now.
func (o *openFinder) over(x *store.Execution) bool {
	key := visitKey{x.Step, x.Visit}
	return o.last[key] < o.first && !o.f.underWay(key)
}

// use removes the paths that led to a visit.
func (o *openFinder) use(x *store.Execution) {
	for _, t := range tookOf(x) {
		o.taken[x.Step] = slices.DeleteFunc(o.taken[x.Step], func(have state.TakenPath) bool { return have.Seq == t.Seq && have.Path == t.Path })
	}
}

// place records what a step was then, given the paths to it that led to no ended visit: a waiting
// join, an open visit, or neither.
func (o *openFinder) place(step string, took []state.TakenPath) {
	if len(took) == 0 {
		return
	}
	sort.SliceStable(took, func(i, j int) bool { return took[i].Seq < took[j].Seq })
	s := o.f.def.Step(step)
	switch {
	case s.Waits():
		o.f.joins[step] = took
	case step == o.f.q.Step: // its visit begins anew in any case
	case s.OnError != graph.OnErrorContinue && o.failed(step): // paths to a step in error activate nothing
	default:
		o.f.live = append(o.f.live, o.visitOf(step, took))
	}
}

// failed reports whether the step was in error at that time.
func (o *openFinder) failed(step string) bool {
	for i := len(o.all) - 1; i >= 0; i-- {
		if x := &o.all[i]; x.Step == step && x.Seq < o.first {
			return x.Status == store.StatusError && o.over(x)
		}
	}
	return false
}

func (o *openFinder) visitOf(step string, took []state.TakenPath) openVisit {
	v := openVisit{step: step, took: took}
	for i := range o.all {
		x := &o.all[i]
		if x.Step != step {
			continue
		}
		v.visit = max(v.visit, x.Visit)
		if x.Seq >= o.first {
			v.visit, v.since = x.Visit, x.StartedAt.UnixMilli()
			return v
		}
	}
	if l := o.f.state.Live(step); l != nil && l.Visit > 0 {
		v.visit = l.Visit
		v.since = o.f.askedAt(step)
		return v
	}
	v.visit++
	return v
}

// askedAt returns when a step's open question was asked, in ms; 0 when there is none.
func (f *forking) askedAt(step string) int64 {
	if q := f.state.Ask(step); q != nil {
		return q.Started
	}
	if l := f.state.Live(step); l != nil && l.Wait != nil {
		return l.Wait.Started
	}
	return 0
}

// withoutPaths adds visits that began by then without a path (the entry, a move, a rollback).
func (o *openFinder) withoutPaths() {
	known := map[string]bool{o.f.q.Step: true}
	for _, v := range o.f.live {
		known[v.step] = true
	}
	add := func(step string, visit int, since int64) {
		if s := o.f.def.Step(step); known[step] || s == nil || s.Holder != "" || since == 0 || since >= o.f.at {
			return
		}
		known[step] = true
		o.f.live = append(o.f.live, openVisit{step: step, visit: visit, since: since})
	}
	for i := range o.all {
		if x := &o.all[i]; x.Seq > o.first && len(x.Took) == 0 && !o.f.inside(x) {
			add(x.Step, x.Visit, x.StartedAt.UnixMilli())
		}
	}
	for _, step := range o.f.state.LiveIDs() {
		l := o.f.state.Live(step)
		if l.Tool == nil && o.f.underWay(visitKey{step, l.Visit}) && !slices.ContainsFunc(l.Took, func(t state.TakenPath) bool { return t.Seq > 0 }) {
			add(step, l.Visit, o.f.askedAt(step))
		}
	}
}

// openNow adds what is open in the session's current state.
func (f *forking) openNow() {
	f.joins = map[string][]state.TakenPath{}
	for _, id := range f.state.WaitingJoins() {
		if s := f.def.Step(id); s != nil && s.Holder == "" {
			f.joins[id] = f.state.TakenTo(id)
		}
	}
	f.arrived = map[string][]state.TakenPath{}
	for _, id := range f.state.Arrived() {
		if s := f.def.Step(id); s != nil && s.Holder == "" {
			f.arrived[id] = f.state.Arrivals(id)
		}
	}
	for _, id := range f.state.LiveIDs() {
		l := f.state.Live(id)
		if s := f.def.Step(id); id == f.q.Step || l.Tool != nil || s != nil && s.Holder != "" || !f.underWay(visitKey{id, l.Visit}) {
			continue
		}
		f.live = append(f.live, openVisit{step: id, visit: l.Visit, took: l.Took, since: f.askedAt(id)})
	}
}

// askedAgain reports whether a message was written by a visit that is made again.
func (f *forking) askedAgain(m *function.Message) bool {
	return slices.ContainsFunc(f.live, func(v openVisit) bool { return v.step == m.Step && v.since > 0 && m.At >= v.since })
}

// settled reports whether an error was handled by a path that was taken after it.
func (f *forking) settled(x *store.Execution) bool {
	return slices.ContainsFunc(evaluation.Decode(x.Paths), func(p evaluation.Path) bool { return p.Open })
}

// tookOf returns the paths that led to an execution, each with the number of the execution that
// took it.
func tookOf(x *store.Execution) []state.TakenPath {
	out := make([]state.TakenPath, 0, len(x.Took))
	for _, t := range x.Took {
		var n int64
		if _, err := fmt.Sscanf(strings.TrimPrefix(t.Execution, x.Session+"/"), "%d", &n); err == nil {
			out = append(out, state.TakenPath{Seq: n, Path: t.Label})
		}
	}
	return out
}

// withoutUndone omits executions that an earlier rollback had undone when the execution numbered
// `first` began.
func (f *forking) withoutUndone(all []store.Execution, first int64) []store.Execution {
	return slices.DeleteFunc(slices.Clone(all), func(x store.Execution) bool {
		return f.state.WasUndone(x.Seq, first)
	})
}

// forking rebuilds an earlier state of a session from its history.
type forking struct {
	store       store.Store
	definitions Definitions
	ctx         context.Context
	q           ForkPoint
	rec         *store.SessionRecord
	def         *graph.Definition
	state       *state.State // the current state
	counted     *state.Counters
	before      []store.Execution            // executions that ended before the visit began
	live        []openVisit                  // other visits that were under way when it began
	joins       map[string][]state.TakenPath // joins that waited then
	arrived     map[string][]state.TakenPath // paths that had arrived at steps with `join: required`
	at          int64                        // when the visit began, ms
}

// An openVisit is a visit that was under way when the visit of a fork or rollback began.
type openVisit struct {
	step  string
	visit int
	took  []state.TakenPath // paths that had led to it by then
	since int64             // when it asked its question or was called, ms; 0 if unknown
}

// A visitKey identifies one visit.
type visitKey struct {
	step  string
	visit int
}

// A ForkPoint names a visit of a session; executions before it are kept.
type ForkPoint struct {
	Step  string
	Visit int             // 0 means the newest
	State json.RawMessage // optional: the state to begin with, instead of the one rebuilt from the history
}

// inside reports whether a visit belonged to a container's or an agent's round. Such a visit
// cannot be begun again alone.
func (f *forking) inside(x *store.Execution) bool {
	s := f.def.Step(x.Step)
	return x.Parent != "" || s != nil && s.Holder != ""
}

// underWay reports whether a visit has begun and not ended in the session's current state.
func (f *forking) underWay(v visitKey) bool {
	return f.state.UnderWay(v.step, v.visit)
}

// first returns the number of the first execution that is undone.
func (f *forking) first() int64 {
	if len(f.before) == 0 {
		return 1
	}
	return f.before[len(f.before)-1].Seq + 1
}
