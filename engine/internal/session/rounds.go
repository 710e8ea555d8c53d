package session

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// settle checks whether a container's round is over, and begins the next round or ends the body.
// It reports whether anything changed.
func (r *bodies) settle(id string, d *state.Suspended) bool {
	if d.Body.AtOnce {
		return r.settleGroup(id, d)
	}
	b := d.Body
	if b.Failed == "" && r.bodyLive(id) {
		return false
	}
	if b.Failed != "" {
		return r.endFailedRound(id, d)
	}
	r.keepResult(id, d, r.resultOfRound(r.def.Step(id)))
	if len(b.Broke) > 0 || r.holdsNow(id, b.Until, false) {
		b.Over = true
	}
	r.toNextRound(id, d)
	return true
}

// retry lets the round in which a step failed go on (the step itself is retried too, see
// withContainers), or allows the same number of rounds again.
func (r *bodies) retry(id string, d *state.Suspended) {
	b := d.Body
	if b.Failed == "" && b.Round >= b.Max && !b.Over {
		b.Max += max(b.Max, 1)
		r.nextRound(id, d)
		return
	}
	b.Failed = ""
}

func (r *bodies) toNextRound(id string, d *state.Suspended) {
	d.Body.Round++
	if !d.Body.Over {
		if b := d.Body; b.Rounds == 0 || b.Round < b.Rounds {
			r.clearBody(r.def.Step(id))
		}
	}
	r.nextRound(id, d)
}

// endFailedRound applies the container's on_error to a body step in error.
func (r *bodies) endFailedRound(id string, d *state.Suspended) bool {
	b := d.Body
	step := r.def.Step(id)
	problem := r.state.StepError(b.Failed)
	f := failure{kind: problem.Kind, message: problem.Message, final: true}
	r.stop(id, fmt.Sprintf("step %q ended the round in error", b.Failed))
	if step.OnError != graph.OnErrorContinue && !b.KeepGoing {
		f.message = fmt.Sprintf("round %d: step %q: %s", b.Round+1, b.Failed, problem.Message)
		r.failBody(id, f)
		return true
	}
	r.settleError(b.Failed)
	result, _ := jsontext.Marshal(map[string]any{"error": function.SessionError{Step: b.Failed, Kind: f.kind, Message: f.message}})
	r.keepResult(id, d, result)
	b.Failed = ""
	if len(b.Broke) > 0 || r.holdsNow(id, b.Until, false) {
		b.Over = true
	}
	r.toNextRound(id, d)
	return true
}

// defaultRounds is the maximum number of rounds of a container that does not set one.
const defaultRounds = 1000

// beginBody begins the first round of a container.
func (r *bodies) beginBody(res *attemptResult, q *function.RunBody) *store.Execution {
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

// nextRound begins the round that b.Round numbers, or ends the body when there is none.
func (r *bodies) nextRound(id string, d *state.Suspended) {
	b := d.Body
	step := r.def.Step(id)
	if b.Over || b.Rounds > 0 && b.Round >= b.Rounds || !r.holdsNow(id, b.While, true) {
		r.endBody(id, d)
		return
	}
	if b.Round >= b.Max {
		r.failBody(id, failure{kind: function.KindLimit, final: true,
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
		r.beginVisit(start, []state.TakenPath{{Path: id + ">" + start + ":" + string(graph.Contains)}})
	}
	r.unwritten.touch()
}

// showRound sets the container's output to {item, index} of the current round.
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
