package session

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
)

// blobBytes is the size in bytes above which an output is stored as a BLOB instead of in the state.
const blobBytes = 64 << 10

// Output returns one kept output of a step; see references.Outputs.
func (r *ledger) Output(step string, index int) (json.RawMessage, bool, error) {
	value, ok := r.state.KeptOutput(step, index)
	if !ok {
		return r.e.variables(step, index)
	}
	hash := state.BlobHash(value)
	if hash == "" {
		return r.withResults(step, index, value)
	}
	text, err := r.blob(hash)
	if err != nil {
		return nil, false, fmt.Errorf("output of step %q: %w", step, err)
	}
	return text, true, nil
}

// intern returns the form in which the state stores an output: the output itself, or a reference to a BLOB.
func (r *ledger) intern(output json.RawMessage) json.RawMessage {
	if len(output) <= blobBytes {
		return output
	}
	marker, hash := state.OnBlob(output)
	r.writeBlob(hash, output)
	return marker
}

// forget drops the BLOB of an output that is no longer kept, unless another output of the session
// refers to the same BLOB.
func (r *ledger) forget(old json.RawMessage) {
	hash := state.BlobHash(old)
	if hash == "" || r.state.KeepsBlob(hash) {
		return
	}
	r.unwritten.drop = append(r.unwritten.drop, hash)
}

// checkOutput rejects an output that is not valid JSON, is too large, or does not match the
// step's output_schema.
func (r *ledger) checkOutput(step *graph.CompiledStep, output json.RawMessage) *failure {
	if len(output) == 0 {
		return &failure{kind: function.KindOutputInvalid, message: fmt.Sprintf("function %s gave no output", step.Function), final: true}
	}
	if len(output) > r.e.MaxOutput {
		return &failure{kind: function.KindTooLarge, final: true,
			message: fmt.Sprintf("output has %d bytes, at most %d are kept", len(output), r.e.MaxOutput)}
	}
	if problem := r.tooLarge(len(output)); problem != "" {
		return &failure{kind: function.KindTooLarge, message: problem, final: true}
	}
	if !json.Valid(output) {
		return &failure{kind: function.KindOutputInvalid, message: fmt.Sprintf("function %s gave no JSON", step.Function), final: true}
	}
	if jsontext.Blank(step.OutputSchema) {
		return nil
	}
	schema, err := schemacheck.Compile([]byte(step.OutputSchema))
	if err != nil {
		return &failure{kind: function.KindBadInput, message: "output_schema: " + err.Error(), final: true}
	}
	if faults := schema.Check(output); len(faults) > 0 {
		return &failure{kind: function.KindOutputInvalid, final: true,
			message: fmt.Sprintf("output does not fit output_schema: %s: %s", faults[0].Pointer, faults[0].Message)}
	}
	return nil
}

// tooLarge returns an error text when the state has no room for an output of n bytes, "" when it
// has. An output that is stored as a BLOB takes no room.
func (r *ledger) tooLarge(n int) string {
	if n > blobBytes {
		n = 0
	}
	if size := r.stateBytes + n; size > r.e.MaxState {
		return fmt.Sprintf("the state would have %d bytes, at most %d are kept; keep large data outside and pass references", size, r.e.MaxState)
	}
	return ""
}

// withResults adds the results of the rounds so far to the output of a running container, when a
// step of its body refers to them.
func (r *ledger) withResults(step string, index int, value json.RawMessage) (json.RawMessage, bool, error) {
	d := r.state.SuspendedNow(step)
	if d == nil || d.Body == nil || d.Body.AtOnce || index != -1 && index != len(r.state.Outputs(step))-1 || !r.def.ReadsResults(step) {
		return value, true, nil
	}
	stored, err := r.roundResults(step, d)
	if err != nil {
		return nil, false, err
	}
	list := []byte{'['}
	for i, s := range stored {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, s.Output...)
	}
	return jsontext.With(value, []jsontext.Field{{Key: "results", Value: append(list, ']')}}), true, nil
}

// roundResults returns the results of a container's rounds so far, in order. Those of this claim
// are in memory; earlier ones are read once.
func (r *ledger) roundResults(id string, d *state.Suspended) ([]store.StoredResult, error) {
	key := roundsKey(id, d.Visit)
	have := r.rounds[key]
	missing := d.Body.Stored
	if len(have) > 0 {
		missing = have[0].Index
	}
	if missing > 0 {
		stored, err := retry.Do(r.ctx, func() ([]store.StoredResult, error) { return r.e.Store.Results(r.ctx, r.id, id, d.Visit) })
		if err != nil {
			return nil, fmt.Errorf("results of %q: %w", id, err)
		}
		have = append(stored[:min(missing, len(stored)):min(missing, len(stored))], have...)
		if r.rounds == nil {
			r.rounds = map[string][]store.StoredResult{}
		}
		r.rounds[key] = have
	}
	return have, nil
}

func roundsKey(step string, visit int) string { return fmt.Sprintf("%s/%d", step, visit) }
