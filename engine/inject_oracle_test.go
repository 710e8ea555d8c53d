package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/tidwall/gjson"
)

// A found is all that a play leaves of one session.
type found struct {
	rec        *store.SessionRecord
	state      gjson.Result
	executions []engine.Execution
	requests   []engine.Request
	children   []string
}

// leavings is what a play leaves behind, by the sessions' names in the scenario.
type leavings struct {
	order    []string
	sessions map[string]*found
	calls    map[string]int // of effects, by key
	refused  []string       // events of the scenario
}

func (p *injected) leavings() *leavings {
	all := &leavings{sessions: map[string]*found{}, calls: map[string]int{}, refused: p.refused}
	for _, name := range p.family() {
		if f := p.find(p.prefix + name); f != nil {
			all.order = append(all.order, name)
			all.sessions[name] = f
		}
	}
	p.fakes.mu.Lock()
	defer p.fakes.mu.Unlock()
	for key, n := range p.fakes.called {
		parts := strings.Split(key, "/") // …/step/visit/call
		step := p.s.workflow.Step(parts[len(parts)-3])
		if step == nil || step.Function != "stumble" { // see stumbles
			all.calls[p.plain(key)] = n
		}
	}
	return all
}

func (p *injected) find(id string) *found {
	ctx := p.t.Context()
	rec, err := p.store.Session(ctx, id)
	if err != nil {
		if !errors.Is(err, engine.ErrSessionNotFound) {
			p.t.Error(err)
		}
		return nil
	}
	f := &found{rec: rec, state: gjson.ParseBytes(rec.State)}
	var errs [3]error
	f.executions, errs[0] = p.store.Executions(ctx, id, engine.HistoryQuery{Limit: 500})
	f.requests, errs[1] = p.store.AllRequests(ctx, id, engine.HistoryQuery{Limit: 500})
	f.children, errs[2] = p.store.Children(ctx, id)
	if err := errors.Join(errs[:]...); err != nil {
		p.t.Error(err)
	}
	return f
}

func (f *found) readable() bool {
	_, err := engine.ParseState(f.rec.ID, f.rec.State)
	return err == nil
}

func (f *found) own(path string) gjson.Result { return f.state.Get("engine." + path) }

func (f *found) seen() int64 { return gjson.GetBytes(f.rec.Counters, "seen").Int() }

// steps is the status of each step, by id.
func (f *found) steps() map[string]string {
	all := map[string]string{}
	f.state.Get("workflow").ForEach(func(k, v gjson.Result) bool {
		all[k.String()] = v.Get("status").String()
		return true
	})
	return all
}

// judge holds what a play has left to what is true of every play, and a play with a
// neutral request also to the play without it.
func (p *injected) judge(want *leavings) []violation {
	got := p.leavings()
	for _, name := range got.order {
		f := got.sessions[name]
		if !f.readable() {
			continue
		}
		p.atRest(name, f, got)
		p.nothingLeft(name, f)
		p.relatives(name, f, got)
		p.requestsTaken(name, f)
		p.historyOf(name, f)
	}
	p.callsRecorded(got)
	if want != nil && p.sent != "" && p.err == nil {
		p.acknowledged(want, got)
		if len(p.broken) == 0 && injections[p.what.request].neutral && !p.s.steered(p.what.request) {
			p.same(want, got)
		}
	}
	return p.broken
}

// atRest: nobody holds the session, and it is not one that only an engine could move on
// and that no engine will take up.
func (p *injected) atRest(name string, f *found, all *leavings) {
	rec := f.rec
	late := !rec.DueAt.IsZero() && time.Since(rec.DueAt) > 5*time.Second
	switch {
	case rec.Lease != "":
		p.violate("leased and nothing happens", name, "by %s, status %s", rec.LeaseOwner, rec.Status)
	case rec.Status == engine.StatusPaused:
		p.violate("paused for ever", name, "steps %v", f.steps())
	case late:
		p.violate("due and nobody takes it", name, "since %s, status %s", rec.DueAt, rec.Status)
	case rec.Status == engine.StatusActive && rec.DueAt.IsZero() && !f.waitsForChildren(p, all):
		p.violate("active for ever", name, "no due time and no holder, steps %v", f.steps())
	}
}

