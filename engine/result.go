package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// stateOutputs reads the outputs of a session that nobody runs here, following BLOBs.
type stateOutputs struct {
	e     *Engine
	ctx   context.Context
	state *State
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
	found, err := o.e.store.Blobs(o.ctx, o.state.ID, []string{hash})
	if err != nil {
		return nil, false, err
	}
	text, ok := found[hash]
	if !ok {
		return nil, false, fmt.Errorf("blob %s of session %s is gone", hash, o.state.ID)
	}
	return text, true, nil
}

// resultOfSession is what a session has come to: the newest output of the step no forward path
// leads out of, an object by step id where several of them ran; where none ran, that of
// the step that completed last. Of the steps of a body where the session runs that alone.
func resultOfSession(s *State, def *Definition, holder string, outputs stateOutputs) json.RawMessage {
	var ran []string
	ends := def.WorkflowEnds(holder)
	if until := s.EndsAt(); len(until) > 0 {
		ends = until
	}
	for _, id := range ends {
		if s.Status(id) == StatusComplete && len(s.Outputs(id)) > 0 {
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

// withResults completes the output of a container that runs by the results of its rounds
// so far, where its body asks for them.
func (o *runnerOutputs) withResults(step string, index int, value json.RawMessage) (json.RawMessage, bool, error) {
	r := (*runner)(o)
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
