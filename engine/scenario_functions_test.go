package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/models"
)

// fakes are the functions of scenarios and what was done with them. They outlive the
// engines of a scenario, as the world outside does.
type fakes struct {
	mu       sync.Mutex
	called   map[string]int // by key
	failed   map[string]int // failures so far, by key
	blocked  map[string]int // calls that wait for a release
	released map[string]int
	changed  chan struct{} // closed and renewed whenever released changes
	killed   chan struct{} // closed and renewed when the process of the calls dies
	model    models.Model  // answers generate
	shared   func() *engine.Registry
}

func newFakes() *fakes {
	f := &fakes{called: map[string]int{}, failed: map[string]int{}, blocked: map[string]int{},
		released: map[string]int{}, changed: make(chan struct{}), killed: make(chan struct{})}
	f.shared = sync.OnceValue(f.functions)
	return f
}

// registry is one for all engines of a world: making the schemas of all functions takes
// longer than most scenarios.
func (f *fakes) registry() *engine.Registry { return f.shared() }

func (f *fakes) functions() *engine.Registry {
	r := engine.NewRegistry()
	functions.Standard(r, functions.Options{Models: f})
	effects := func(s *engine.Spec) { s.Effects = true }
	engine.Register(r, "say", say)
	engine.Register(r, "echo", echo)
	engine.Register(r, "ask", askPerson)
	engine.Register(r, "big", big)
	engine.Register(r, "panic", func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("out of paper") })
	engine.Register(r, "no-json", func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{`), nil })
	engine.Register(r, "off", echo, func(s *engine.Spec) { s.Disabled = "it is off, start with --allow-off" })
	engine.Register(r, "work", f.work, effects)
	engine.Register(r, "fail", f.fail, effects)
	engine.Register(r, "stumble", f.stumble)
	engine.Register(r, "wait-for", f.waitFor, effects)
	engine.Register(r, "chat", chat, effects)
	f.handovers(r)
	return r
}

// Model makes fakes what generate asks for its models: one that plays script.json.
func (f *fakes) Model(name string) (models.Model, string, error) {
	if f.model == nil {
		return nil, "", errors.New("the scenario has no script.json")
	}
	return f.model, name, nil
}

// Endpoint refuses: scenarios dial nobody.
func (f *fakes) Endpoint(at models.Endpoint) (models.Model, error) {
	return nil, fmt.Errorf("the scenario has no endpoint %s", at.BaseURL)
}

// say speaks, and gives what it said.
func say(ctx context.Context, in struct {
	Text string `json:"text"`
}) (map[string]string, error) {
	engine.CallOf(ctx).Say(in.Text)
	return map[string]string{"text": in.Text}, nil
}

// echo gives its input.
func echo(_ context.Context, in json.RawMessage) (json.RawMessage, error) { return in, nil }

// chat gives the newest n messages of the session.
func chat(ctx context.Context, in struct {
	N int `json:"n"`
}) (map[string]any, error) {
	messages, err := engine.CallOf(ctx).Messages(ctx, in.N)
	lines := []string{}
	for _, m := range messages {
		lines = append(lines, m.Role+": "+m.Content)
	}
	return map[string]any{"messages": lines}, err
}

type askInput struct {
	Kind    string          `json:"kind"`
	Prompt  string          `json:"prompt"`
	Options []engine.Option `json:"options"`
	Schema  json.RawMessage `json:"schema"`
	Due     string          `json:"due"`
	OnDue   json.RawMessage `json:"on_due"`
	Remarks bool            `json:"feedback"`
}

// askPerson asks a person.
func askPerson(_ context.Context, in askInput) (json.RawMessage, error) {
	due, err := function.ParseDuration(in.Due)
	if err != nil {
		return nil, err
	}
	return nil, &engine.AwaitInput{Kind: in.Kind, Prompt: in.Prompt, Options: in.Options, Schema: in.Schema, Due: due, OnDue: in.OnDue, Feedback: in.Remarks}
}

// big gives a text of n bytes.
func big(_ context.Context, in struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}) (map[string]string, error) {
	return map[string]string{"text": strings.Repeat(in.Text, in.N/max(len(in.Text), 1))}, nil
}

// work has an effect: it is written into the ledger under its key. It gives its input and
// which call of its key this was.
func (f *fakes) work(ctx context.Context, in map[string]any) (map[string]any, error) {
	f.record(engine.CallOf(ctx).Key)
	out := map[string]any{"worked": true}
	for k, v := range in {
		out[k] = v
	}
	return out, nil
}

func (f *fakes) record(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.called[key]++
}

type failInput struct {
	Times      int    `json:"times"` // failures before it works; 0 means always
	Transient  bool   `json:"transient"`
	Message    string `json:"message"`
	Kind       string `json:"kind"`
	RetryAfter string `json:"retry_after"`
	Say        string `json:"say"`
}

// fail fails as often as its input says, then gives {"ok": true}.
func (f *fakes) fail(ctx context.Context, in failInput) (map[string]any, error) {
	call := engine.CallOf(ctx)
	f.record(call.Key)
	call.Say(in.Say + "said before failing")
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.Times == 0 || f.failed[call.Key] < in.Times {
		f.failed[call.Key]++
		after, err := function.ParseDuration(in.RetryAfter)
		if err != nil {
			return nil, err
		}
		return nil, &function.CallError{Kind: in.Kind, Message: in.Message, Transient: in.Transient, RetryAfter: after}
	}
	return map[string]any{"ok": true}, nil
}

// stumble is fail without an effect: what it does goes by the attempt alone, since a pure step
// may be called again for an attempt that was not written.
func (f *fakes) stumble(ctx context.Context, in failInput) (map[string]any, error) {
	call := engine.CallOf(ctx)
	f.record(call.Key)
	call.Say(in.Say + "said before failing")
	if in.Times == 0 || call.Attempt <= in.Times {
		after, err := function.ParseDuration(in.RetryAfter)
		if err != nil {
			return nil, err
		}
		return nil, &function.CallError{Kind: in.Kind, Message: in.Message, Transient: in.Transient, RetryAfter: after}
	}
	return map[string]any{"ok": true}, nil
}

type waitInput struct {
	Name     string            `json:"name"`     // the step's id by default
	Stubborn bool              `json:"stubborn"` // goes on when it is cancelled
	Append   string            `json:"append"`   // the list to add the name to, behind First where it is empty
	First    []json.RawMessage `json:"first"`
}

// waitFor waits until the scenario releases it.
func (f *fakes) waitFor(ctx context.Context, in waitInput) (map[string]any, error) {
	call := engine.CallOf(ctx)
	if in.Name == "" {
		in.Name = call.Step
	}
	f.record(call.Key)
	label := fmt.Sprintf("%s (visit %d)", in.Name, call.Visit)
	f.block(label, 1)
	defer f.block(label, -1)
	cancelled, killed := ctx.Done(), f.processEnd()
	if in.Stubborn {
		cancelled = nil
	}
	for {
		free, changed := f.pass(in.Name)
		if free {
			if in.Append != "" {
				call.Append(in.Append, in.First, []json.RawMessage{json.RawMessage(strconv.Quote(in.Name))})
			}
			return map[string]any{"waited": in.Name}, nil
		}
		select {
		case <-changed:
		case <-cancelled:
			return nil, context.Cause(ctx)
		case <-killed:
			return nil, faults.ErrDead
		}
	}
}

func (f *fakes) processEnd() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.killed
}

// kill ends all calls under way, as the end of their process does.
func (f *fakes) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.killed)
	f.killed = make(chan struct{})
}

func (f *fakes) block(call string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blocked[call] += n
}

// pass takes one release; the channel tells when there may be another.
func (f *fakes) pass(name string) (bool, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.released[name] > 0 {
		f.released[name]--
		return true, nil
	}
	return false, f.changed
}

func (f *fakes) release(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released[name]++
	close(f.changed)
	f.changed = make(chan struct{})
}

// waiting lists the calls that wait for a release.
func (f *fakes) waiting() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for call, n := range f.blocked {
		for range n {
			names = append(names, call)
		}
	}
	sort.Strings(names)
	return names
}

// calls is the ledger, a line for each key.
func (f *fakes) calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lines []string
	for key, n := range f.called {
		line := key
		if n > 1 {
			line = fmt.Sprintf("%s x%d", key, n)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// patience bounds every wait of a scenario that is played on the real clock.
const patience = time.Minute