// waitsForChildren reports whether a child that has not ended can still move the session.
func (f *found) waitsForChildren(p *injected, all *leavings) bool {
	return slices.ContainsFunc(f.liveChildren(), func(id string) bool {
		child := all.sessions[p.plain(id)]
		return child != nil && !hasEnded(child.rec.Status)
	})
}

// liveChildren are the ids of the children that the session waits for.
func (f *found) liveChildren() []string {
	var ids []string
	f.own("driven").ForEach(func(_, step gjson.Result) bool {
		step.Get("children.live").ForEach(func(_, id gjson.Result) bool {
			ids = append(ids, id.String())
			return true
		})
		return true
	})
	return ids
}

// nothingLeft: a complete session has nothing open.
func (p *injected) nothingLeft(name string, f *found) {
	if f.rec.Status != engine.StatusComplete {
		return
	}
	for step, status := range f.steps() {
		switch status {
		case engine.StatusActive, engine.StatusPending, engine.StatusAwaitingInput:
			p.violate("complete with an open step", name, "%s is %s", step, status)
		}
	}
	for _, key := range []string{"joins", "again", "asks", "driven", "held"} {
		if left := f.own(key); left.Exists() && len(left.Map())+len(left.Array()) > 0 {
			p.violate("complete with "+key, name, "%s", left.Raw)
		}
	}
}

// relatives: no parent waits for a child that has ended, and none has ended before its
// children.
func (p *injected) relatives(name string, f *found, all *leavings) {
	for _, id := range f.liveChildren() {
		child := all.sessions[p.plain(id)]
		if child != nil && hasEnded(child.rec.Status) && !hasEnded(f.rec.Status) {
			p.violate("parent waits for a child that has ended", name, "%s is %s", id, child.rec.Status)
		}
	}
	if f.rec.Status != engine.StatusComplete && f.rec.Status != engine.StatusCancelled {
		return
	}
	for _, id := range f.children {
		if child := all.sessions[p.plain(id)]; child != nil && !hasEnded(child.rec.Status) {
			p.violate("child outlives its parent", name, "the parent is %s, %s is %s", f.rec.Status, id, child.rec.Status)
		}
	}
}

// requestsTaken: what is in the inbox was read, and what was acknowledged took effect or
// says why not.
func (p *injected) requestsTaken(name string, f *found) {
	if f.rec.Inbox > f.seen() {
		p.violate("request never read", name, "inbox %d, read up to %d, status %s", f.rec.Inbox, f.seen(), f.rec.Status)
	}
	for _, q := range f.requests {
		switch {
		case q.Kind == store.RequestStart || q.Kind == store.RequestState:
		case !q.Applied && q.N <= f.seen():
			p.violate("request never applied", name, "%d %s", q.N, q.Kind)
		case !q.Applied:
		case q.Kind == engine.RequestAnswer && !answerCounted(q.Outcome):
			p.violate("acknowledged answer dropped", name, "%d %s/%d/%d: %s", q.N, q.Step, q.Visit, q.Ask, q.Outcome)
		case q.Kind == engine.RequestCancel && strings.Contains(q.Outcome, "before") && !strings.Contains(q.Key, "by-parent") && !strings.Contains(q.Outcome, "cancelled"):
			p.violate("acknowledged cancel dropped", name, "%d: %s", q.N, q.Outcome)
		case q.Kind == engine.RequestResume && strings.Contains(q.Outcome, "could not be read"):
			p.violate("answers of a pause stranded", name, "%d: %s", q.N, q.Outcome)
		}
	}
}

// answerCounted: an answer took effect, or the session says why it could not.
func answerCounted(outcome string) bool {
	for _, word := range []string{"applied", "approved", "rejected", "not applied: ", "kept"} {
		if strings.HasPrefix(outcome, word) {
			return true
		}
	}
	return false
}

