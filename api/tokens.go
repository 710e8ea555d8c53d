package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// Tokens finds the token of a text; nil if there is none or it has expired.
type Tokens interface {
	Find(text string) (*access.Token, error)
}

type tokenKey struct{}

func withToken(ctx context.Context, t *access.Token) context.Context {
	return context.WithValue(ctx, tokenKey{}, t)
}

// tokenFrom is the token of a request; nil for one with every power.
func tokenFrom(ctx context.Context) *access.Token {
	t, _ := ctx.Value(tokenKey{}).(*access.Token)
	return t
}

// wrongTokens counts wrong tokens by address within a minute.
type wrongTokens struct {
	mu    sync.Mutex
	began time.Time
	of    map[string]int
}

// Bounds of the brake: the first few wrong tokens of an address cost nothing, since people
// mistype; each further one takes longer.
const (
	freeTries   = 5
	pausePerTry = 50 * time.Millisecond
	mostCounted = 10_000 // addresses
)

// longestPause is a variable for the test that sends hundreds of wrong tokens.
var longestPause = time.Second

// add counts a wrong token and returns how long its answer is held back.
func (w *wrongTokens) add(host string) (n int, pause time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.began) > time.Minute || len(w.of) > mostCounted {
		w.began, w.of = now, map[string]int{}
	}
	w.of[host]++
	n = w.of[host]
	return n, min(time.Duration(max(0, n-freeTries))*pausePerTry, longestPause)
}

// hold counts a wrong token, or a wrong code, and waits as long as its address has earned.
func (w *wrongTokens) hold(host string) (n int) {
	n, pause := w.add(host)
	time.Sleep(pause)
	return n
}

// runsCode are the functions whose steps run what their author wrote, outside of the
// language of references, or reach the machine: its programs and files. All names of each are
// here: an engine that does not have a function does not know its aliases, and another one that
// shares the store may have it.
var runsCode = map[string]bool{"shell": true, "cli": true, "utils.shell": true, "utils.code.code": true, "code": true, "utils.code": true, "mcp.call": true,
	"file.read": true, "file.write": true, "file.edit": true, "file.list": true, "file.find": true, "file.grep": true}

// lacks is the refusal of a token without a scope.
func lacks(t *access.Token, scope string) error {
	return fmt.Errorf("%w: token %s lacks the scope %s", errForbidden, t.Name, scope)
}

// A guarded engine refuses edits beyond the scopes of the request's token. The routes of all
// systems use it.
type guarded struct {
	Engine
	full func() string // why the store may not grow; nil for no bound
}

// Put refuses new code of a token without run-code.
func (g guarded) Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error) {
	if err := errors.Join(g.room(), g.mayWrite(ctx, w.ID, w.Steps)); err != nil {
		return nil, err
	}
	return g.Engine.Put(ctx, w, o)
}

// PutStep refuses new code of a token without run-code.
func (g guarded) PutStep(ctx context.Context, workflow string, s engine.Step, match string) (*engine.Workflow, error) {
	if err := g.mayWrite(ctx, workflow, []engine.Step{s}); err != nil {
		return nil, err
	}
	return g.Engine.PutStep(ctx, workflow, s, match)
}

// RestoreStep refuses a token without run-code: the old text of a step may be code.
func (g guarded) RestoreStep(ctx context.Context, workflow, step, hash string) (*engine.Workflow, []engine.Problem, error) {
	if t := tokenFrom(ctx); t != nil && !t.Allows(access.RunCode) {
		return nil, nil, fmt.Errorf("step %q: %w", step, lacks(t, access.RunCode))
	}
	return g.Engine.RestoreStep(ctx, workflow, step, hash)
}

// mayWrite accepts steps that the token may write, and those that the workflow already has.
func (g guarded) mayWrite(ctx context.Context, workflow string, steps []engine.Step) error {
	t := tokenFrom(ctx)
	switch {
	case t == nil:
		return nil
	case !t.Allows(access.Edit): // a route that runs flows may be sent one to save
		return lacks(t, access.Edit)
	case t.Allows(access.RunCode) && t.Limit.IsZero():
		return nil
	}
	have := map[string]engine.Step{}
	if w, err := g.Engine.Workflow(ctx, workflow); err == nil {
		for _, s := range w.Steps {
			have[s.ID] = s
		}
	}
	for _, s := range steps {
		name := s.Function
		if spec := g.Registry().Find(name); spec != nil {
			name = spec.Name
		}
		if old, ok := have[s.ID]; ok && old.Function == s.Function && old.Input == s.Input {
			continue
		}
		if runsCode[name] && !t.Allows(access.RunCode) {
			return fmt.Errorf("step %q calls %s: %w", s.ID, name, lacks(t, access.RunCode))
		}
		if why := beyond(t.Limit, name, s.Input); why != "" {
			return fmt.Errorf("step %q calls %s, which %s: %w", s.ID, name, why, beyondLimit(ctx, "its steps may not"))
		}
	}
	return nil
}

// beyond says how a step would reach past a limit; "" when it does not. The workflow that it
// runs has to be written out: one that comes from a reference is known only when it runs, as
// the engine and with no token.
func beyond(limit access.Limit, function, input string) string {
	switch {
	case limit.IsZero():
		return ""
	case function == "graph.query":
		return "reads all workflows and sessions"
	}
	all := gjson.Parse(input)
	if (function == "subflow" || function == "subflow.flowise" || function == "map") && (!all.IsObject() || !json.Valid([]byte(input))) {
		return "runs a workflow that is not written out"
	}
	why := ""
	all.ForEach(func(name, value gjson.Result) bool { // all members: two may have one name
		if strings.EqualFold(name.String(), "workflow") && (value.Type != gjson.String || strings.Contains(value.String(), "@{") || !limit.Workflow(orDefault(value.String()))) {
			why = "runs a workflow outside of the limit, or one that is not written out"
		}
		return why == ""
	})
	return why
}

// room reports whether the store may grow.
func (g guarded) room() error {
	if g.full == nil {
		return nil
	}
	if full := g.full(); full != "" {
		return fmt.Errorf("%w: %s", errStoreFull, full)
	}
	return nil
}
