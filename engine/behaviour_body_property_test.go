package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/memory"
	"pgregory.net/rapid"
)

// TestAnyBody plays random programs of containers, child sessions and agents, and wants
// every step of every session to end as often as it does when the program is reckoned by
// hand, every container to give the same results in the same order, and no session to
// hang. STEPGRAPH_BODIES says how many programs there are.
func TestAnyBody(t *testing.T) {
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		if err := f.Value.Set(cmp.Or(os.Getenv("STEPGRAPH_BODIES"), "2000")); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Value.Set(f.DefValue) }()
	}
	programs, steps, crashes, polled := 0, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := bodyPlans().Draw(rt, "plan")
		want := reckon(p.program)
		expected := bodyText(want.sessionStatus(), want.counts, want.output)
		var got *bodyPlay
		synctest.Test(t, func(t *testing.T) { got = playBody(t, p) })
		if text := bodyText(got.status, got.counts, got.output); text != expected {
			rt.Fatalf("%s\n%+v %v\n--- only the model, or only the engine\n%s--- steps\n%s%s", p.program, p.pick, p.crash,
				difference(expected, text), got.look, got.problem)
		}
		programs++
		crashes += got.crashes
		polled += got.polled
		for _, n := range got.counts {
			steps += n
		}
	})
	t.Logf("%d programs, %d visits of steps, %d crashes, polled for %d times", programs, steps, crashes, polled)
}

// bodyText shows what came of a program, a line for each step.
func bodyText(status string, counts map[string]int, output map[string]any) string {
	var b strings.Builder
	fmt.Fprintln(&b, status)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%s: %d\n", key, counts[key])
	}
	for _, id := range slices.Sorted(maps.Keys(output)) {
		fmt.Fprintf(&b, "%s gave %s\n", id, marshalText(output[id]))
	}
	return b.String()
}

// A bodyPlay is one play of a program on real engines, one after the other.
type bodyPlay struct {
	t       *testing.T
	plan    bodyPlan
	drawing *drawing
	store   engine.Store
	engine  *engine.Engine
	process *faults.Store
	stop    func()

	status  string
	counts  map[string]int
	output  map[string]any
	look    string
	problem string
	crashes int
	polled  int // times it had to be polled for
}

func playBody(t *testing.T, p bodyPlan) *bodyPlay {
	b := &bodyPlay{t: t, plan: p, drawing: draw(p.program), store: memory.New(memory.Options{}), counts: map[string]int{}, output: map[string]any{}}
	b.start()
	defer func() { b.stop() }()
	if err := b.play(); err != nil {
		b.problem = err.Error()
	}
	return b
}

func (b *bodyPlay) start() {
	b.process = faults.Wrap(b.store, faults.Plan{})
	b.engine = engine.New(b.process, b.drawing.registry(), engine.Options{})
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.t.Context()))
	done := make(chan error, 1)
	running := b.engine
	go func() { done <- running.Run(ctx) }()
	b.stop = func() {
		cancel()
		if err := <-done; err != nil {
			b.t.Errorf("engine: %v", err)
		}
	}
}

// settle lets the engine do what it can do, then lets it die where the plan says so.
func (b *bodyPlay) settle(event int) {
	synctest.Wait()
	if !at(b.plan.crash, event+1) {
		return
	}
	b.crashes++
	b.process.Die()
	b.stop()
	time.Sleep(15*time.Second + time.Millisecond) // of the bubble: its leases end
	b.start()
	synctest.Wait()
}

func (b *bodyPlay) play() error {
	ctx := b.t.Context()
	if _, err := b.engine.Put(ctx, b.drawing.w, engine.PutOptions{}); err != nil {
		return err
	}
	if _, err := b.engine.Start(ctx, engine.StartRequest{Workflow: "W", ID: "A"}); err != nil {
		return err
	}
	for event := 0; ; event++ {
		b.settle(event)
		s, err := b.engine.Session(ctx, "A")
		if err != nil {
			return err
		}
		if len(s.Awaiting) == 0 && s.Status == engine.StatusActive { // something is due, and found by the next poll
			b.polled++
			time.Sleep(time.Minute)
			synctest.Wait()
			if s, err = b.engine.Session(ctx, "A"); err != nil {
				return err
			}
		}
		if len(s.Awaiting) == 0 || event > 2000 {
			b.status = s.Status
			return b.read("A")
		}
		slices.SortFunc(s.Awaiting, func(x, y engine.Question) int {
			return cmp.Or(cmp.Compare(x.Session, y.Session), cmp.Compare(x.Step, y.Step))
		})
		q := s.Awaiting[at(b.plan.pick, event+1)%len(s.Awaiting)]
		answer := engine.AnswerRequest{Session: cmp.Or(q.Session, "A"), Step: q.Step, Visit: q.Visit, Response: json.RawMessage(`1`)}
		if _, err := b.engine.Answer(ctx, answer); err != nil {
			return err
		}
	}
}

// read counts what a session and those below it have done.
func (b *bodyPlay) read(id string) error {
	ctx := b.t.Context()
	s, err := b.engine.Session(ctx, id)
	if err != nil {
		return err
	}
	b.look += fmt.Sprintf("%s %s %v %+v\n", id, s.Status, s.Steps, s.Problems)
	for after := int64(0); ; {
		page, err := b.engine.Executions(ctx, id, engine.HistoryQuery{After: after, Limit: 500})
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for i := range page {
			b.count(&page[i])
		}
		after = page[len(page)-1].Seq
	}
	children, err := b.store.Children(ctx, id)
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := b.read(child); err != nil {
			return err
		}
	}
	return nil
}

func (b *bodyPlay) count(x *engine.Execution) {
	status := x.Status
	switch status {
	case engine.StatusComplete, engine.StatusAnswered:
		status = engine.StatusComplete
	case engine.StatusError:
	default:
		return
	}
	b.counts[fmt.Sprintf("%s %s %s", x.Session, x.Step, status)]++
	if x.Session != "A" {
		return
	}
	if status == engine.StatusError {
		if step := b.drawing.steps[x.Step]; step.part.id == x.Step && step.part.onError == engine.OnErrorContinue {
			b.output[x.Step] = failed
		}
		return
	}
	var output any
	if err := json.Unmarshal(x.Output, &output); err != nil {
		b.problem += fmt.Sprintf("output of %s: %v\n", x.ID, err)
	}
	b.output[x.Step] = bare(output)
}

// bare leaves of an output what a reckoning knows: texts, lists of results, failures.
func bare(output any) any {
	switch o := output.(type) {
	case map[string]any:
		for _, key := range []string{"text", "results"} {
			if value, ok := o[key]; ok {
				return bare(value)
			}
		}
		if _, ok := o["error"]; ok {
			return failed
		}
		for key, value := range o {
			o[key] = bare(value)
		}
	case []any:
		for i := range o {
			o[i] = bare(o[i])
		}
	}
	return output
}
