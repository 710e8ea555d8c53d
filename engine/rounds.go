package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// settle looks whether a container's round is over, and goes on to the next or ends
// the body. It tells whether anything moved.
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

func (r *bodies) resume(_ context.Context, id string, d *state.Suspended, call *Call) (err error) {
	call.Body, err = r.outcomeOf(id, d)
	return err
}

// retry goes on with the step that failed the round, or gives as many rounds again.
func (r *bodies) retry(id string, d *state.Suspended) {
	b := d.Body
	if b.Failed == "" && b.Round >= b.Max && !b.Over {
		b.Max += max(b.Max, 1)
		r.nextRound(id, d)
		return
	}
	b.Failed = ""
}

func (r *bodies) drop(d *state.Suspended) { r.dropText(d.Body.Items) }

func (r *bodies) toNextRound(id string, d *state.Suspended) {
	d.Body.Round++
	if !d.Body.Over {
		if b := d.Body; b.Rounds == 0 || b.Round < b.Rounds {
			r.clearBody(r.def.Step(id))
		}
	}
	r.nextRound(id, d)
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

// endFailedRound does what the container's on_error says about a body step in error.
func (r *bodies) endFailedRound(id string, d *state.Suspended) bool {
	b := d.Body
	step := r.def.Step(id)
	problem := r.state.StepError(b.Failed)
	f := failure{kind: problem.Kind, message: problem.Message, final: true}
	r.stop(id, fmt.Sprintf("step %q ended the round in error", b.Failed))
	if step.OnError != OnErrorContinue && !b.KeepGoing {
		f.message = fmt.Sprintf("round %d: step %q: %s", b.Round+1, b.Failed, problem.Message)
		r.failBody(id, f)
		return true
	}
	r.settleError(b.Failed)
	result, _ := jsontext.Marshal(map[string]any{"error": SessionError{Step: b.Failed, Kind: f.kind, Message: f.message}})
	r.keepResult(id, d, result)
	b.Failed = ""
	if len(b.Broke) > 0 || r.holdsNow(id, b.Until, false) {
		b.Over = true
	}
	r.toNextRound(id, d)
	return true
}

// failBody fails a container; what it had reached stays, so that a retry goes on there.
func (r *bodies) failBody(id string, f failure) {
	d := r.state.Suspended(id)
	text, _ := r.keptText(d.Input)
	f.info = visitInfo{started: state.Time(d.Started), input: text, reads: d.Reads}
	r.failStepFor(id, f)
}

// resultOfRound is the newest output of the body's end, an object by step id where the body
// has several ends: of those that ran in this round.
func (r *bodies) resultOfRound(step *graph.CompiledStep) json.RawMessage {
	return resultOf(step.Ends, func(id string) (json.RawMessage, bool) {
		switch r.state.Status(id) {
		case StatusComplete:
		case StatusError: // with on_error: continue its output says why
			if r.def.Step(id).OnError != OnErrorContinue {
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
	r.unwritten.stored = append(r.unwritten.stored, StoredResult{Session: r.id, Step: id, Visit: d.Visit, Index: d.Body.Round, Output: result})
	r.unwritten.bytes += len(result)
	r.unwritten.visits++
	d.Body.Stored = d.Body.Round + 1
	if r.rounds == nil {
		r.rounds = map[string][]StoredResult{}
	}
	key := roundsKey(id, d.Visit)
	r.rounds[key] = append(r.rounds[key], r.unwritten.stored[len(r.unwritten.stored)-1])
	r.unwritten.touch()
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
		r.failBody(id, failure{kind: KindFailed, message: err.Error()})
		return
	}
	list := make([]json.RawMessage, len(outcome.Results))
	for i := range outcome.Results {
		list[i] = outcome.Results[i].Output
	}
	output, err := jsontext.Marshal(map[string]any{"results": list, "count": len(list)})
	if err != nil {
		r.failBody(id, failure{kind: KindOutputInvalid, message: err.Error(), final: true})
		return
	}
	input, _ := r.keptText(d.Input)
	r.finishSuspended(id, output, visitInfo{started: state.Time(d.Started), input: input, reads: d.Reads, attempt: r.counters.Attempts(id) + 1})
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

// noteBreak keeps a path out of a running body for the end of its round. In a session
// that runs a map's body alone there is no outside.
func (r *bodies) noteBreak(p *graph.CompiledPath, from state.TakenPath) {
	if d := r.state.Suspended(r.def.Step(p.Source).Holder); d != nil && d.Body != nil {
		d.Body.Broke = append(d.Body.Broke, state.BrokenPath{Target: p.Target, From: from})
		r.unwritten.touch()
	}
}

// breakOut takes the paths that broke out of a container's body.
func (r *bodies) breakOut(id string, record *Execution, broke []state.BrokenPath) {
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

// outcomeOf is what a container's function is told of its body.
func (r *bodies) outcomeOf(id string, d *state.Suspended) (*BodyOutcome, error) {
	b := d.Body
	out := &BodyOutcome{Broke: len(b.Broke) > 0, Rounds: b.Round}
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
		if size += len(s.Output); size > r.e.o.MaxOutput {
			return nil, &CallError{Kind: KindTooLarge, Message: fmt.Sprintf("the results of the rounds have more than %d bytes together; let the body keep less", r.e.o.MaxOutput)}
		}
		one := BodyResult{Status: StatusComplete, Output: s.Output}
		if problem := roundError(s.Output); problem != nil {
			one = BodyResult{Status: StatusError, Output: s.Output, Error: problem}
		}
		out.Results = append(out.Results, one)
	}
	return out, nil
}

// roundError reads the result of a round that ended in error.
func roundError(output []byte) *SessionError {
	var result struct {
		Error *SessionError `json:"error"`
	}
	fields := jsontext.Fields(output)
	if len(fields) != 1 || fields[0].Key != "error" || json.Unmarshal(output, &result) != nil || result.Error == nil || result.Error.Kind == "" {
		return nil
	}
	return result.Error
}
