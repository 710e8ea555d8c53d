package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// TestOverload: starts are refused while due work has waited for room for too long, those of a
// workflow that holds less than its share are not, answers never; when the work is done starts
// are taken again. No slow call ends before the gate opens.
func TestOverload(t *testing.T) {
	w, g := newFair(t, 2)
	w.o.MaxLate = 100 * time.Millisecond
	w.o.CallsOf = map[string]int{"slow": 2}
	w.e = engine.New(w.store, w.e.Registry(), w.o)
	w.run()
	started := 0
	start := func() error {
		_, err := w.e.Start(w.ctx, engine.StartRequest{Workflow: "night", ID: fmt.Sprint("n", started)})
		if err == nil {
			started++
		}
		return err
	}
	for range 60 {
		if err := start(); err != nil {
			t.Fatalf("start %d: %v", started, err)
		}
	}
	w.until("a start is refused", func() bool {
		err := start()
		if err != nil && !errors.Is(err, engine.ErrOverloaded) {
			t.Fatal(err)
		}
		return err != nil
	})
	if w.e.Load().Late < 0.1 {
		t.Errorf("late by %v s", w.e.Load().Late)
	}
	if s := w.start("chat", "ada"); s.Status != engine.StatusAwaitingInput {
		t.Fatalf("the chat is %s", s.Status)
	}
	w.answer("ada", "ask", `"Ada"`)
	if s := w.wait("ada"); s.Status != engine.StatusComplete {
		t.Errorf("the answered chat is %s", s.Status)
	}
	close(g.pass)
	w.until("what was accepted is through", func() bool { return len(g.calls()) == started })
	w.until("starts are taken again", func() bool { return start() == nil })
}