// historyOf: executions are numbered without gaps, and a visit ends once.
func (p *injected) historyOf(name string, f *found) {
	ended := map[string]int{}
	for i, x := range f.executions {
		if x.Seq != int64(i+1) && !strings.HasPrefix(p.s.name, "history_") {
			p.violate("executions misnumbered", name, "number %d is %d", i+1, x.Seq)
			break
		}
		if x.Status == engine.StatusComplete || x.Status == engine.StatusAnswered {
			key := fmt.Sprintf("%s/%d", x.Step, x.Visit)
			if ended[key]++; ended[key] == 2 {
				p.violate("visit ended twice", name, "%s", key)
			}
		}
	}
}

// callsRecorded: each call of an effect has left an EXECUTION of its own, and none was
// made twice, unless engines died.
func (p *injected) callsRecorded(all *leavings) {
	if p.s.has("crash") || p.s.has("restart") || strings.HasPrefix(p.s.name, "history_") {
		return
	}
	attempts := map[string]int{}
	for name, f := range all.sessions {
		for _, x := range f.executions {
			attempts[fmt.Sprintf("%s/%s/%d", name, x.Step, x.Visit)]++
		}
	}
	for key, n := range all.calls {
		visit := key[:strings.LastIndex(key, "/")]
		if n > 1 && n > attempts[visit] {
			p.violate("effect called too often", key, "%d times, the history has %d attempts", n, attempts[visit])
		}
	}
}

// acknowledged: the request that was injected had its effect on the session.
func (p *injected) acknowledged(want, got *leavings) {
	f := got.sessions[p.plain(p.sent)]
	if f == nil || !f.readable() {
		return
	}
	switch p.what.request {
	case "cancel":
		if f.rec.Status != engine.StatusCancelled && !p.s.revives() {
			p.violate("acknowledged cancel had no effect", p.sent, "it is %s", f.rec.Status)
		}
	case "heard":
		if f.missed() {
			p.violate("acknowledged signal missed", p.sent, "steps %v", f.steps())
		}
	case "remove":
		before := want.sessions[p.plain(p.sent)]
		if before != nil && !p.putBack() && !p.finishedFirst(before, f) && f.rec.Status == engine.StatusComplete && f.steps()[p.removed] != engine.StatusError && f.visits() != before.visits() &&
			len(p.broken) == 0 && !p.s.has("act") && slices.Equal(want.refused, got.refused) {
			p.violate("a removed step ends in silence", p.sent, "%s was removed, steps %v, without that %v", p.removed, f.steps(), before.steps())
		}
	}
}

// finishedFirst reports whether the visit that was under way when its STEP was removed had
// finished and was about to be written: its paths were followed as without the removal.
func (p *injected) finishedFirst(before, f *found) bool {
	with, without := f.pathsOf(p.removed, p.removedVisit), before.pathsOf(p.removed, p.removedVisit)
	return with != "" && with == without
}

// pathsOf are the paths that were evaluated when a visit was complete.
func (f *found) pathsOf(step string, visit int) string {
	for _, x := range f.executions {
		if x.Step == step && x.Visit == visit && (x.Status == engine.StatusComplete || x.Status == engine.StatusAnswered) && len(x.Paths) > 0 {
			return string(x.Paths)
		}
	}
	return ""
}

// putBack reports whether the scenario adds the removed STEP again: a session that moves on
// there goes on in the graph of now, with the paths that the STEP has now.
func (p *injected) putBack() bool {
	w, err := p.other.Workflow(p.t.Context(), p.prefix+"W")
	return err == nil && w.Step(p.removed) != nil
}

