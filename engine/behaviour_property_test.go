package engine_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
	"pgregory.net/rapid"
)

// TestAnyWorkflow plays random graphs, with loops, joins, errors, questions and calls, on
// the engine and on the model, and wants every step to run as often in both and every
// session to come to rest.
func TestAnyWorkflow(t *testing.T) {
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		if err := f.Value.Set("1500"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Value.Set(f.DefValue) }()
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := plans().Draw(rt, "plan")
		want := modelled(p)
		var got outcome
		synctest.Test(t, func(t *testing.T) { got = played(t, p) })
		if got.text() != want.text() {
			rt.Fatalf("%s\n--- the engine\n%s--- the model\n%s", p, got.text(), want.text())
		}
	})
}

// An outcome is what became of a plan.
type outcome struct {
	problem string
	session string
	status  map[string]string
	calls   map[string]int
}

func (o outcome) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", o.session, o.problem)
	for _, id := range sortedSteps(o.status) {
		fmt.Fprintf(&b, "  %s %s", id, o.status[id])
		if o.status[id] != engine.StatusCancelled { // whether a call had begun when it was cancelled is a race
			fmt.Fprintf(&b, ", called %d times", o.calls[id])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func modelled(p *plan) outcome {
	m := newModel(p)
	m.play()
	for q := m.questions(); len(q) > 0; q = m.questions() {
		m.answer(q[0])
	}
	if m.failed {
		maps.DeleteFunc(m.status, func(_, status string) bool { return status == engine.StatusSkipped })
	}
	return outcome{session: m.session(), status: m.status, calls: m.calls}
}

// played plays a plan on a real engine.
func played(t *testing.T, p *plan) (o outcome) { return playedAs(t, p, func(*engine.Workflow) {}) }

// playedAs plays a plan whose graph somebody has changed.
func playedAs(t *testing.T, p *plan, change func(*engine.Workflow)) (o outcome) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	cast := &cast{plan: p, calls: map[string]int{}}
	e := engine.New(memory.New(memory.Options{}), cast.registry(), engine.Options{})
	w := p.workflow()
	change(w)
	if _, err := e.Put(ctx, w, engine.PutOptions{}); err != nil {
		return outcome{problem: err.Error()}
	}
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			o.problem += err.Error()
		}
	}()
	s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "W", ID: "A"})
	for err == nil && s.Status == engine.StatusAwaitingInput {
		for _, id := range p.order {
			if s.Steps[id] == engine.StatusAwaitingInput {
				_, err = e.Answer(ctx, engine.AnswerRequest{Session: "A", Step: id, Response: json.RawMessage(`1`)})
				break
			}
		}
		if err == nil {
			s, err = e.Wait(ctx, "A")
		}
	}
	if err != nil {
		return outcome{problem: err.Error()}
	}
	if cast.plan.ended(s.Steps) {
		maps.DeleteFunc(s.Steps, func(_, status string) bool { return status == engine.StatusSkipped }) // labels of a session that was ended say nothing
	}
	return outcome{session: s.Status, status: s.Steps, calls: maps.Clone(cast.calls)}
}

// ended reports whether a step has ended the session. The session's own error may be that of
// another step which failed in the same wave.
func (p *plan) ended(status map[string]string) bool {
	for id, step := range p.steps {
		if step.onError == engine.OnErrorFailSession && status[id] == engine.StatusError {
			return true
		}
	}
	return false
}

// A cast are the functions that do what a plan says.
type cast struct {
	plan  *plan
	mu    sync.Mutex
	calls map[string]int
}

func (c *cast) registry() *engine.Registry {
	r := engine.NewRegistry()
	engine.Register(r, "pure", c.act)
	engine.Register(r, "call", c.act, func(s *engine.Spec) { s.Effects = true })
	return r
}

