package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/memory"
	"pgregory.net/rapid"
)

// A blow is what happens to one call that an engine makes to its store.
type blow int

const (
	diesBefore  blow = iota // the process dies and the call is never made
	diesAfter               // the call is made and the process dies
	notDone                 // it was not made, and the caller gets an error
	unanswered              // it was made, and the caller is told that nobody knows
	misreported             // it was made, and the caller is told that it was not
	blows
)

func (b blow) String() string {
	return [...]string{"dies before", "dies after", "is turned away by", "is not told of", "is told wrongly of"}[b]
}

// fault is what the caller of a call meets that lives on.
func (b blow) fault() faults.Fault {
	return map[blow]faults.Fault{notDone: faults.NotDone, unanswered: faults.Unanswered, misreported: faults.Misreported}[b]
}

// An ordeal is one session, played to its end by engines that are struck at chosen calls.
// The client asks again, with the same key, whatever it got no answer to.
type ordeal struct {
	t       *testing.T
	ctx     context.Context
	store   engine.Store
	fakes   *fakes
	process *faults.Store   // the connection of the engine that lives now
	alive   context.Context // ends when its process dies
	engine  *engine.Engine
	stop    func()
	options engine.Options

	mu      sync.Mutex
	strikes map[int]blow // by the number of the call, from 1, over all engines
	made    []string     // calls so far
	log     []string     // strikes that fell
}

// connect gives a fresh engine its connection to the store, on which the strikes fall.
func (o *ordeal) connect() *faults.Store {
	var process *faults.Store
	alive, end := context.WithCancelCause(o.ctx)
	o.alive = alive
	die := func() { process.Die(); end(faults.ErrDead) }
	struck := map[int]blow{} // by the number of the call on this connection
	at := func(c faults.Call) (blow, bool) {
		o.mu.Lock()
		defer o.mu.Unlock()
		b, ok := struck[c.N]
		return b, ok
	}
	process = faults.Wrap(o.store, faults.Plan{
		Before: func(c faults.Call) {
			o.mu.Lock()
			o.made = append(o.made, c.Method)
			b, ok := o.strikes[len(o.made)]
			if ok {
				struck[c.N] = b
				o.log = append(o.log, fmt.Sprintf("the engine %s call %d, %s", b, len(o.made), c.Method))
			}
			o.mu.Unlock()
			if ok && b == diesBefore {
				die()
			}
		},
		Pick: func(c faults.Call) (faults.Fault, bool) {
			b, ok := at(c)
			return b.fault(), ok
		},
		After: func(c faults.Call, _ error) {
			if b, ok := at(c); ok && b == diesAfter {
				die()
			}
		},
	})
	return process
}

func (o *ordeal) begin() {
	o.process = o.connect()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	o.options.Log = quiet
	o.engine = engine.New(o.process, o.registry(), o.options)
	ctx, cancel := context.WithCancel(o.ctx)
	done := make(chan error, 1)
	running := o.engine
	go func() { done <- running.Run(ctx) }()
	o.stop = func() {
		cancel()
		if err := <-done; err != nil {
			o.t.Error(err)
		}
	}
}

// registry adds a call whose first attempt always fails, and one that takes longer than
// the pure steps beside it, so that nothing but the strikes decides what comes first.
func (o *ordeal) registry() *engine.Registry {
	r := o.fakes.functions()
	engine.Register(r, "mail", func(ctx context.Context, in map[string]any) (map[string]any, error) {
		time.Sleep(time.Millisecond) // of the bubble
		return o.fakes.work(ctx, in)
	}, func(s *engine.Spec) { s.Effects = true })
	engine.Register(r, "busy", func(ctx context.Context, _ map[string]any) (map[string]any, error) {
		call := engine.CallOf(ctx)
		o.fakes.record(call.Key)
		if call.Attempt == 1 {
			return nil, &function.CallError{Message: "busy", Transient: true}
		}
		return map[string]any{"ok": true}, nil
	}, func(s *engine.Spec) { s.Effects = true })
	return r
}

