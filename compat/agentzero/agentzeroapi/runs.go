package agentzeroapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/compat/internal/flows"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// execute starts a run of the flow in the body. It uses the saved workflow if that is the same
// flow, else a separate workflow that all runs of this version share.
func (a *editor) execute(ctx context.Context, b flowBody) (any, error) {
	text, err := a.flowToRun(ctx, b)
	if err != nil {
		return nil, err
	}
	var named struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(text, &named) // compileFlow reports the error
	id, err := nameID(cmp.Or(named.Name, "flow"))
	if err != nil {
		return nil, err
	}
	w, err := compileFlow(id, text)
	if err != nil {
		return nil, err
	}
	prompt := cmp.Or(b.Prompt, b.UserPrompt)
	if strings.TrimSpace(prompt) == "" && agentzero.NeedsPrompt(w) {
		return nil, wire.Refuse("the prompt is empty")
	}
	if err := wire.RefuseErrors(a.e.Validate(w)); err != nil {
		return nil, err
	}
	if err := a.settle(ctx, w, text); err != nil {
		return nil, err
	}
	inputs, err := json.Marshal(map[string]string{"prompt": prompt})
	if err != nil {
		return nil, err
	}
	s, err := a.e.Start(ctx, engine.StartRequest{Workflow: w.ID, Inputs: inputs, Labels: map[string]string{"flow": id}})
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "flow_run_id": s.ID, "run_id": s.ID}, nil
}

// flowToRun is the flow in a body: as a whole, or by the name of a saved one.
func (a *editor) flowToRun(ctx context.Context, b flowBody) (json.RawMessage, error) {
	var name string
	if json.Unmarshal(b.Flow, &name) != nil {
		return b.Flow, nil
	}
	w, err := a.flow(ctx, flowBody{Name: name})
	if err != nil {
		return nil, err
	}
	return flowText(w)
}

// settle makes w a stored workflow: the saved one if both are the same flow, else one whose id
// is derived from its content. A run never changes a saved flow.
func (a *editor) settle(ctx context.Context, w *engine.Workflow, text json.RawMessage) error {
	saved, err := a.e.Workflow(ctx, w.ID)
	if err != nil && !errors.Is(err, engine.ErrWorkflowNotFound) {
		return err
	}
	if err == nil && isFlow(saved) && agentzero.Same(saved, w) {
		return nil
	}
	sum := sha256.Sum256(text)
	w.Extra[flows.RunOfProperty] = w.ID
	w.ID += "-run-" + hex.EncodeToString(sum[:4])
	for i := range w.Steps {
		w.Steps[i].Workflow = w.ID
	}
	_, err = a.e.Put(ctx, w, engine.PutOptions{Force: true})
	return err
}

// stop cancels a run.
func (a *editor) stop(ctx context.Context, b flowBody) (any, error) {
	s, err := a.session(ctx, b)
	if err != nil {
		return nil, err
	}
	if !flows.Running(s) {
		return nil, wire.Refuse("the run is not running")
	}
	if _, err := a.e.Act(ctx, engine.Action{Session: s.ID, Kind: engine.RequestCancel, Reason: "stopped in the flow editor", By: "agentzero"}); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "success": true}, nil
}

// forget deletes a run.
func (a *editor) forget(ctx context.Context, b flowBody) (any, error) {
	s, err := a.session(ctx, b)
	if err != nil {
		return nil, err
	}
	if err := a.e.DeleteSession(ctx, s.ID, true); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "success": true}, nil
}

// session returns the run that a body names.
func (a *editor) session(ctx context.Context, b flowBody) (*engine.Session, error) {
	if b.run() == "" {
		return nil, wire.Refuse("flow_run_id is missing")
	}
	s, err := a.e.Session(ctx, b.run())
	if errors.Is(err, engine.ErrSessionNotFound) {
		return nil, wire.Refuse("Run not found: " + b.run())
	}
	return s, err
}

// A nodeState is the state of one node in a runStatus.
type nodeState struct {
	Status string `json:"status"`
	Output string `json:"output"`
}

// A runStatus has the fields of both clients: nodeStates of the design document, and those of
// the public implementation, whose outputs are shortened and whose names of two states differ.
type runStatus struct {
	OK         bool                 `json:"ok"`
	Running    bool                 `json:"running"`
	NodeStates map[string]nodeState `json:"nodeStates"`

	FlowRunID string            `json:"flow_run_id"`
	RunID     string            `json:"run_id"`
	Cancelled bool              `json:"cancelled"`
	Error     *string           `json:"error"`
	States    map[string]string `json:"node_states"`
	Outputs   map[string]string `json:"node_outputs"`
	Progress  map[string]any    `json:"node_progress"`
	Contexts  []string          `json:"context_ids"`
	Final     *string           `json:"final_output"`
}

var publicWords = map[string]string{"complete": "completed", "failed": "error"}

func (a *editor) status(ctx context.Context, b flowBody) (any, error) {
	s, err := a.session(ctx, b)
	if err != nil {
		return nil, err
	}
	w, err := a.e.Workflow(ctx, s.Workflow)
	if err != nil {
		return nil, err
	}
	text, _, err := a.e.State(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	out := runStatus{OK: true, Running: flows.Running(s), FlowRunID: s.ID, RunID: s.ID, Cancelled: s.Status == engine.StatusCancelled,
		NodeStates: map[string]nodeState{}, States: map[string]string{}, Outputs: map[string]string{}, Progress: map[string]any{}, Contexts: []string{}}
	if s.Error != nil && !out.Running {
		message := s.Error.Message
		if s.Error.Step != "" {
			message = "Node " + s.Error.Step + " failed: " + message
		}
		out.Error = &message
	}
	for _, node := range agentzero.Nodes(w) {
		one := nodeState{Status: nodeStatus(s.Steps[node.ID], out.Running)}
		if one.Output, err = a.outputOf(ctx, s.ID, node.ID, one.Status, text); err != nil {
			return nil, err
		}
		out.NodeStates[node.ID] = one
		out.States[node.ID] = cmp.Or(publicWords[one.Status], one.Status)
		if one.Output != "" {
			out.Outputs[node.ID] = flows.Cut(one.Output)
		}
		if node.Output && one.Status == "complete" {
			final := one.Output
			out.Final = &final
		}
	}
	return out, nil
}

// nodeStatus returns Agent Zero's name for a step's status. Steps that an ended run did not
// reach are skipped.
func nodeStatus(status string, running bool) string {
	switch status {
	case engine.StatusComplete:
		return "complete"
	case engine.StatusError:
		return "failed"
	case engine.StatusSkipped, engine.StatusCancelled:
		return "skipped"
	}
	switch {
	case !running:
		return "skipped"
	case status == engine.StatusActive, status == engine.StatusAwaitingInput:
		return "running"
	}
	return "pending"
}

// outputOf returns the text of a node: its result, or its error.
func (a *editor) outputOf(ctx context.Context, session, step, status string, state []byte) (string, error) {
	if status == "failed" {
		return gjson.GetBytes(state, "workflow."+gjson.Escape(step)+".error").String(), nil
	}
	if status != "complete" {
		return "", nil
	}
	result, err := a.e.EvalReference(ctx, engine.ReferenceQuery{Session: session, Text: "@{SESSION_ID}." + step + ".text"})
	if err != nil || !result.Resolved {
		return "", err
	}
	return gjson.ParseBytes(result.Value).String(), nil
}
