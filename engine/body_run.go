package engine

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// defaultRounds bounds containers that do not say how many rounds they have.
const defaultRounds = 1000

// bodies are the rounds of containers: loops, iterations and groups.
type bodies struct{ *visits }

// beginBody begins the first round of a container.
func (r *bodies) beginBody(res *attemptResult, q *RunBody) *Execution {
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
	d := r.suspend(res)
	d.Body = b
	r.clearBody(step)
	r.nextRound(a.step, d)
	return nil
}

// nextRound begins the round that b.Round names, or ends the body where none follows.
func (r *bodies) nextRound(id string, d *state.Suspended) {
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
func (r *bodies) showRound(id string, d *state.Suspended) {
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

func (r *bodies) itemOf(b *state.Body) json.RawMessage {
	list, err := r.keptText(b.Items)
	if err != nil {
		return nil
	}
	return json.RawMessage(gjson.GetBytes(list, fmt.Sprint(b.Round)).Raw)
}

// clearBody takes away what the round before left in a body: statuses, joins and what
// was skipped. Visits go on counting.
func (r *bodies) clearBody(step *graph.CompiledStep) {
	for _, id := range step.Body {
		r.state.ClearStatus(id)
		r.state.EndLive(id)
		r.state.CloseAsk(id)
		r.state.ForgetArrivals(id)
		r.state.DropActivation(id)
		r.dropSuspended(id)
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

// stop ends everything live in a container's body.
func (r *bodies) stop(id, reason string) {
	for _, inner := range r.bodySteps(id) {
		r.state.DropActivation(inner)
		if r.state.HasBegun(inner) {
			r.cancelStep(inner, reason)
		}
	}
}
