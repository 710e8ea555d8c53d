package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// bodies runs the rounds of containers: loops, iterations and groups. A container's call is
// suspended while the steps of its body run (see suspendedCall). When a round ends, the container
// begins the next round, calls its function again, or ends with an output.
type bodies struct{ *visits }

// clearBody removes what the previous round left in a body: statuses, joins and skipped labels.
// Visit numbers continue.
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

// stop cancels every live step in a container's body.
func (r *bodies) stop(id, reason string) {
	for _, inner := range r.bodySteps(id) {
		r.state.DropActivation(inner)
		if r.state.HasBegun(inner) {
			r.cancelStep(inner, reason)
		}
	}
}

// bodyLive reports whether any step in a container's body runs, waits, or has paths to be followed.
func (r *bodies) bodyLive(id string) bool {
	for _, inner := range r.bodySteps(id) {
		if r.state.HasBegun(inner) {
			return true
		}
		if waits := r.state.IsWaitingJoin(inner); waits {
			return true
		}
	}
	for _, a := range r.arrived { // its paths have not been followed yet
		if r.holderOf(a.step) == id {
			return true
		}
	}
	return false
}

func (r *bodies) drop(d *state.Suspended) { r.dropText(d.Body.Items) }

func (r *bodies) resume(_ context.Context, id string, d *state.Suspended, call *function.Call) (err error) {
	call.Body, err = r.outcomeOf(id, d)
	return err
}

// failBody fails a container. The state of its body is kept, so that a retry continues there.
func (r *bodies) failBody(id string, f failure) {
	d := r.state.Suspended(id)
	text, _ := r.keptText(d.Input)
	f.info = visitInfo{started: state.Time(d.Started), input: text, reads: d.Reads}
	r.failStepFor(id, f)
}

// endBody ends a container's body. The function is called again if it asked for that; otherwise
// the results of the rounds become the container's output.
func (r *bodies) endBody(id string, d *state.Suspended) {
	r.unwritten.touch()
	if d.Body.Finish {
		d.Ready = true
		return
	}
	outcome, err := r.outcomeOf(id, d)
	if err != nil {
		r.failBody(id, failure{kind: function.KindFailed, message: err.Error()})
		return
	}
	list := make([]json.RawMessage, len(outcome.Results))
	for i := range outcome.Results {
		list[i] = outcome.Results[i].Output
	}
	output, err := jsontext.Marshal(map[string]any{"results": list, "count": len(list)})
	if err != nil {
		r.failBody(id, failure{kind: function.KindOutputInvalid, message: err.Error(), final: true})
		return
	}
	input, _ := r.keptText(d.Input)
	r.finishSuspended(id, output, visitInfo{started: state.Time(d.Started), input: input, reads: d.Reads, attempt: r.counters.Attempts(id) + 1})
}

// outcomeOf returns what a container's function receives about its body when it is called again.
func (r *bodies) outcomeOf(id string, d *state.Suspended) (*function.BodyOutcome, error) {
	b := d.Body
	out := &function.BodyOutcome{Broke: len(b.Broke) > 0, Rounds: b.Round}
	if b.AtOnce {
		out.Rounds, out.Results = 1, r.groupResults(id)
		return out, nil
	}
	stored, err := r.roundResults(id, d)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, s := range stored {
		if size += len(s.Output); size > r.e.MaxOutput {
			return nil, &function.CallError{Kind: function.KindTooLarge, Message: fmt.Sprintf("the results of the rounds have more than %d bytes together; let the body keep less", r.e.MaxOutput)}
		}
		one := function.BodyResult{Status: store.StatusComplete, Output: s.Output}
		if problem := roundError(s.Output); problem != nil {
			one = function.BodyResult{Status: store.StatusError, Output: s.Output, Error: problem}
		}
		out.Results = append(out.Results, one)
	}
	return out, nil
}

// finishSuspended ends the visit of a suspended step with its output. When paths have left
// the body (a break), only those paths are taken.
func (r *bodies) finishSuspended(id string, output json.RawMessage, v visitInfo) {
	d := r.state.Suspended(id)
	if problem := r.checkOutput(r.def.Step(id), output); problem != nil {
		problem.info = v
		r.failStepFor(id, *problem)
		return
	}
	var broke []state.BrokenPath
	if d.Body != nil {
		broke = d.Body.Broke
	}
	record := r.complete(id, output, v)
	if record == nil {
		return
	}
	if len(broke) == 0 {
		r.arrived = append(r.arrived, arrival{step: id, record: record})
		return
	}
	r.breakOut(id, record, broke)
}

