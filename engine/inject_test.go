package engine_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// TestInject delivers requests in the middle of scenarios: each kind, to the session and to
// a live child of it, before each call that the engine makes to its store, once in a play.
// Afterwards an oracle looks for sessions that are stuck, for acknowledged requests without
// effect and for steps that ran more or less often than the graph says.
//
// The product of all that is large: a default run plays one in STEPGRAPH_INJECT_EVERY (64)
// of each scenario's injections, at least one, chosen by a hash of the injection, so that
// every run plays the same ones; STEPGRAPH_INJECT_EVERY=1 plays all, as make verify does. STEPGRAPH_INJECT="…", as a violation prints it,
// plays one.
func TestInject(t *testing.T) {
	defer oneProcessor()()
	if text := os.Getenv("STEPGRAPH_INJECT"); text != "" {
		i, err := parseInjection(text)
		if err != nil {
			t.Fatal(err)
		}
		s := readScenario(t, "testdata/scenarios/"+i.scenario+".txtar")
		for _, v := range judgeInjection(t, s, memoryStore, i, reference(t, s, memoryStore)) {
			t.Errorf("%s: %s", v.reason, v.detail)
		}
		return
	}
	sample(t, memoryStore, injectEvery(t, 64))
}

// oneProcessor lets goroutines run one at a time until the func it returns is called: then
// they take turns in nearly the same order in each play, and an injection can be repeated.
func oneProcessor() func() {
	before := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}

// sample plays one in so many of all injections.
func sample(t *testing.T, open func(*testing.T) engine.Store, every int) {
	var all tallyOfInjections
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			all.scenarios++
			ref := reference(t, s, memoryStore)
			for _, v := range ref.own {
				t.Logf("without an injection: %s: %s", v.reason, v.detail)
			}
			list := product(s, ref.calls)
			all.product += len(list)
			for _, i := range oneIn(every, list) {
				all.add(t, i, judgeInjection(t, s, open, i, ref))
			}
		})
	}
	all.report(t)
}

func injectEvery(t *testing.T, otherwise int) int {
	text := cmp.Or(os.Getenv("STEPGRAPH_INJECT_EVERY"), fmt.Sprint(otherwise))
	n := 0
	if _, err := fmt.Sscan(text, &n); err != nil || n < 1 {
		t.Fatalf("STEPGRAPH_INJECT_EVERY is %q, want a whole number", text)
	}
	return n
}

// hash decides whether a run that does not play all plays the injection.
func (i injection) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, i)
	return h.Sum64() >> 8
}

// oneIn is the part of a scenario's injections that a run plays: those of the lowest hashes,
// so that the scenarios with few calls are played too.
func oneIn(every int, list []injection) []injection {
	if every == 1 {
		return list
	}
	sorted := slices.SortedFunc(slices.Values(list), func(a, b injection) int { return cmp.Compare(a.hash(), b.hash()) })
	return sorted[:(len(sorted)+every-1)/every]
}

// product is every injection into a scenario whose engine makes these calls.
func product(s *scenario, calls map[string]int) []injection {
	targets := []bool{false}
	if s.startsChildren() {
		targets = append(targets, true)
	}
	var all []injection
	for _, method := range slices.Sorted(maps.Keys(calls)) {
		for k := 1; k <= calls[method]; k++ {
			for _, request := range injectionNames() {
				for _, child := range targets {
					for _, inside := range []bool{false, true} {
						all = append(all, injection{s.name, point{method, k}, request, child, inside})
					}
				}
			}
		}
	}
	return all
}

func (s *scenario) startsChildren() bool {
	return slices.ContainsFunc(s.workflow.Steps, func(step engine.Step) bool {
		return slices.Contains([]string{"children", "map", "subflow"}, step.Function)
	})
}

// A referencePlay is a play without an injection.
type referencePlay struct {
	left  *leavings
	calls map[string]int
	own   []violation // reasons that the scenario has by itself
}

func reference(t *testing.T, s *scenario, open func(*testing.T) engine.Store) (r referencePlay) {
	synctest.Test(t, func(t *testing.T) {
		p := playInjected(t, s, open(t), true, injection{})
		r.own = p.judge(nil)
		r.left, r.calls = p.leavings(), p.calls
	})
	return r
}

// judgeInjection plays one injection and returns what is wrong because of it.
func judgeInjection(t *testing.T, s *scenario, open func(*testing.T) engine.Store, i injection, ref referencePlay) (wrong []violation) {
	synctest.Test(t, func(t *testing.T) { wrong = ref.judge(playInjected(t, s, open(t), true, i)) })
	return wrong
}

