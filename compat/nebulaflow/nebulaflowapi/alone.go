package nebulaflowapi

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/compat/internal/flows"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// executeNode runs one node with its inputs.
func (c *conn) executeNode(ctx context.Context, m command) error {
	var in struct {
		nebulaflow.Single
		RunID *float64 `json:"runId"`
	}
	if err := m.decode(&in); err != nil {
		return err
	}
	if in.Node == nil {
		return wire.Refuse("data.node is missing")
	}
	if err := checkNode("data.node", in.Node); err != nil {
		return err
	}
	return c.alone(ctx, in.Single, "")
}

// chat asks an llm node with a text of its own; as in NebulaFlow, what was said before plays
// no part.
func (c *conn) chat(ctx context.Context, m command) error {
	var in struct {
		Node              json.RawMessage
		ThreadID, Message *string
		Mode              string
	}
	if err := m.decode(&in); err != nil {
		return err
	}
	if in.ThreadID == nil || in.Message == nil || in.Node == nil {
		return wire.Refuse("want data.node, data.threadID and data.message")
	}
	if err := checkNode("data.node", in.Node); err != nil {
		return err
	}
	if kind := gjson.GetBytes(in.Node, "type").String(); kind != nebulaflow.TypeLLM {
		return wire.Refuse("data.node: one can talk to a node of type llm, not " + kind)
	}
	node, err := sjson.SetBytes(in.Node, "data.content", "") // without content the input is the prompt
	if err != nil {
		return err
	}
	return c.alone(ctx, nebulaflow.Single{Node: node, Inputs: []string{*in.Message}}, *in.ThreadID)
}

// alone runs one node in a session of its own.
func (c *conn) alone(ctx context.Context, s nebulaflow.Single, thread string) error {
	s.Node = bareNode(s.Node)
	node := gjson.GetBytes(s.Node, "id").String()
	base, err := flows.ID(cmp.Or(c.library.name, "nebulaflow"))
	if err != nil {
		return err
	}
	w, q, err := s.Workflow(base)
	if err != nil {
		return c.refusedNode(ctx, node, err)
	}
	w.Normalize()
	if err := wire.RefuseErrors(c.n.e.Validate(w)); err != nil {
		return c.refusedNode(ctx, node, err)
	}
	if err := c.keepRun(ctx, w, "node", mustJSON(s)); err != nil {
		return c.notStarted(ctx, node, err)
	}
	q.Workflow = w.ID
	r := &run{w: w, mode: modeSingle, single: node, thread: thread}
	if err := c.start(r, q); err != nil {
		return c.notStarted(ctx, node, err)
	}
	return nil
}

// refusedNode tells of a node that cannot run alone as NebulaFlow does: as one that failed.
func (c *conn) refusedNode(ctx context.Context, node string, err error) error {
	text := err.Error()
	c.send(ctx, message{Type: nebulaflow.EventStarted})
	c.send(ctx, message{Type: nebulaflow.EventNode, Data: nodeStatusData{NodeID: node, Status: "running"}})
	c.fail(ctx, "Node Error: "+text)
	c.send(ctx, message{Type: nebulaflow.EventNode, Data: nodeStatusData{NodeID: node, Status: "error", Result: &text}})
	c.send(ctx, message{Type: nebulaflow.EventCompleted, StoppedAtNodeID: node, Status: engine.StatusError, Error: text})
	return nil
}
