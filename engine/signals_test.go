package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// TestSignalsFull: the 101st signal that no step waits for is refused with the limit, and the
// first is still there when a step comes to wait for it. One that a step waits for is taken.
func TestSignalsFull(t *testing.T) {
	for _, atRest := range []bool{true, false} { // whether the engine applies them one by one
		t.Run(fmt.Sprintf("running %t", atRest), func(t *testing.T) {
			w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
			w.put(&engine.Workflow{ID: "w",
				Steps: []engine.Step{{ID: "root"}, {ID: "ask", Function: "ask_name"}, {ID: "first", Function: "sleep", Input: `{"signal": "paid"}`}, {ID: "other", Function: "sleep", Input: `{"signal": "other"}`}},
				Paths: []engine.Path{next("root", "ask"), next("root", "other"), next("ask", "first")}})
			w.run()
			w.start("w", "s")
			if !atRest {
				w.stop()
			}
			send := func(name string) error {
				_, err := w.e.Act(w.ctx, engine.Action{Session: "s", Kind: engine.RequestSignal, Name: name, Body: json.RawMessage(`1`)})
				return err
			}
			for i := range 100 {
				name := "paid"
				if i > 0 {
					name = fmt.Sprint("s", i)
				}
				if err := send(name); err != nil {
					t.Fatalf("signal %d: %v", i, err)
				}
			}
			err := send("one more")
			if !errors.Is(err, engine.ErrSignalsFull) || !strings.Contains(err.Error(), "at most 100") {
				t.Errorf("the 101st signal: %v, want that it is refused with the limit", err)
			}
			if err := send("other"); err != nil {
				t.Errorf("a signal that a step waits for: %v", err)
			}
			if err := send("other"); !errors.Is(err, engine.ErrSignalsFull) {
				t.Errorf("the same once more: %v", err)
			}
			if !atRest {
				w.run()
			}
			w.answer("s", "ask", `"Ada"`)
			if s := w.wait("s"); s.Status != engine.StatusComplete {
				t.Errorf("%s, steps %v: the first signal was not there any more", s.Status, s.Steps)
			}
		})
	}
}