// judge returns what a play violates and the play without an injection does not.
func (r *referencePlay) judge(p *injected) []violation {
	return slices.DeleteFunc(p.judge(r.left), func(v violation) bool {
		return slices.ContainsFunc(r.own, func(o violation) bool { return o.reason == v.reason })
	})
}

// sampleOnServer plays a few injections on a store with a clock of its own. Scenarios in
// which time matters, or an engine dies, are left to the stores that go by the fake clock.
func sampleOnServer(t *testing.T, store engine.Store, every int) {
	var all tallyOfInjections
	for _, s := range scenarios(t) {
		if s.timed() {
			continue
		}
		all.scenarios++
		ref := reference(t, s, memoryStore)
		list := product(s, ref.calls)
		all.product += len(list)
		for _, i := range list {
			if i.hash()%uint64(every) == 0 {
				p := playInjected(t, s, store, false, i)
				all.add(t, i, ref.judge(p))
				p.cleanUp(t)
			}
		}
	}
	all.report(t)
}

// timed reports whether what a scenario shows depends on how much time passes.
func (s *scenario) timed() bool {
	return s.has("tick") || s.has("crash") || s.has("restart") || s.has("delete") ||
		slices.ContainsFunc(s.workflow.Steps, func(step engine.Step) bool { return step.Retry != "" || step.Timeout != "" })
}

// A tallyOfInjections counts what a run has played and found.
type tallyOfInjections struct {
	scenarios, product, plays int
	byReason                  map[string]int
	first                     map[string]injection
}

// add counts a play, and fails the test for what is wrong.
func (a *tallyOfInjections) add(t *testing.T, i injection, wrong []violation) {
	a.plays++
	if a.byReason == nil {
		a.byReason, a.first = map[string]int{}, map[string]injection{}
	}
	for _, v := range wrong {
		if a.byReason[v.reason]++; a.byReason[v.reason] == 1 {
			a.first[v.reason] = i
		}
		t.Errorf("%s: %s\n%s", v.reason, v.detail, i.replay())
	}
}

// replay is the line that repeats the injection.
func (i injection) replay() string {
	return fmt.Sprintf("STEPGRAPH_INJECT='%s' go test ./engine -run 'TestInject$'", i)
}

func (a *tallyOfInjections) report(t *testing.T) {
	t.Logf("injected: %d scenarios, %d of %d injections played", a.scenarios, a.plays, a.product)
	for _, reason := range slices.Sorted(maps.Keys(a.byReason)) {
		t.Logf("violated: %5d %s, first by %s", a.byReason[reason], reason, a.first[reason])
	}
}

// TestInjectFound replays injections that have found a violation once.
func TestInjectFound(t *testing.T) {
	defer oneProcessor()()
	for text, cause := range map[string]string{
		"state_edit Session/4 answer session outside":         "an edit of the state passed an answer that was not applied yet",
		"state_put_back ClaimBatch/1 cancel session inside":   "an open question put back into a cancelled session left it cancelled",
		"edit_question Commit/1 remove session outside":       "a STEP put back without its paths is not gone: its answer completes the session",
		"gone_call Workflows/4 move session outside":          "a step that a move closed was to run once more and never did",
		"agent_asks Commit/3 move session inside":             "a move to a step under way as an agent's tool was accepted and came to nothing",
		"again_moved Commit/3 cancel session outside":         "a session was stored as complete, past a cancel, while a cancelled call was under way",
		"again_moved Commit/3 cancel session inside":          "a session was stored as complete, past a cancel, while a cancelled call was under way",
		"again_moved Workflows/8 cancel session outside":      "a session was stored as complete, past a cancel, while a cancelled call was under way",
		"state_edit_cancelled Deliver/1 pause session inside": "a session that was paused, cancelled and revived stayed paused",
		"question_due Workflows/6 pause session inside":       "the play did not lift a pause that was accepted late",
		"rounds_join Commit/2 remove session outside":         "the oracle missed that the visit had finished before its STEP was removed",
		"state_edit_held Session/3 retry session outside":     "the play did not repeat an edit that was refused because of what the session did just then",
	} {
		i, err := parseInjection(text)
		if err != nil {
			t.Fatal(err)
		}
		s := readScenario(t, "testdata/scenarios/"+i.scenario+".txtar")
		for _, v := range judgeInjection(t, s, memoryStore, i, reference(t, s, memoryStore)) {
			t.Errorf("%s: %s (%s)\n%s", v.reason, v.detail, cause, i.replay())
		}
	}
}

// TestInjectSQLite plays a few of the injections on SQLite.
func TestInjectSQLite(t *testing.T) {
	open := func(t *testing.T) engine.Store {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "inject.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}
	defer oneProcessor()()
	sample(t, open, 10*injectEvery(t, 64))
}

func memoryStore(*testing.T) engine.Store { return memory.New(memory.Options{}) }
