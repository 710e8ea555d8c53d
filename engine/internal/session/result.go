package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// stateOutputs reads the outputs of a session that this process does not run, including BLOBs.
type stateOutputs struct {
	blobs store.Store
	ctx   context.Context
	state *state.State
}

// Output returns one kept output of a step; see references.Outputs.
func (o stateOutputs) Output(step string, index int) (json.RawMessage, bool, error) {
	value, ok := o.state.KeptOutput(step, index)
	if !ok {
		return nil, false, nil
	}
	hash := state.BlobHash(value)
	if hash == "" {
		return value, true, nil
	}
	found, err := o.blobs.Blobs(o.ctx, o.state.ID, []string{hash})
	if err != nil {
		return nil, false, err
	}
	text, ok := found[hash]
	if !ok {
		return nil, false, fmt.Errorf("blob %s of session %s is gone", hash, o.state.ID)
	}
	return text, true, nil
}

// Result returns the result of a stored session; see resultOfSession.
func Result(ctx context.Context, in store.Store, st *state.State, def *graph.Definition, holder string) json.RawMessage {
	return resultOfSession(st, def, holder, stateOutputs{blobs: in, ctx: ctx, state: st})
}

// resultOfSession returns the result of a session: the newest output of the step that has no
// forward path, or an object by step id if several such steps ran. If none ran, it is the output
// of the step that completed last. A session that runs only a container's body uses the steps of
// that body.
func resultOfSession(s *state.State, def *graph.Definition, holder string, outputs stateOutputs) json.RawMessage {
	var ran []string
	ends := def.WorkflowEnds(holder)
	if until := s.EndsAt(); len(until) > 0 {
		ends = until
	}
	for _, id := range ends {
		if s.Status(id) == store.StatusComplete && len(s.Outputs(id)) > 0 {
			ran = append(ran, id)
		}
	}
	if len(ran) == 0 { // it ended where no path was taken: what ran last is what it came to
		ran = s.LastRun()
	}
	return resultOf(ran, func(id string) (json.RawMessage, bool) {
		value, found, err := outputs.Output(id, -1)
		return value, found && err == nil
	})
}

// resultOf combines the outputs of end steps: the output itself for one end step, an object by
// step id for several, nil when none has an output.
func resultOf(ends []string, output func(id string) (json.RawMessage, bool)) json.RawMessage {
	if len(ends) == 1 {
		value, _ := output(ends[0])
		return value
	}
	var out []byte
	for _, id := range ends {
		value, ok := output(id)
		if !ok {
			continue
		}
		if out == nil {
			out = []byte{'{'}
		} else {
			out = append(out, ',')
		}
		out = append(jsontext.AppendString(out, id), ':')
		out = append(out, value...)
	}
	if out == nil {
		return nil
	}
	return append(out, '}')
}
