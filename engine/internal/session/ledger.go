package session

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/references"
)

// A ledger is the draft of a session with the means to read and write it: texts stored as BLOBs,
// outputs, records of the history, messages, and the definition that the session runs by. It
// makes no decision about steps.
type ledger struct {
	*claim
	*draft

	def     *graph.Definition
	blobs   map[string][]byte // BLOBs read or written, by hash; content never changes for a hash
	running map[string]*attempt
	results chan attemptResult
}

// repeat is like required for reads whose permanent errors the caller handles itself: only an
// unreachable store spoils the draft.
func (r *ledger) repeat(read func() error) error {
	_, err := retry.Do(r.ctx, func() (struct{}, error) { return struct{}{}, read() })
	if err != nil && (retry.Transient(err) || r.ctx.Err() != nil) {
		r.invalidate(err)
	}
	return err
}

// required performs a read of the store that a decision depends on. It retries while the store is
// unreachable. When the read fails permanently or the runner ends, the draft is spoiled: nothing
// of it will be written, and the session continues later from its last checkpoint.
func required[T any](r *ledger, read func() (T, error)) (T, bool) {
	out, err := retry.Do(r.ctx, read)
	if err != nil {
		r.invalidate(err)
	}
	return out, err == nil
}

func (r *ledger) blob(hash string) ([]byte, error) {
	if text, ok := r.blobs[hash]; ok {
		return text, nil
	}
	found, err := retry.Do(r.ctx, func() (map[string][]byte, error) { // an unreachable store must not decide a path
		return r.e.Store.Blobs(r.ctx, r.id, []string{hash})
	})
	if err != nil {
		return nil, err
	}
	text, ok := found[hash]
	if !ok {
		return nil, fmt.Errorf("blob %s of session %s is gone", hash, r.id)
	}
	r.rememberBlob(hash, text)
	return text, nil
}

// writeBlob puts a BLOB into the next checkpoint.
func (r *ledger) writeBlob(hash string, text []byte) {
	r.unwritten.blobs = append(r.unwritten.blobs, store.Blob{Session: r.id, Hash: hash, Text: text})
	r.unwritten.bytes += len(text)
	r.rememberBlob(hash, text)
}

func (r *ledger) rememberBlob(hash string, text []byte) {
	if r.blobs == nil {
		r.blobs = map[string][]byte{}
	}
	r.blobs[hash] = text
}

func (r *ledger) arrive(res attemptResult) {
	delete(r.running, res.attempt.step)
	r.unwritten.results = append(r.unwritten.results, res)
	r.arrived = append(r.arrived, arrival{step: res.attempt.step, result: &res})
	r.unsettled = true
}

// countedIn returns the container in whose rounds the visits of a step count against max_steps,
// "" for steps whose visits count in the session.
func (r *ledger) countedIn(id string) string {
	if s := r.def.Step(id); s != nil {
		return s.Holder
	}
	return ""
}

// allowance returns how many visits are allowed between two pauses, and in one round.
func (r *ledger) allowance() int {
	if limit := r.def.Workflow.Settings.MaxSteps; limit > 0 {
		return limit
	}
	if r.e.MaxSteps > 0 {
		return r.e.MaxSteps
	}
	return math.MaxInt
}

// holderOf returns the container whose round a step is part of, "" for none: according to the
// workflow or, for a removed step, according to the round under way.
func (r *ledger) holderOf(id string) string {
	if step := r.def.Step(id); step != nil {
		return step.Holder
	}
	return r.state.HolderOf(id)
}

// bodySteps returns the steps that a container's rounds run: its current body, and steps of the
// round under way that have been removed from it.
func (r *ledger) bodySteps(id string) []string {
	var body []string
	if step := r.def.Step(id); step != nil {
		body = step.Body
	}
	d := r.state.Suspended(id)
	if d == nil || d.Body == nil {
		return body
	}
	whole := append([]string(nil), body...)
	for _, inner := range d.Body.Steps {
		if !slices.Contains(body, inner) {
			whole = append(whole, inner)
		}
	}
	return whole
}

// Outputs returns a reader of the outputs of a stored session, which also reads BLOBs.
func (e *Env) Outputs(ctx context.Context, s *state.State, def *graph.Definition) references.Outputs {
	return &ledger{claim: &claim{e: e, ctx: ctx, id: s.ID}, draft: &draft{state: s}, def: def}
}
