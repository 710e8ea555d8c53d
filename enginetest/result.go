package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A Result is the outcome of a game: the view of the session, its stored state, and its whole
// history in order.
type Result struct {
	Session    *engine.Session
	State      *engine.State
	Executions []engine.Execution
	Messages   []engine.Message

	tb testing.TB
}

func (p *player) result(ctx context.Context, session *engine.Session) (*Result, error) {
	r := &Result{Session: session, tb: p.tb}
	text, _, err := p.engine.State(ctx, p.id)
	if err != nil {
		return nil, err
	}
	if r.State, err = engine.ParseState(p.id, text); err != nil {
		return nil, err
	}
	r.Executions, err = pages(func(after int64) ([]engine.Execution, error) {
		return p.engine.Executions(ctx, p.id, engine.HistoryQuery{After: after, Limit: pageRows, Lineage: true})
	}, func(x *engine.Execution) int64 { return x.Seq })
	if err != nil {
		return nil, err
	}
	r.Messages, err = pages(func(after int64) ([]engine.Message, error) {
		return p.engine.Messages(ctx, p.id, engine.HistoryQuery{After: after, Limit: pageRows})
	}, func(m *engine.Message) int64 { return m.N })
	return r, err
}

const pageRows = 500

// pages reads a list to its end.
func pages[T any](read func(after int64) ([]T, error), number func(*T) int64) (all []T, err error) {
	for after := int64(0); ; after = number(&all[len(all)-1]) {
		page, err := read(after)
		if all = append(all, page...); err != nil || len(page) < pageRows {
			return all, err
		}
	}
}

// Status is a step's status, "" if it has none.
func (r *Result) Status(step string) string { return r.State.Status(step) }

// Output is a step's newest output as JSON, nil if it has none.
func (r *Result) Output(step string) json.RawMessage {
	kept := r.State.Outputs(step)
	if len(kept) == 0 {
		return nil
	}
	return kept[len(kept)-1]
}

// Steps is the way the session took: the step of every visit that ended, in order.
func (r *Result) Steps() []string {
	var steps []string
	for i := range r.Executions {
		steps = append(steps, r.Executions[i].Step)
	}
	return steps
}

// Chat is what was said, a line each: "assistant: Name?".
func (r *Result) Chat() []string {
	var lines []string
	for _, m := range r.Messages {
		lines = append(lines, m.Role+": "+m.Content)
	}
	return lines
}

// WantStatus checks the status of the session.
func (r *Result) WantStatus(want string) {
	r.tb.Helper()
	if r.Session.Status != want {
		r.tb.Errorf("want %s, but %s", want, describe(r.Session))
	}
}

// WantSteps checks the way the session took.
func (r *Result) WantSteps(want ...string) {
	r.tb.Helper()
	if got := r.Steps(); !slices.Equal(got, want) {
		r.tb.Errorf("the session went %s\nwant %s", strings.Join(got, " > "), strings.Join(want, " > "))
	}
}

// WantChat checks everything that was said.
func (r *Result) WantChat(want ...string) {
	r.tb.Helper()
	if got := r.Chat(); !slices.Equal(got, want) {
		r.tb.Errorf("the chat was\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// WantOutput checks a step's newest output, as JSON: the order of keys does not matter.
func (r *Result) WantOutput(step string, want any) {
	r.tb.Helper()
	got := r.Output(step)
	if !bytes.Equal(canonical(got), canonical(encode(want))) {
		r.tb.Errorf("output of step %q is %s\nwant %s", step, got, encode(want))
	}
}

// canonical is a JSON text with its keys in order; a number keeps its literal.
func canonical(text json.RawMessage) []byte {
	var v any
	if jsontext.Decode(text, &v) != nil {
		return text
	}
	return encode(v)
}