// missed reports whether a step timed out waiting for a signal that was kept for nobody.
func (f *found) missed() bool {
	for _, q := range f.requests {
		name := gjson.GetBytes(q.Body, "name").String()
		if q.Kind != engine.RequestSignal || q.Outcome != "kept" {
			continue
		}
		missed := false
		f.state.Get("data.outputs").ForEach(func(_, outputs gjson.Result) bool {
			for _, o := range outputs.Array() {
				missed = missed || o.Get("timed_out").Bool() && o.Get("signal").String() == name
			}
			return true
		})
		if missed {
			return true
		}
	}
	return false
}

// same: the play with a neutral request came to what the play without it came to.
func (p *injected) same(want, got *leavings) {
	for i, e := range p.s.events {
		switch {
		case want.refused[i] == got.refused[i]:
		case p.what.request == "reask", strings.Contains(got.refused[i], "session is busy"),
			strings.Contains(got.refused[i], "version mismatch"):
			return // what follows is another play: an answer behind a reask is refused
		default:
			p.violate("a neutral request changed what is refused", "A", "event %q: want error %q, got %q", e.line, want.refused[i], got.refused[i])
			return
		}
	}
	if a, b := strings.Join(want.order, " "), strings.Join(got.order, " "); a != b {
		p.violate("a neutral request changed the sessions", "A", "want %s, got %s", a, b)
		return
	}
	for _, name := range want.order {
		a, b := want.sessions[name], got.sessions[name]
		if a.rec.Status != b.rec.Status {
			p.violate("a neutral request changed the end", name, "want %s, got %s, steps %v and %v", a.rec.Status, b.rec.Status, a.steps(), b.steps())
			continue
		}
		if x, y := fmt.Sprint(a.steps()), fmt.Sprint(b.steps()); x != y {
			p.violate("a neutral request changed the steps", name, "want %s, got %s", x, y)
			continue
		}
		if x, y := a.visits(), b.visits(); x != y && !p.s.stumbles() {
			p.violate("a neutral request changed how often steps ran", name, "want %s\ngot  %s", x, y)
			continue
		}
		if x, y := p.outputsOf(a), p.outputsOf(b); x != y && p.what.request != "reask" { // it asks what the step asks now
			p.violate("a neutral request changed the outputs", name, "want %s\ngot  %s", x, y)
		}
	}
	x, _ := json.Marshal(want.calls)
	y, _ := json.Marshal(got.calls)
	if string(x) != string(y) {
		p.violate("a neutral request changed the calls", "A", "want %s\ngot  %s", x, y)
	}
}

// stumbles reports whether a step of the scenario is pure and fails as often as it is
// called: it is called again when its checkpoint was refused.
func (s *scenario) stumbles() bool {
	return slices.ContainsFunc(s.workflow.Steps, func(step engine.Step) bool { return step.Function == "stumble" })
}

// visits are the visits that ended well or in error, in no order.
func (f *found) visits() string {
	var all []string
	for _, x := range f.executions {
		if x.Status != engine.StatusLost {
			all = append(all, fmt.Sprintf("%s/%d %s", x.Step, x.Visit, x.Status))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func (p *injected) outputsOf(f *found) string {
	var all []string
	f.state.Get("data.outputs").ForEach(func(k, v gjson.Result) bool {
		all = append(all, p.plain(k.String()+": "+v.Raw))
		return true
	})
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// steered reports whether the scenario itself does what a request does, so that one more
// is not neutral. A retry of a child, too: whether the parent hears of the child's error
// before is up to who is first.
func (s *scenario) steered(request string) bool {
	if s.startsChildren() && strings.Contains(s.sections["events"], "act retry") {
		return true
	}
	same := map[string][]string{"pause": {"pause", "resume"}, "resume": {"pause", "resume"}, "signal": {"signal"}, "reask": {"reask", "move"}}[request]
	return slices.ContainsFunc(s.events, func(e event) bool {
		kind, _, _ := strings.Cut(e.rest, " ")
		return e.verb == "act" && slices.Contains(same, kind)
	})
}

// revives reports whether the scenario itself can take a session out of an end.
func (s *scenario) revives() bool {
	return s.has("state") || s.has("replace-state") || s.has("delete")
}
