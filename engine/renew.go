package engine

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/tidwall/gjson"
)

// renew has what a retried step is given resolved anew: whoever retries may have edited its
// input, and else it would fail by the old one for ever. What an approver has let through
// stays, and so does the list of rounds under way.
func (r *visits) renew(id string, d *state.Suspended) {
	if step := r.def.Step(id); step == nil || step.Approval || d.Body != nil && !d.Ready {
		return
	}
	d.Renew = true
	r.unwritten.touch()
}

// inputOf is the input with which the function of a driven step is called again: that of
// its first call, after a retry that of now if all of it has a value.
func (r *inputs) inputOf(step *graph.CompiledStep, d *state.Suspended, in resolvedInput) (input, bindings json.RawMessage, reads []Lineage, problem *failure) {
	if d.Renew {
		if step.Fault != nil {
			return nil, nil, nil, &failure{kind: KindBadInput, message: step.Fault.Error(), final: true}
		}
		if in.err != nil {
			return nil, nil, nil, &failure{kind: referenceKind(in.err), message: in.err.Error(), final: true}
		}
		if in.ok {
			return in.result.Value, in.bindings, in.reads, nil
		}
	}
	input, err := r.keptText(d.Input)
	if err != nil {
		problem = &failure{kind: KindFailed, message: err.Error()}
	}
	return input, nil, d.Reads, problem
}

// renewed notes the input by which a driven step goes on.
func (r *visits) renewed(d *state.Suspended, a *attempt) {
	if d.Renew {
		r.dropText(d.Input)
		d.Input, d.Reads, d.Renew = r.keepText(a.input), a.reads, false
	}
}

// renewChildren goes on with the child sessions that a retried step says there are to be.
// Those that have not failed and are still wanted as they were stay; the others start anew,
// as sessions of their own.
func (r *children) renewChildren(k *state.Children, list json.RawMessage, q *RunSessions) error {
	var before json.RawMessage
	if k.Sessions != nil {
		var err error
		if before, err = r.keptText(k.Sessions); err != nil {
			return err
		}
	}
	was, wanted := gjson.ParseBytes(before).Array(), gjson.ParseBytes(list).Array()
	k.Next, k.Count, k.Again = min(k.Next, len(wanted)), len(wanted), nil
	for i := range k.Next {
		index := fmt.Sprint(i)
		_, failed := k.Failed[index]
		if k.Live[index] == "" && (failed || i >= len(was) || was[i].Raw != wanted[i].Raw) {
			k.Again = append(k.Again, i)
		}
	}
	if before != nil && (len(k.Again) > 0 || k.Next < k.Count) {
		k.Try++ // there may be sessions of these numbers
	}
	r.dropText(k.Sessions)
	k.Sessions, k.Failed, k.Room, k.Outputs = r.keepText(list), nil, q.Concurrency, q.Outputs
	if k.Room <= 0 {
		k.Room = defaultConcurrency
	}
	return nil
}