func (c *cast) act(ctx context.Context, _ map[string]any) (map[string]any, error) {
	call := engine.CallOf(ctx)
	step := c.plan.steps[call.Step]
	c.mu.Lock()
	c.calls[call.Step]++
	c.mu.Unlock()
	if step.takes > 0 {
		select {
		case <-time.After(step.takes):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	open := map[string]bool{}
	for _, n := range step.next {
		open[n.target] = step.opens(call.Visit, n.target)
	}
	out := map[string]any{"open": open}
	switch step.visit(call.Visit).does {
	case "fail":
		return nil, fmt.Errorf("as planned")
	case "ask":
		entry, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		return nil, &engine.AwaitInput{Prompt: "?", Entry: entry}
	}
	return out, nil
}

// workflow is the graph of a plan.
func (p *plan) workflow() *engine.Workflow {
	w := &engine.Workflow{ID: "W"}
	for _, id := range p.order {
		s := p.steps[id]
		step := engine.Step{ID: id, Function: "pure", OnError: s.onError}
		if s.takes > 0 {
			step.Function = "call"
		}
		if len(s.needs) > 0 {
			needs := map[string]string{}
			for i, n := range s.needs {
				needs[fmt.Sprint(i)] = fmt.Sprintf("@{SESSION_ID}.%s.open", n)
			}
			input, _ := json.Marshal(needs)
			step.Input = string(input)
		}
		if s.joinAll {
			step.Join = engine.JoinAll
		}
		w.Steps = append(w.Steps, step)
		for _, n := range s.next {
			path := engine.Path{Kind: engine.Next, Source: id, Target: n.target, Back: n.marked, Operator: "OR",
				Condition: []any{fmt.Sprintf("@{SESSION_ID}.%s.open.%s", id, n.target)}}
			if contains(s.onErrors, n.target) {
				path.Condition = append(path.Condition.([]any), fmt.Sprintf("@{SESSION_ID}.%s.error.kind", id))
			}
			w.Paths = append(w.Paths, path)
		}
	}
	return w
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// plans makes random plans. A path is open after three visits of its step at most, so
// that every loop ends.
func plans() *rapid.Generator[*plan] {
	return rapid.Custom(func(t *rapid.T) *plan {
		p := &plan{steps: map[string]*planStep{}, order: []string{"root"}}
		for i := range rapid.IntRange(1, 7).Draw(t, "steps") {
			p.order = append(p.order, fmt.Sprintf("s%d", i))
		}
		for i, id := range p.order {
			p.steps[id] = p.anyStep(t, i, id)
		}
		return p
	})
}

func (p *plan) anyStep(t *rapid.T, i int, id string) *planStep {
	s := &planStep{id: id, joinAll: rapid.IntRange(0, 2).Draw(t, "join") == 0}
	s.onError = rapid.SampledFrom([]string{"", "", "continue", "continue", "fail_session"}).Draw(t, "on_error")
	if rapid.IntRange(0, 3).Draw(t, "effects") == 0 { // lengths of which no two sums are alike
		s.takes = time.Duration(1_000_000+104_729*i*i+7_919*i*i*i+i) * time.Nanosecond
	}
	for j, source := range p.order {
		if i > 0 && i != j && rapid.IntRange(0, 9).Draw(t, "needs") == 0 {
			s.needs = append(s.needs, source)
		}
	}
	for j, target := range p.order {
		often := 2
		if j <= i {
			often = 6 // paths that may close a loop are rarer
		}
		if rapid.IntRange(0, often).Draw(t, "path") == 0 {
			s.next = append(s.next, planPath{target, rapid.IntRange(0, 5).Draw(t, "back") == 0})
			if rapid.Bool().Draw(t, "after an error") {
				s.onErrors = append(s.onErrors, target)
			}
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "visits") {
		v := planVisit{does: rapid.SampledFrom([]string{"ok", "ok", "ok", "ok", "ask", "fail"}).Draw(t, "does")}
		for _, n := range s.next {
			if rapid.IntRange(0, 3).Draw(t, "open") > 0 {
				v.open = append(v.open, n.target)
			}
		}
		s.visits = append(s.visits, v)
	}
	return s
}

// String shows a plan, a line for each step.
func (p *plan) String() string {
	var b strings.Builder
	for _, id := range p.order {
		s := p.steps[id]
		fmt.Fprintf(&b, "%s joinAll=%t onError=%q takes=%s needs=%v", id, s.joinAll, s.onError, s.takes, s.needs)
		for _, n := range s.next {
			fmt.Fprintf(&b, " >%s", n.target)
			if n.marked {
				b.WriteString("(back)")
			}
		}
		fmt.Fprintf(&b, " visits=%v after errors=%v\n", s.visits, s.onErrors)
	}
	return b.String()
}
