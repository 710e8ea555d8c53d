package faultlane

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// TestLinear records what several clients do to one session at the same time, through two
// engines of which one or the other is killed or frozen, and has porcupine look for an
// order of start, answer, cancel and state that explains every reply.
func TestLinear(t *testing.T) {
	t.Parallel()
	stores := map[string]func(t *testing.T) engine.Store{
		"memory": func(*testing.T) engine.Store { return memory.New(memory.Options{}) },
		"sqlite": func(t *testing.T) engine.Store {
			store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "linear.db"), sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			return store
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := firstSeed(t)
			store := open(t)
			if _, err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			sessions := 20 + wanted(t)/4
			broken, operations := playLinear(t, seed, store, sessions, 3+sessions/10)
			t.Logf("linear: %s, seed %d: %d sessions, %d operations, %d without an order", name, seed, sessions, operations, len(broken))
			for _, b := range broken {
				t.Errorf("seed %d: no order explains\n%s", seed, b)
			}
		})
	}
	t.Run("an answer that is lost has no order", func(t *testing.T) {
		t.Parallel()
		// A lost answer shows only where a client looks or answers after it, which chance decides.
		seed, played := firstSeed(t), 0
		for range 10 {
			broken, operations := playLinear(t, seed, &forgetful{Store: memory.New(memory.Options{})}, 40, 0)
			if len(broken) > 0 {
				return
			}
			seed, played = seed+1, played+operations
		}
		t.Errorf("a store that loses answers it has acknowledged was not found out in %d operations", played)
	})
}

// linearWorkflow asks once and ends.
func linearWorkflow() map[string]any {
	return map[string]any{
		"steps": []any{
			map[string]any{"id": "root", "function": "request", "input": `{"prompt": "?"}`},
			map[string]any{"id": "end", "function": "reply", "input": `{"message": "@{SESSION_ID}.root.response"}`},
		},
		"paths": []any{path("root", "end")},
	}
}

// A linearInput is one operation, a linearOutput what was replied.
type linearInput struct{ op, text string }

type linearOutput struct {
	reply string // ok, conflict, closed, ended, missing; of a look the session's status
	text  string // the answer that counts
	open  bool   // a look shows the question open and not answered
}

// A linearSession is the model: what is true of a session after some operations. asked,
// ended and stopped are known once somebody was shown the question, or the end: before
// that, the engine may not have come so far.
type linearSession struct {
	started, asked, cancelled, ended, stopped bool
	answer                                    string
}

