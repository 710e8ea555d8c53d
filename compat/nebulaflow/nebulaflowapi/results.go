package nebulaflowapi

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/models"
	"github.com/tidwall/gjson"
)

// result is what a node shows: its text and, where there are several, those of its outputs.
// The history keeps the beginning of long ones only, and nothing of a node that is bypassed:
// then the newest output is read.
func (r *run) result(ctx context.Context, n nebulaflow.Node, x *engine.Execution) (*string, []string, error) {
	out := gjson.ParseBytes(x.Output)
	if s := r.w.Step(n.ID); s != nil && s.Bypass || out.Get("cut").Bool() && out.Get("hash").Exists() {
		value, err := r.value(ctx, "@{SESSION_ID}."+n.ID)
		if err != nil {
			return nil, nil, err
		}
		out = value
	}
	text := out.Get("text").String()
	var multi []string
	for _, one := range out.Get("outputs").Array() {
		multi = append(multi, one.Get("text").String())
	}
	return &text, multi, nil
}

// value is what a reference gives now; nothing where it gives nothing.
func (r *run) value(ctx context.Context, reference string) (gjson.Result, error) {
	result, err := r.c.n.e.EvalReference(ctx, engine.ReferenceQuery{Session: r.session, Text: reference})
	if err != nil || !result.Resolved {
		return gjson.Result{}, err
	}
	return gjson.ParseBytes(result.Value), nil
}

// failure is the text of a node's failure; that its subflow is gone, its prompt empty, or what its
// model's provider said, is worded as in NebulaFlow.
func (r *run) failure(ctx context.Context, n nebulaflow.Node, x *engine.Execution) string {
	if n.Type == nebulaflow.TypeSubflow {
		if _, err := r.c.n.e.Workflow(ctx, n.Subflow); errors.Is(err, engine.ErrWorkflowNotFound) {
			return "Subflow not found: " + n.Subflow
		}
	}
	if prompt := gjson.GetBytes(x.Input, "prompt"); n.Type == nebulaflow.TypeLLM && prompt.Exists() && strings.TrimSpace(prompt.String()) == "" {
		return "LLM Node requires a non-empty prompt"
	}
	text := errorOf(x)
	if words := models.Words(text); n.Type == nebulaflow.TypeLLM && words != text {
		mode, title := "workflow", n.ID
		if r.single != "" {
			mode = "single-node"
		}
		if s := r.w.Step(n.ID); s != nil && s.Name != "" {
			title = s.Name
		}
		return fmt.Sprintf("[LLM node %s %q (%s)] %s", n.ID, title, mode, words)
	}
	return text
}

// errorOf is the text of a failure; a rejection and a script that says it itself are worded as
// in NebulaFlow.
func errorOf(x *engine.Execution) string {
	message := gjson.GetBytes(x.Error, "message").String()
	if gjson.GetBytes(x.Error, "kind").String() != function.KindRejected {
		return strings.TrimPrefix(message, "fail: ")
	}
	if message == "" || message == "rejected" {
		return "Rejected"
	}
	return "Rejected: " + message
}
