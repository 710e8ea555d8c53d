package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// chain is root → a → b → c.
func (w *playground) chain() {
	w.put(&engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "a"}, {ID: "b"}, {ID: "c"}},
		Paths: []engine.Path{next("root", "a"), next("a", "b"), next("b", "c")}})
}

// TestForkUntil: a fork with Until runs up to those steps and no further; advance takes it on from
// there, and a restart of the engine between changes nothing.
func TestForkUntil(t *testing.T) {
	w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
	w.chain()
	w.run()
	w.start("w", "s")
	w.wait("s")
	for _, c := range []struct {
		until []string
		want  string
	}{
		{[]string{"a"}, "a 1 b 0 c 0 "},
		{[]string{"b"}, "a 1 b 1 c 0 "},
		{[]string{"b", "a"}, "a 1 b 0 c 0 "},
		{nil, "a 1 b 1 c 1 "},
	} {
		id := fmt.Sprint("f", c.until)
		if _, err := w.e.Fork(w.ctx, engine.ForkRequest{Session: "s", Step: "a", ID: id, Until: c.until}); err != nil {
			t.Fatal(err)
		}
		if s, got := w.wait(id), w.runs(id, "a", "b", "c"); got != c.want || s.Status != engine.StatusComplete {
			t.Errorf("until %v: ran %q, %s; want %q, complete", c.until, got, s.Status, c.want)
		}
	}
}

func TestAdvanceGoesOnFromWhereASessionEnds(t *testing.T) {
	w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
	w.chain()
	w.run()
	if _, err := w.e.Start(w.ctx, engine.StartRequest{Workflow: "w", ID: "s", Until: []string{"a", "b"}}); err != nil {
		t.Fatal(err)
	}
	w.wait("s")
	for _, want := range []string{"a 1 b 1 c 0 ", "a 1 b 1 c 1 "} {
		step := map[string]string{"a 1 b 1 c 0 ": "a", "a 1 b 1 c 1 ": "b"}[want]
		if _, err := w.e.Act(w.ctx, engine.Action{Session: "s", Kind: engine.RequestAdvance, Step: step}); err != nil {
			t.Fatal(err)
		}
		w.wait("s")
		if got := w.runs("s", "a", "b", "c"); got != want {
			t.Errorf("after advance of %s: ran %q; want %q", step, got, want)
		}
	}
}

func TestForkUntilRefusesAStepThatIsNotThere(t *testing.T) {
	w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
	w.chain()
	w.run()
	w.start("w", "s")
	w.wait("s")
	_, err := w.e.Fork(w.ctx, engine.ForkRequest{Session: "s", Step: "a", ID: "f", Until: []string{"x"}})
	if !errors.Is(err, engine.ErrStepNotFound) {
		t.Fatalf("got %v, want ErrStepNotFound", err)
	}
	q := engine.ForkRequest{Session: "s", Step: "a", Key: "k"}
	if _, err := w.e.Fork(w.ctx, q); err != nil {
		t.Fatal(err)
	}
	q.Until = []string{"a"}
	if _, err := w.e.Fork(w.ctx, q); !errors.Is(err, engine.ErrKeyReused) {
		t.Fatalf("the same key with another until: %v, want ErrKeyReused", err)
	}
}

// TestForecastReadsTheWorkflowAsItIs: a dry run follows an edit that was saved a moment before, as
// the action itself does.
func TestForecastReadsTheWorkflowAsItIs(t *testing.T) {
	w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
	w.chain()
	w.run()
	if _, err := w.e.Start(w.ctx, engine.StartRequest{Workflow: "w", ID: "s", Until: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	w.wait("s")
	advance := &engine.Request{Kind: engine.RequestAdvance, Body: []byte(`{"step":"a"}`)}
	for _, target := range []string{"b", "c"} {
		w.put(&engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "a"}, {ID: "b"}, {ID: "c"}},
			Paths: []engine.Path{next("root", "a"), next("a", target)}})
		got, err := w.e.Forecast(w.ctx, "s", advance)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Steps) != 1 || got.Steps[0].Step != target {
			t.Errorf("the path leads to %s, the forecast is %+v", target, got.Steps)
		}
	}
}