// linearModel is the sequential specification. A reply says which of the outcomes that
// were possible came true, so that the model needs no choice of its own.
var linearModel = porcupine.Model{
	Init: func() any { return linearSession{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(linearSession), input.(linearInput), output.(linearOutput)
		ok := s.step(in, out)
		return ok, s
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

func (s *linearSession) step(in linearInput, out linearOutput) bool {
	if in.op == "start" {
		s.started = true
		return out.reply == "ok"
	}
	if out.reply == "missing" || !s.started {
		return out.reply == "missing" && !s.started
	}
	switch in.op {
	case "answer":
		return s.answered(in.text, out)
	case "cancel":
		if out.reply == "ended" {
			s.ended = true
			return s.answer != "" && !s.cancelled
		}
		s.cancelled = true
		return out.reply == "ok" && !s.ended
	}
	return s.shown(out)
}

func (s *linearSession) answered(text string, out linearOutput) bool {
	switch out.reply {
	case "ok":
		fits := s.answer == text || s.answer == "" && !s.cancelled
		s.answer = text
		return fits && out.text == text
	case "conflict":
		return s.answer != "" && s.answer == out.text
	}
	return out.reply == "closed" && (s.cancelled || !s.asked)
}

// shown: an end that was shown stays, and a question that was answered is never shown as
// open again.
func (s *linearSession) shown(out linearOutput) bool {
	switch out.reply {
	case engine.StatusComplete:
		s.ended = true
		return s.answer != "" && !s.cancelled
	case engine.StatusCancelled:
		s.stopped = true
		return s.cancelled && !s.ended
	}
	s.asked = s.asked || out.open
	return !s.ended && !s.stopped && (!out.open || s.answer == "")
}

// playLinear plays sessions one after another, each with four clients, and returns the
// histories that have no order.
func playLinear(t *testing.T, seed uint64, store engine.Store, sessions, torments int) (broken []string, operations int) {
	t.Helper()
	pulse := newPulse()
	rng := rand.New(rand.NewPCG(seed, 3))
	in := newInside(t, store, newLedger(t, seed, pulse))
	to := newPromises(pulse)
	w := newWire(in, to, rng)
	if got, err := w.send(t.Context(), http.MethodPut, "/api/v1/workflows/linear", "", linearWorkflow()); err != nil || got.status >= 300 {
		t.Fatalf("put the workflow: %v %+v", err, got)
	}
	ctx, stop := context.WithCancel(t.Context())
	var nemesis sync.WaitGroup
	nemesis.Go(func() {
		in.torment(ctx, pulse, rand.New(rand.NewPCG(seed, 4)), torments, false, func() bool { return ctx.Err() != nil })
	})
	for n := range sessions {
		history := linearHistory(t, in, to, rng, fmt.Sprintf("linear-%d", n))
		operations += len(history)
		if result := porcupine.CheckOperationsTimeout(linearModel, history, 20*time.Second); result != porcupine.Ok {
			broken = append(broken, fmt.Sprintf("session linear-%d, %s:\n%s", n, result, describeHistory(history)))
		}
	}
	stop()
	nemesis.Wait()
	return broken, operations
}

// linearHistory lets four clients work on one session at the same time.
func linearHistory(t *testing.T, in *inside, to *promises, rng *rand.Rand, session string) []porcupine.Operation {
	var mu sync.Mutex
	var history []porcupine.Operation
	var all sync.WaitGroup
	for client := range 4 {
		rng := rand.New(rand.NewPCG(rng.Uint64(), uint64(client)))
		all.Go(func() {
			w := newWire(in, to, rng)
			defer w.http.CloseIdleConnections()
			for n := range 7 {
				input := linearChoice(rng, client, n)
				call := time.Now().UnixNano()
				output, err := linearDo(t.Context(), w, session, fmt.Sprintf("%s-%d-%d", session, client, n), input)
				if err != nil {
					t.Errorf("%s %+v: %v", session, input, err)
					return
				}
				to.pulse.beat()
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: client, Input: input, Call: call, Output: output, Return: time.Now().UnixNano()})
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return history
}

func linearChoice(rng *rand.Rand, client, n int) linearInput {
	switch roll := rng.IntN(10); {
	case n == 0 && client < 2:
		return linearInput{op: "start"}
	case roll < 3:
		return linearInput{op: "answer", text: fmt.Sprintf("%d.%d", client, n)}
	case roll == 3:
		return linearInput{op: "cancel"}
	}
	return linearInput{op: "look"}
}

func linearDo(ctx context.Context, w *wire, session, key string, in linearInput) (out linearOutput, err error) {
	var got *reply
	route := "/api/v1/sessions/" + session
	switch in.op {
	case "start":
		got, err = w.send(ctx, http.MethodPost, "/api/v1/sessions", "start-"+session, map[string]any{"workflow": "linear", "id": session})
	case "answer":
		got, err = w.send(ctx, http.MethodPost, route+"/answer", key, map[string]any{"step": "root", "response": in.text})
	case "cancel":
		got, err = w.send(ctx, http.MethodPost, route+"/cancel", key, map[string]any{})
	default:
		got, err = w.send(ctx, http.MethodGet, route, "", nil)
	}
	if err != nil {
		return out, err
	}
	return linearReply(in, got)
}

// linearReply reads a definite answer as one of the model's.
func linearReply(in linearInput, got *reply) (out linearOutput, err error) {
	var body struct {
		Accepted *acceptedBody `json:"accepted"`
	}
	if err := json.Unmarshal(got.body, &body); err != nil {
		return out, err
	}
	if body.Accepted != nil {
		out.text = text(body.Accepted.Response)
	}
	switch {
	case got.slug == "session_not_found":
		return linearOutput{reply: "missing"}, nil
	case got.slug == "already_answered":
		out.reply = "conflict"
	case got.slug == "no_open_question":
		out.reply = "closed"
	case got.slug == "session_ended":
		out.reply = "ended"
	case got.status >= 300:
		return out, fmt.Errorf("status %d: %s", got.status, got.body)
	case in.op == "look":
		var s shown
		if err := json.Unmarshal(got.body, &s); err != nil {
			return out, err
		}
		out.reply = s.Status
		for _, q := range s.Awaiting {
			out.open = out.open || !q.Answered
		}
	default:
		out.reply = "ok"
	}
	return out, nil
}

func describeHistory(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, o := range history {
		fmt.Fprintf(&b, "  client %d %8.3f to %8.3f ms: %+v -> %+v\n", o.ClientId,
			float64(o.Call-history[0].Call)/1e6, float64(o.Return-history[0].Call)/1e6, o.Input, o.Output)
	}
	return b.String()
}
