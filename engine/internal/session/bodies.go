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

// bodies are the rounds of containers: loops, iterations and groups.
type bodies struct{ *visits }

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

// bodyLive tells whether anything in a container's body still goes on or waits.
func (r *bodies) bodyLive(id string) bool {
	for _, inner := range r.bodySteps(id) {
		if r.state.HasBegun(inner) {
			return true
		}
		if waits := r.state.IsWaitingJoin(inner); waits {
			return true
		}
	}
	for _, a := range r.arrived { // its paths are still to be followed
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

// failBody fails a container; what it had reached stays, so that a retry goes on there.
func (r *bodies) failBody(id string, f failure) {
	d := r.state.Suspended(id)
	text, _ := r.keptText(d.Input)
	f.info = visitInfo{started: state.Time(d.Started), input: text, reads: d.Reads}
	r.failStepFor(id, f)
}

// endBody ends a container: its function is called again where it wants to, else its
// output is what the rounds gave.
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

// outcomeOf is what a container's function is told of its body.
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

// finishSuspended ends the visit of a driven step with its output. A path that broke out of
// its body is the only one taken.
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

// breakOut takes the paths that broke out of a container's body.
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

// noteBreak keeps a path out of a running body for the end of its round. In a session
// that runs a map's body alone there is no outside.
func (r *bodies) noteBreak(p *graph.CompiledPath, from state.TakenPath) {
	if d := r.state.Suspended(r.def.Step(p.Source).Holder); d != nil && d.Body != nil {
		d.Body.Broke = append(d.Body.Broke, state.BrokenPath{Target: p.Target, From: from})
		r.unwritten.touch()
	}
}

// groupResults are the ends of a group in the order of CONTAINS, as they ended.
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
	for _, inner := range step.Body { // errors on the way to an end are dealt with too
		r.settleError(inner)
	}
	return out
}

// resultOfRound is the newest output of the body's end, an object by step id where the body
// has several ends: of those that ran in this round.
func (r *bodies) resultOfRound(step *graph.CompiledStep) json.RawMessage {
	return resultOf(step.Ends, func(id string) (json.RawMessage, bool) {
		switch r.state.Status(id) {
		case store.StatusComplete:
		case store.StatusError: // with on_error: continue its output says why
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

// keepResult stores a round's result, to be put together at the end.
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

// roundError reads the result of a round that ended in error.
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