// ask makes a client's call until it is answered.
func (o *ordeal) ask(call func(ctx context.Context, e *engine.Engine) error) error {
	for range 100 {
		err := call(o.alive, o.engine)
		switch {
		case o.process.Dead():
			o.stop()
			time.Sleep(15*time.Second + time.Millisecond)
			o.begin()
		case err == nil:
			return nil
		case errors.Is(err, engine.ErrUnavailable), errors.Is(err, engine.ErrUnknownOutcome):
			time.Sleep(time.Millisecond)
		default:
			return err
		}
	}
	return errors.New("no answer to a hundred calls")
}

// ordealWorkflow has pure steps, calls, one of which fails at first, a question, a large
// output and a join.
func ordealWorkflow() *engine.Workflow {
	w := &engine.Workflow{ID: "W", Steps: []engine.Step{
		{ID: "root", Function: "say", Input: `{"text": "hi"}`},
		{ID: "big", Function: "big", Input: `{"n": 70000, "text": "x"}`},
		{ID: "mail", Function: "mail", Input: `{"to": "@{SESSION_ID}.root.text"}`},
		{ID: "busy", Function: "busy", Retry: `{"max_attempts": 3, "initial_interval": "2s"}`},
		{ID: "ask", Function: "ask", Input: `{"prompt": "Name?"}`},
		{ID: "join", Function: "say", Join: engine.JoinAll, Input: `{"text": "@{SESSION_ID}.ask.response, @{SESSION_ID}.mail.to"}`},
		{ID: "bill", Function: "mail", Input: `{"for": "@{SESSION_ID}.join.text"}`},
		{ID: "end", Function: "say", Input: `{"text": "bye"}`},
	}}
	for _, p := range [][2]string{{"root", "big"}, {"root", "mail"}, {"big", "ask"}, {"mail", "busy"}, {"busy", "join"}, {"ask", "join"}, {"join", "bill"}, {"bill", "end"}} {
		w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: p[0], Target: p[1]})
	}
	return w
}

// An ending is all that an ordeal leaves behind.
type ending struct {
	problem string
	state   string
	history string
	keys    string
	calls   int
	took    time.Duration
}

// endure plays the session under the strikes and returns what is left of it.
func endure(t *testing.T, strikes map[int]blow) (end ending, o *ordeal) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o = &ordeal{t: t, ctx: ctx, store: memory.New(memory.Options{}), fakes: newFakes(), strikes: strikes}
	if _, err := engine.New(o.store, o.registry(), engine.Options{}).Put(ctx, ordealWorkflow(), engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	o.begin()
	defer func() {
		o.stop()
		end.calls = len(o.made)
	}()
	err := o.ask(func(ctx context.Context, e *engine.Engine) error {
		_, err := e.Start(ctx, engine.StartRequest{Workflow: "W", ID: "A", Key: "start"})
		return err
	})
	for _, response := range []string{`"Ada"`, ``} {
		if err == nil {
			err = o.ask(rest)
		}
		if err == nil && response != "" {
			err = o.ask(func(ctx context.Context, e *engine.Engine) error {
				_, err := e.Answer(ctx, engine.AnswerRequest{Session: "A", Response: json.RawMessage(response), Key: "answer"})
				return err
			})
		}
	}
	if err != nil {
		return ending{problem: err.Error()}, o
	}
	end = o.ending()
	end.took = time.Since(began)
	return end, o
}

// rest waits until the session asks or has ended.
func rest(ctx context.Context, e *engine.Engine) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	_, err := e.Wait(ctx, "A")
	return err
}

var stateTimes = regexp.MustCompile(`"(last_executed|last_evaluated|at)":\d+`)

