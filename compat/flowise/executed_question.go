package flowise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// asks notes an open question: of a node, of a tool of an agent, or of a flow that a node has
// called.
func (r *recorder) asks(q *engine.Question) {
	step := q.Step
	if q.Session != "" && q.Session != r.Session.ID {
		rest, ours := strings.CutPrefix(q.Session, r.Session.ID+"/")
		if !ours {
			return
		}
		step, _, _ = strings.Cut(rest, "/")
	}
	n := r.graph.nodeOf(step)
	if n == nil {
		n = r.agentOf(step)
	}
	if n == nil {
		return
	}
	r.top = append(r.top, &shownVisit{node: n, question: q, state: r.state, wave: r.wave, settled: true})
}

// agentOf is the agent that has a step as a tool.
func (r *recorder) agentOf(step string) *shownNode {
	for _, p := range r.Workflow.Paths {
		if p.Kind == engine.Tool && p.Target == step {
			return r.graph.nodes[p.Source]
		}
	}
	return nil
}

// askedText is what a node says while it waits for a person.
func (r *recorder) askedText(v *shownVisit) string {
	if v.node.name != kindAgent || v.question.Kind != engine.AskApproval {
		return v.question.Prompt
	}
	said, call, ok := r.askedCall(v.node.id, v.question)
	if !ok {
		return v.question.Prompt
	}
	return said + "\nAttempting to use tool:\n```json\n" + laidOut(calledTool(call)) + "\n```"
}

// calledTool is a tool call as Flowise shows it.
func calledTool(call gjson.Result) json.RawMessage {
	var f fields
	f.raw("name", []byte(call.Get("name").Raw))
	f.raw("args", []byte(call.Get("arguments").Raw))
	f.set("type", "tool_call")
	f.raw("id", []byte(call.Get("id").Raw))
	return f.object()
}

// laidOut is JSON laid out by two blanks.
func laidOut(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, value, "", "  ") != nil {
		return string(value)
	}
	return b.String()
}

// askedOutput is what a node shows while it waits for a person.
func (r *recorder) askedOutput(v *shownVisit) json.RawMessage {
	type button struct {
		Type  string `json:"type"`
		Label string `json:"label"`
	}
	var f, data, action fields
	f.set("content", r.askedText(v))
	if v.node.name == kindAgent {
		f.set("isWaitingForHumanInput", true)
	}
	data.set("nodeId", v.node.id)
	data.set("nodeLabel", v.node.label)
	data.raw("input", askedInput(v.node))
	action.set("id", StableID(r.Session.ID, v.question.Step, fmt.Sprint(v.question.Visit), fmt.Sprint(v.question.Ask)))
	action.raw("mapping", []byte(`{"approve":"Proceed","reject":"Reject"}`))
	action.set("elements", []button{{"agentflowv2-approve-button", "Proceed"}, {"agentflowv2-reject-button", "Reject"}})
	action.raw("data", data.object())
	f.raw("humanInputAction", action.object())
	return f.object()
}
