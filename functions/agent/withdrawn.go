package agent

import (
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// Values of the field on_reject.
const (
	rejectTell     = "tell"
	rejectWithdraw = "withdraw"
)

// onReject reads the step's field on_reject.
func (in Input) onReject() (withdraw bool, err error) {
	switch in.OnReject {
	case "", rejectTell:
		return false, nil
	case rejectWithdraw:
		return true, nil
	}
	return false, input.Bad("on_reject: want %s or %s, not %q", rejectTell, rejectWithdraw, in.OnReject)
}

// withdraw removes the tools whose calls a person has rejected, and these calls, as if the
// model had never had them.
func (r *round) withdraw() error {
	if wanted, err := r.in.onReject(); err != nil || !wanted {
		return err
	}
	gone := map[string]bool{}
	for i := range r.past {
		e := &r.past[i]
		said := len(e.ToolCalls)
		e.ToolCalls = slices.DeleteFunc(e.ToolCalls, func(c models.ToolCall) bool {
			if !r.rejected(i, c) {
				return false
			}
			gone[c.Name] = true
			return true
		})
		e.Withdrawn = said > 0 && len(e.ToolCalls) == 0
	}
	r.tools = slices.DeleteFunc(slices.Clone(r.tools), func(t function.ToolInfo) bool { return gone[t.Name] })
	return nil
}

// rejected reports whether a person has rejected a call of round n.
func (r *round) rejected(n int, c models.ToolCall) bool {
	return slices.ContainsFunc(r.call.Transcript[n].Results, func(one function.ToolResult) bool {
		return one.ID == c.ID && one.Error != nil && one.Error.Kind == function.KindRejected
	})
}

// checkOnReject validates on_reject when the step is loaded.
func (in Input) checkOnReject() error {
	if strings.Contains(string(in.OnReject), "@{") {
		return nil
	}
	_, err := in.onReject()
	return err
}
