package engine

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/judge"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
	"github.com/tidwall/gjson"
)

// defaultRounds bounds containers that do not say how many rounds they have.
const defaultRounds = 1000

// beginBody begins the first round of a container.
func (r *runner) beginBody(res *attemptResult, q *RunBody) *Execution {
	a := res.attempt
	step := a.compiled
	if len(step.Body) == 0 {
		return r.badHandover(res, "step %q contains no steps: draw a CONTAINS path from it to each step of its body", a.step)
	}
	if len(step.Starts) == 0 {
		return r.badHandover(res, "the body of %q is one circle: mark the path that closes it with back", a.step)
	}
	b := &state.Body{Rounds: q.Rounds, While: q.While, Until: q.Until, Max: q.MaxRounds, Finish: q.Finish,
		AtOnce: q.AtOnce, First: q.First, Room: q.Concurrency, KeepGoing: q.KeepGoing}
	if q.Items != nil {
		list, err := jsontext.Marshal(q.Items)
		if err != nil {
			return r.badHandover(res, "items: %v", err)
		}
		b.Items, b.Count = r.keepText(list), len(q.Items)
		if b.Rounds == 0 || b.Rounds > b.Count {
			b.Rounds = b.Count
		}
		b.Over = b.Count == 0
	}
	if b.Max <= 0 {
		b.Max = max(b.Rounds, defaultRounds)
	}
	if b.AtOnce {
		b.Rounds, b.Max = 1, 1
		if b.Room <= 0 {
			b.Room = defaultConcurrency
		}
	}
	d := r.entrust(res)
	d.Body = b
	r.clearBody(step)
	r.nextRound(a.step, d)
	return nil
}

// nextRound begins the round that b.Round names, or ends the body where none follows.
func (r *runner) nextRound(id string, d *state.Suspended) {
	b := d.Body
	step := r.def.Step(id)
	if b.Over || b.Rounds > 0 && b.Round >= b.Rounds || !r.holdsNow(id, b.While, true) {
		r.endBody(id, d)
		return
	}
	if b.Round >= b.Max {
		r.failBody(id, failure{kind: KindLimit, final: true,
			message: fmt.Sprintf("max_rounds: %d rounds have run; retry gives as many again", b.Max)})
		return
	}
	if len(step.Starts) == 0 {
		r.goneFor(id, visitInfo{started: state.Time(d.Started), reads: d.Reads}, nil,
			fmt.Sprintf("all steps that %q contains were removed while its rounds ran; add one and retry, or move the session to another step", id))
		return
	}
	b.Steps = append([]string(nil), step.Body...)
	b.Visits, b.Waiting, b.Broke, b.Failed = 0, nil, nil, ""
	r.showRound(id, d)
	starts := step.Starts
	if b.AtOnce && len(starts) > b.Room {
		b.Waiting = append([]string(nil), starts[b.Room:]...)
		starts = starts[:b.Room]
	}
	for _, start := range starts {
		r.beginVisit(start, []state.TakenPath{{Path: id + ">" + start + ":" + string(Contains)}})
	}
	r.unwritten.touch()
}

// showRound makes the container's output {item, index} of the round.
func (r *runner) showRound(id string, d *state.Suspended) {
	b := d.Body
	if b.AtOnce {
		return
	}
	out := []byte{'{'}
	if b.Items != nil {
		if item := r.itemOf(b); item != nil {
			out = append(append(append(out, `"item":`...), item...), ',')
		}
	}
	out = fmt.Appendf(out, `"index":%d}`, b.Round)
	r.showOutput(id, d, out, 0)
}

func (r *runner) itemOf(b *state.Body) json.RawMessage {
	list, err := r.keptText(b.Items)
	if err != nil {
		return nil
	}
	return json.RawMessage(gjson.GetBytes(list, fmt.Sprint(b.Round)).Raw)
}

// showOutput makes an output the one entry of the visit, anew or in the place of what
// stands there.
func (r *runner) showOutput(id string, d *state.Suspended, output json.RawMessage, seq int64) {
	if !d.Shown || len(r.state.Outputs(id)) == 0 {
		d.Shown = true
		r.keepOutput(id, output, seq)
		return
	}
	old, _ := r.state.KeptOutput(id, -1)
	r.state.SetNewest(id, r.intern(output))
	r.counters.RenewOutput(id, seq)
	r.forget(old)
}

// holdsNow judges a condition of a container against the state as it is now. What cannot
// be read closes, and says so among the session's problems.
func (r *runner) holdsNow(id string, condition json.RawMessage, otherwise bool) bool {
	if len(condition) == 0 {
		return otherwise
	}
	var written any
	if err := json.Unmarshal(condition, &written); err != nil {
		return false
	}
	switch w := written.(type) {
	case nil:
		return otherwise
	case bool, float64:
		written = []any{w}
	case map[string]any:
		written = string(condition)
	}
	verdict := conditions.Parse(written, "").Evaluate(judge.Operands{Scope: references.Scope{Session: r.id, Outputs: (*runnerOutputs)(r)}})
	problem := ""
	if verdict.Err != nil {
		problem = "condition of the container: " + verdict.Err.Error()
	}
	r.state.NoteProblem(id, problem)
	return verdict.Open
}

// clearBody takes away what the round before left in a body: statuses, joins and what
// was skipped. Visits go on counting.
func (r *runner) clearBody(step *graph.CompiledStep) {
	for _, id := range step.Body {
		r.state.ClearStatus(id)
		r.state.EndLive(id)
		r.state.CloseAsk(id)
		r.state.ForgetArrivals(id)
		r.state.DropActivation(id)
		r.dropDriven(id)
		if inner := r.def.Step(id); inner != nil {
			r.clearBody(inner)
		}
	}
	var kept []string
	for _, target := range r.state.Untaken() {
		if s := r.def.Step(target); s == nil || !r.def.Holds(step.ID, s) {
			kept = append(kept, target)
		}
	}
	r.state.KeepUntaken(kept)
}

// cancelBody ends everything live in a container's body.
func (r *runner) cancelBody(id, reason string) {
	for _, inner := range r.bodySteps(id) {
		r.state.DropActivation(inner)
		if r.state.HasBegun(inner) {
			r.cancelStep(inner, reason)
		}
	}
}

// allowance is how many visits there may be between two pauses, and in one round.
func (r *runner) allowance() int {
	if limit := r.def.Workflow.Settings.MaxSteps; limit > 0 {
		return limit
	}
	if r.e.o.MaxSteps > 0 {
		return r.e.o.MaxSteps
	}
	return math.MaxInt
}

// countedIn is the container in whose rounds the visits of a step are counted against max_steps,
// "" for those that count in the session.
func (r *runner) countedIn(id string) string {
	if s := r.def.Step(id); s != nil {
		return s.Holder
	}
	return ""
}