// breakOut follows the paths that left a container's body.
func (r *bodies) breakOut(id string, record *store.Execution, broke []state.BrokenPath) {
	holder := r.def.Step(id).Holder
	for _, b := range broke {
		target := r.def.Step(b.Target)
		if target == nil {
			continue
		}
		if target.Holder == holder {
			r.activate(b.Target, state.TakenPath{Seq: record.Seq, Path: b.From.Path, Jump: b.From.Jump})
			if b.From.Jump {
				r.state.GoBack(r.def, b.Target)
			}
			continue
		}
		if outer := r.state.Suspended(holder); outer != nil && outer.Body != nil {
			outer.Body.Broke = append(outer.Body.Broke, b)
		}
	}
	r.unwritten.touch()
}

// noteBreak keeps a path that leaves a running body until the round ends. A child session that
// runs only the body of a map has no steps outside, so it ignores such a path.
func (r *bodies) noteBreak(p *graph.CompiledPath, from state.TakenPath) {
	if d := r.state.Suspended(r.def.Step(p.Source).Holder); d != nil && d.Body != nil {
		d.Body.Broke = append(d.Body.Broke, state.BrokenPath{Target: p.Target, From: from})
		r.unwritten.touch()
	}
}

// groupResults returns the results of a group's end steps, in the order of CONTAINS.
func (r *bodies) groupResults(id string) []function.BodyResult {
	step := r.def.Step(id)
	var out []function.BodyResult
	for _, end := range step.Ends {
		one := function.BodyResult{Step: end, Name: end, Status: r.state.Status(end)}
		if s := r.def.Step(end); s.Name != "" {
			one.Name = s.Name
		}
		switch one.Status {
		case store.StatusComplete:
			if value, found, err := r.ledger.Output(end, -1); found && err == nil {
				one.Output = value
			}
		case store.StatusError:
			one.Error = r.state.StepError(end)
		case "":
			one.Status = store.StatusSkipped
		}
		out = append(out, one)
	}
	for _, inner := range step.Body { // an error on the way to an end step is handled together with it
		r.settleError(inner)
	}
	return out
}

// resultOfRound returns the newest output of the body's end step. A body with several end steps
// gives an object by step id of those that ran in this round.
func (r *bodies) resultOfRound(step *graph.CompiledStep) json.RawMessage {
	return resultOf(step.Ends, func(id string) (json.RawMessage, bool) {
		switch r.state.Status(id) {
		case store.StatusComplete:
		case store.StatusError: // with on_error: continue the output holds the error
			if r.def.Step(id).OnError != graph.OnErrorContinue {
				return nil, false
			}
		default:
			return nil, false
		}
		value, found, err := r.ledger.Output(id, -1)
		return value, found && err == nil
	})
}

// keepResult stores the result of a round; the results are combined when the body ends.
func (r *bodies) keepResult(id string, d *state.Suspended, result json.RawMessage) {
	if result == nil {
		result = json.RawMessage("null")
	}
	r.unwritten.stored = append(r.unwritten.stored, store.StoredResult{Session: r.id, Step: id, Visit: d.Visit, Index: d.Body.Round, Output: result})
	r.unwritten.bytes += len(result)
	r.unwritten.visits++
	d.Body.Stored = d.Body.Round + 1
	if r.rounds == nil {
		r.rounds = map[string][]store.StoredResult{}
	}
	key := roundsKey(id, d.Visit)
	r.rounds[key] = append(r.rounds[key], r.unwritten.stored[len(r.unwritten.stored)-1])
	r.unwritten.touch()
}

// roundError decodes the result of a round that ended in error.
func roundError(output []byte) *function.SessionError {
	var result struct {
		Error *function.SessionError `json:"error"`
	}
	fields := jsontext.Fields(output)
	if len(fields) != 1 || fields[0].Key != "error" || json.Unmarshal(output, &result) != nil || result.Error == nil || result.Error.Kind == "" {
		return nil
	}
	return result.Error
}
