package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
)

// runsCode are the functions whose steps run what their author wrote, outside of the
// language of references, or reach the machine: its programs and files. All names of each are
// here: an engine that does not have a function does not know its aliases, and another one that
// shares the store may have it.
var runsCode = map[string]bool{"shell": true, "cli": true, "utils.shell": true, "utils.code.code": true, "code": true, "utils.code": true, "mcp.call": true,
	"file.read": true, "file.write": true, "file.edit": true, "file.list": true, "file.find": true, "file.grep": true}

// errLacksScope is the error for a token without a scope.
func errLacksScope(t *access.Token, scope string) error {
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
	if err := errors.Join(g.checkStoreSize(), g.mayWrite(ctx, w.ID, w.Steps)); err != nil {
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
		return nil, nil, fmt.Errorf("step %q: %w", step, errLacksScope(t, access.RunCode))
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
		return errLacksScope(t, access.Edit)
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
			return fmt.Errorf("step %q calls %s: %w", s.ID, name, errLacksScope(t, access.RunCode))
		}
		if why := limitViolation(t.Limit, name, s.Input); why != "" {
			return fmt.Errorf("step %q calls %s, which %s: %w", s.ID, name, why, errOverLimit(ctx, "its steps may not"))
		}
	}
	return nil
}

// limitViolation describes how a step would exceed a limit; "" if it does not. The workflow that it
// runs has to be written out: one that comes from a reference is known only when it runs, as
// the engine and with no token.
func limitViolation(limit access.Limit, function, input string) string {
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

// checkStoreSize returns an error if the store may not grow.
func (g guarded) checkStoreSize() error {
	if g.full == nil {
		return nil
	}
	if full := g.full(); full != "" {
		return fmt.Errorf("%w: %s", errStoreFull, full)
	}
	return nil
}

// mayStart refuses a new session that is beyond the quota of its token, or for which the
// store is too large.
func (g guarded) mayStart(ctx context.Context) error {
	if err := g.checkStoreSize(); err != nil {
		return err
	}
	m, _ := ctx.Value(meterKey{}).(*access.Meter)
	if m == nil {
		return nil
	}
	if wait := m.Session(); wait > 0 {
		return overQuota(tokenFrom(ctx).Name, "sessions an hour", wait)
	}
	return nil
}

// Start starts a session within the quota.
func (g guarded) Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error) {
	if err := g.mayStart(ctx); err != nil {
		return nil, err
	}
	return g.Engine.Start(ctx, q)
}

// StartAndSubscribe starts a session within the quota.
func (g guarded) StartAndSubscribe(ctx context.Context, q engine.StartRequest) (*engine.Session, <-chan engine.Event, error) {
	if err := g.mayStart(ctx); err != nil {
		return nil, nil, err
	}
	return g.Engine.StartAndSubscribe(ctx, q)
}

// Fork makes a session within the quota.
func (g guarded) Fork(ctx context.Context, q engine.ForkRequest) (*engine.Session, error) {
	if err := g.mayStart(ctx); err != nil {
		return nil, err
	}
	return g.Engine.Fork(ctx, q)
}

// StartBatch stores a batch, whose items take room.
func (g guarded) StartBatch(ctx context.Context, q engine.BatchRequest) (*engine.Batch, error) {
	if err := g.checkStoreSize(); err != nil {
		return nil, err
	}
	return g.Engine.StartBatch(ctx, q)
}