func (o *ordeal) ending() ending {
	rec, err := o.store.Session(o.ctx, "A")
	if err != nil {
		return ending{problem: err.Error()}
	}
	list, err := o.store.Executions(o.ctx, "A", engine.HistoryQuery{Limit: 500, Lineage: true})
	if err != nil {
		return ending{problem: err.Error()}
	}
	end := ending{state: stateTimes.ReplaceAllString(string(rec.State), `"$1":0`)}
	names, lost := map[string]string{}, map[string]int{}
	for i, x := range list {
		names[x.ID] = fmt.Sprintf("%s/%d.%d", x.Step, x.Visit, x.Attempt)
		if x.Seq != int64(i+1) {
			end.problem += fmt.Sprintf("execution %d has number %d\n", i+1, x.Seq)
		}
	}
	var lines []string
	for _, x := range list {
		if x.Status == engine.StatusLost { // what a death leaves behind: no more than one for each
			if lost[x.ID]++; lost[x.ID] > len(o.log) {
				end.problem += fmt.Sprintf("%s is lost %d times\n", names[x.ID], lost[x.ID])
			}
			continue
		}
		line := fmt.Sprintf("%s %s %s", names[x.ID], x.Status, short(string(x.Output)))
		for _, l := range x.Took {
			line += " took " + names[l.Execution] + ":" + l.Label
		}
		for _, l := range x.Reads {
			line += " reads " + names[l.Execution] + ":" + l.Label
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	end.history = strings.Join(lines, "\n")
	var keys []string
	for key := range o.fakes.called {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	end.keys = strings.Join(keys, "\n")
	return end
}

// differs says what of an ending is not as it was without strikes.
func (e ending) differs(want ending) string {
	var b strings.Builder
	for _, part := range []struct{ name, got, want string }{
		{"problem", e.problem, want.problem}, {"state", e.state, want.state}, {"history", e.history, want.history}, {"keys", e.keys, want.keys},
	} {
		if part.got != part.want {
			fmt.Fprintf(&b, "%s:\n%s", part.name, difference(part.want+"\n", part.got+"\n"))
		}
	}
	return b.String()
}

// undisturbed is how the session ends when nothing happens to it.
func undisturbed(t *testing.T) (end ending) {
	synctest.Test(t, func(t *testing.T) { end, _ = endure(t, nil) })
	if end.problem != "" || !strings.Contains(end.state, `"content":"bye"`) || strings.Count(end.history, "\n") != 8 {
		t.Fatalf("the undisturbed session went wrong: %+v", end)
	}
	return end
}

// TestCrashAnywhere strikes each single call of the session in each way.
func TestCrashAnywhere(t *testing.T) {
	want := undisturbed(t)
	for n := 1; n <= want.calls; n++ {
		for b := range blows {
			synctest.Test(t, func(t *testing.T) {
				got, o := endure(t, map[int]blow{n: b})
				if problem := got.differs(want); problem != "" {
					t.Errorf("%s\n%s", strings.Join(o.log, "\n"), problem)
				}
				if len(o.log) == 0 {
					return // polls come at random times: this play had a call less
				}
				if o.made[n-1] == "Claim" && (b == unanswered || b == misreported) {
					return // nobody knows the token: the lease has to end
				}
				if b.fault() != faults.None && got.took > want.took+10*time.Second {
					t.Errorf("%s\nthat cost %s, as if the engine had died", strings.Join(o.log, "\n"), got.took-want.took)
				}
			})
		}
	}
}

// TestCrashOften strikes several calls of one session.
func TestCrashOften(t *testing.T) {
	want := undisturbed(t)
	rapid.Check(t, func(rt *rapid.T) {
		strikes := rapid.MapOfN(rapid.IntRange(1, 3*want.calls), rapid.Map(rapid.IntRange(0, int(blows)-1), func(n int) blow { return blow(n) }), 1, 4).Draw(rt, "strikes")
		var got ending
		var o *ordeal
		synctest.Test(t, func(t *testing.T) { got, o = endure(t, strikes) })
		if problem := got.differs(want); problem != "" {
			rt.Fatalf("%s\n%s", strings.Join(o.log, "\n"), problem)
		}
	})
}
