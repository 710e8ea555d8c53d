package nebulaflowapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// A approval is an approval a client was shown.
type approval struct {
	root  string   // the session the client knows
	nodes []string // under which it was shown: the node, and those of the subflows around it
	q     engine.Question
	in    string          // the session that asks
	input json.RawMessage // of the step
	field string          // of the input that holds the command; "" for a tool of an agent
	shown string
}

func (a *approval) key() string {
	return fmt.Sprintf("%s/%s/%d/%d", a.in, a.q.Step, a.q.Visit, a.q.Ask)
}

// question shows an open question: an approval as one, anything else, which no flow of
// NebulaFlow asks, as a hint where to answer it.
func (r *run) question(ctx context.Context, q engine.Question) error {
	a := &approval{root: r.session, q: q, in: cmp.Or(q.Session, r.session)}
	if a.in != r.session || q.Answered || r.reported[a.key()] {
		return nil // the run that follows a child session reports its questions
	}
	r.reported[a.key()] = true
	if q.Kind != engine.AskApproval {
		r.c.inform(ctx, "session "+r.session+" asks at "+q.Step+": "+q.Prompt+" (to be answered in stepgraph)")
		return nil
	}
	state, _, err := r.c.n.e.State(ctx, r.session)
	if err != nil {
		return err
	}
	a.input = json.RawMessage(gjson.GetBytes(state, "engine.asks."+gjson.Escape(q.Step)+".input").Raw)
	if _, isNode := r.nodes[q.Step]; isNode {
		a.field = "command"
		if gjson.GetBytes(a.input, "script").Exists() {
			a.field = "script"
		}
		if a.shown, err = r.commandText(ctx, a); err != nil {
			return err
		}
		r.show(ctx, a, q.Step)
		return nil
	}
	node := gjson.GetBytes(state, "engine.live."+gjson.Escape(q.Step)+".tool.agent").String()
	if _, isNode := r.nodes[node]; !isNode {
		r.c.inform(ctx, "session "+r.session+" asks for the approval of "+q.Step+" (to be given in stepgraph)")
		return nil
	}
	a.shown = "Tool call awaiting approval: " + r.toolName(node, q.Step) + "\nArguments: " + indented(gjson.GetBytes(a.input, "arguments").Raw)
	r.show(ctx, a, node)
	return nil
}

// toolName is what an agent calls the step of a tool.
func (r *run) toolName(agent, step string) string {
	for _, p := range r.w.Paths {
		if p.Kind == engine.Tool && p.Source == agent && p.Target == step {
			return p.Name
		}
	}
	return step
}

func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// show reports an approval to the client, on the node and on the nodes of the subflows around it.
func (r *run) show(ctx context.Context, a *approval, node string) {
	a.nodes = append(a.nodes, node)
	around := []*run{r}
	for in := r.inside; in != nil; in = in.parent.inside {
		a.root = in.root
		a.nodes = append(a.nodes, in.node)
		around = append(around, in.parent)
	}
	r.c.mu.Lock()
	r.c.asked[a.key()] = a
	r.c.mu.Unlock()
	for i, at := range around {
		at.node(ctx, nodeStatusData{NodeID: a.nodes[i], Status: "pending_approval", Result: &a.shown})
	}
}

// unask forgets the approvals of a step that has ended.
func (r *run) unask(step string) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	for key, a := range r.c.asked {
		if a.in == r.session && a.q.Step == step {
			delete(r.c.asked, key)
		}
	}
}

// plainWord is a text that a shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// commandText is a command as a person is to read it: the author's text, and each value
// quoted unless it is a plain word. What runs is not this text: values are bound there.
func (r *run) commandText(ctx context.Context, a *approval) (string, error) {
	asked := gjson.GetBytes(a.input, a.field).String()
	step := r.w.Step(a.q.Step)
	if step == nil {
		return asked, nil
	}
	parts := gjson.Get(step.Input, a.field+`.\@text`).Array()
	if len(parts) == 0 {
		return asked, nil // without values
	}
	list := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		list[i] = json.RawMessage(p.Raw)
	}
	result, err := r.c.n.e.EvalReference(ctx, engine.ReferenceQuery{Session: r.session, Text: string(mustJSON(map[string]any{"parts": list})), Whole: true})
	if err != nil || !result.Resolved {
		return asked, err
	}
	var b strings.Builder
	for i, value := range gjson.GetBytes(result.Value, "parts").Array() {
		text, isValue := value.String(), !parts[i].IsObject() && strings.Contains(parts[i].Str, "@{")
		if isValue && !plainWord.MatchString(text) {
			text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// approve lets a node go on, with another command where the person has edited it.
func (c *conn) approve(ctx context.Context, m command) error {
	var in struct {
		NodeID          *string
		ModifiedCommand *string
	}
	if err := m.decode(&in); err != nil {
		return err
	}
	a, err := c.askedOf(in.NodeID)
	if err != nil {
		return err
	}
	response := map[string]any{"approved": true}
	if edited := in.ModifiedCommand; edited != nil && *edited != a.shown {
		if a.field == "" {
			return wire.Refuse("a call of a tool can be approved or rejected, not changed; it still waits")
		}
		input, err := sjson.SetBytes(a.input, a.field, *edited)
		if err != nil {
			return err
		}
		response["input"] = json.RawMessage(input)
	}
	return c.answer(ctx, a, response)
}

// reject fails a node, or answers an agent that it may not call its tool.
func (c *conn) reject(ctx context.Context, m command) error {
	var in struct {
		NodeID *string
		Reason string
	}
	if err := m.decode(&in); err != nil {
		return err
	}
	a, err := c.askedOf(in.NodeID)
	if err != nil {
		return err
	}
	response := map[string]any{"approved": false}
	if in.Reason != "" {
		response["reason"] = in.Reason
	}
	return c.answer(ctx, a, response)
}

func (c *conn) answer(ctx context.Context, a *approval, response map[string]any) error {
	_, err := c.n.e.Answer(ctx, engine.AnswerRequest{Session: a.in, Step: a.q.Step, Visit: a.q.Visit, Ask: a.q.Ask,
		Response: mustJSON(response), By: "nebulaflow"})
	switch {
	case errors.Is(err, engine.ErrAlreadyAnswered), errors.Is(err, engine.ErrNoOpenQuestion):
		err = wire.Refuse("somebody has answered already")
	case err != nil:
		return err
	}
	c.mu.Lock()
	delete(c.asked, a.key())
	c.mu.Unlock()
	return err
}

// askedOf is the approval that waits longest at a node.
func (c *conn) askedOf(node *string) (*approval, error) {
	if node == nil {
		return nil, wire.Refuse("data.nodeId is missing")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *approval
	for _, a := range c.asked {
		if slices.Contains(a.nodes, *node) && (found == nil || a.q.Since.Before(found.q.Since) ||
			a.q.Since.Equal(found.q.Since) && a.key() < found.key()) {
			found = a
		}
	}
	if found == nil {
		return nil, wire.Refuse("no approval is waited for at node " + *node)
	}
	return found, nil
}
