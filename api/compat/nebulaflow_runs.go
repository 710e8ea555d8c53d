package compat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/nebulaflow"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// nebulaCommands are the messages of clients, by type. follow_execution and
// bridge:dialog_result besides, the types are those of NebulaFlow's webview.
var nebulaCommands = map[string]func(*nebulaConn, context.Context, nebulaCommand) error{
	"execute_workflow": (*nebulaConn).executeWorkflow,
	"execute_node":     (*nebulaConn).executeNode,
	"llm_node_chat":    (*nebulaConn).chat,
	"abort_workflow":   (*nebulaConn).abort,
	"pause_workflow":   (*nebulaConn).pause,
	"node_approved":    (*nebulaConn).approve,
	"node_rejected":    (*nebulaConn).reject,
	"follow_execution": (*nebulaConn).followExecution,

	"save_workflow":        (*nebulaConn).saveWorkflow,
	"load_workflow":        (*nebulaConn).loadWorkflow,
	"load_last_workflow":   (*nebulaConn).loadLast,
	"bridge:dialog_result": (*nebulaConn).dialogResult,
	"create_subflow":       (*nebulaConn).createSubflow,
	"get_subflow":          (*nebulaConn).getSubflow,
	"get_subflows":         (*nebulaConn).getSubflows,
	"duplicate_subflow":    (*nebulaConn).duplicateSubflow,
	"save_customNode":      (*nebulaConn).saveCustom,
	"delete_customNode":    (*nebulaConn).deleteCustom,
	"rename_customNode":    (*nebulaConn).renameCustom,
	"get_custom_nodes":     (*nebulaConn).getCustom,
	"get_storage_scope":    (*nebulaConn).storageScope,
	"toggle_storage_scope": (*nebulaConn).storageScope,
	"get_models":           (*nebulaConn).getModels,
	"calculate_tokens":     (*nebulaConn).calculateTokens,
	"copy_selection":       (*nebulaConn).copySelection,
	"paste_selection":      (*nebulaConn).pasteSelection,
	"open_external_link":   (*nebulaConn).openLink,
	"reset_results":        (*nebulaConn).nothing,
	"clear_workflow":       (*nebulaConn).nothing,
}

// Modes in which a node runs, as clients are told.
const (
	modeWorkflow = "workflow"
	modeSingle   = "single-node"
)

// executeWorkflow starts a session on the flow of the message. Where it goes on from a pause,
// what this connection had paused is cancelled: the new session takes its place.
func (c *nebulaConn) executeWorkflow(ctx context.Context, m nebulaCommand) error {
	p, err := m.payload()
	if err != nil {
		return err
	}
	if p.Nodes == nil || p.Edges == nil {
		return flowRefusal("want data.nodes and data.edges")
	}
	w, q, err := c.workflowOf(ctx, p)
	if err != nil {
		return c.notStarted(ctx, "", err)
	}
	paused := c.paused()
	r := &nebulaRun{w: w, mode: modeWorkflow, seeds: q.Seeds}
	if err := c.start(ctx, r, q); err != nil {
		return c.notStarted(ctx, "", err)
	}
	if len(p.Resume.Seeds.Outputs) == 0 || p.Resume.FromNodeID != "" {
		return nil
	}
	for _, old := range paused {
		if err := c.act(ctx, old.session, engine.RequestCancel, "went on as "+r.session); err != nil {
			return err
		}
	}
	return nil
}

// workflowOf makes the workflow of a flow, and the start of its session.
func (c *nebulaConn) workflowOf(ctx context.Context, p nebulaPayload) (*engine.Workflow, engine.StartRequest, error) {
	base, err := flowID(orText(p.Name, c.name, "nebulaflow"))
	if err != nil {
		return nil, engine.StartRequest{}, err
	}
	text := p.bare()
	w, err := compileNebula(base, text)
	if err == nil {
		err = c.runnable(w)
	}
	if err != nil {
		return nil, engine.StartRequest{}, err
	}
	if _, err := p.Resume.Request(w); err != nil {
		return nil, engine.StartRequest{}, flowRefusal(err.Error())
	}
	if err := c.settle(ctx, w, text); err != nil {
		return nil, engine.StartRequest{}, err
	}
	q, err := p.Resume.Request(w)
	return w, q, err
}

// runnable refuses a flow that cannot work here.
func (c *nebulaConn) runnable(w *engine.Workflow) error {
	var errs []error
	for _, p := range c.n.e.Validate(w) {
		if p.Level == "error" {
			errs = append(errs, flowRefusal(strings.TrimPrefix(p.Step+": "+p.Message, ": ")))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return flowRefusal(errors.Join(errs...).Error())
}

// settle makes w a stored workflow: the saved one of its id if they are the same flow, else
// one named by its content. Saved flows are never changed by a run.
func (c *nebulaConn) settle(ctx context.Context, w *engine.Workflow, text json.RawMessage) error {
	same, err := c.isSaved(ctx, w)
	if err != nil || same {
		return err
	}
	return c.keepRun(ctx, w, "run", text)
}

// keepRun stores a workflow that was run and never saved, under a name made of its content,
// which further runs share.
func (c *nebulaConn) keepRun(ctx context.Context, w *engine.Workflow, kind string, text []byte) error {
	sum := sha256.Sum256(text)
	w.Extra[runOfProperty] = w.ID
	nameNebula(w, w.ID+"-"+kind+"-"+hex.EncodeToString(sum[:4]))
	_, err := c.n.e.PutWorkflow(ctx, w, "")
	return err
}

// isSaved tells whether the saved flow of w's id runs as w does, whatever its canvas keeps.
func (c *nebulaConn) isSaved(ctx context.Context, w *engine.Workflow) (bool, error) {
	text, _, err := c.n.nebulaText(ctx, w.ID)
	if err != nil {
		if nebulaError(err) == "" {
			return false, err
		}
		return false, nil
	}
	var p nebulaPayload
	if json.Unmarshal(text, &p) != nil {
		return false, nil
	}
	saved, err := compileNebula(w.ID, p.bare())
	if err != nil {
		return false, nil // a draft
	}
	stored, err := c.n.e.Workflow(ctx, w.ID)
	if err != nil {
		return false, err
	}
	return nebulaflow.Same(saved, w) && len(stored.Steps) == len(w.Steps), nil
}

// notStarted tells the client that nothing runs, and why: its canvas waits for the end.
func (c *nebulaConn) notStarted(ctx context.Context, node string, err error) error {
	text := nebulaError(err)
	if text == "" {
		c.n.o.Log.ErrorContext(ctx, "session not started", "error", err)
		text = "internal error"
	}
	c.fail(ctx, text)
	c.send(ctx, nebulaMessage{Type: nebulaflow.EventCompleted, StoppedAtNodeID: node, Status: engine.StatusError, Error: text})
	return nil
}

// start starts a session and follows it.
func (c *nebulaConn) start(ctx context.Context, r *nebulaRun, q engine.StartRequest) error {
	if len(c.following()) >= nebulaRuns {
		return flowRefusal("this connection follows as many sessions as it may")
	}
	q.Labels = map[string]string{"client": "nebulaflow"}
	s, err := c.n.e.Start(ctx, q)
	if err != nil {
		return err
	}
	r.session = s.ID
	c.watch(r)
	return nil
}

// executeNode runs one node with its inputs.
func (c *nebulaConn) executeNode(ctx context.Context, m nebulaCommand) error {
	var in struct {
		nebulaflow.Single
		RunID *float64 `json:"runId"`
	}
	if err := m.decode(&in); err != nil {
		return err
	}
	if in.Node == nil {
		return flowRefusal("data.node is missing")
	}
	if err := checkNebulaNode("data.node", in.Node); err != nil {
		return err
	}
	return c.alone(ctx, in.Single, "")
}

// chat asks an llm node with a text of its own; as in NebulaFlow, what was said before plays
// no part.
func (c *nebulaConn) chat(ctx context.Context, m nebulaCommand) error {
	var in struct {
		Node              json.RawMessage
		ThreadID, Message *string
		Mode              string
	}
	if err := m.decode(&in); err != nil {
		return err
	}
	if in.ThreadID == nil || in.Message == nil || in.Node == nil {
		return flowRefusal("want data.node, data.threadID and data.message")
	}
	if err := checkNebulaNode("data.node", in.Node); err != nil {
		return err
	}
	if kind := gjson.GetBytes(in.Node, "type").String(); kind != nebulaflow.TypeLLM {
		return flowRefusal("data.node: one can talk to a node of type llm, not " + kind)
	}
	node, err := sjson.SetBytes(in.Node, "data.content", "") // without content the input is the prompt
	if err != nil {
		return err
	}
	return c.alone(ctx, nebulaflow.Single{Node: node, Inputs: []string{*in.Message}}, *in.ThreadID)
}

// alone runs one node in a session of its own.
func (c *nebulaConn) alone(ctx context.Context, s nebulaflow.Single, thread string) error {
	s.Node = bareNode(s.Node)
	node := gjson.GetBytes(s.Node, "id").String()
	base, err := flowID(orText(c.name, "nebulaflow"))
	if err != nil {
		return err
	}
	w, q, err := s.Workflow(base)
	if err != nil {
		return c.refusedNode(ctx, node, err)
	}
	w.Normalize()
	if err := c.runnable(w); err != nil {
		return c.refusedNode(ctx, node, err)
	}
	if err := c.keepRun(ctx, w, "node", mustJSON(s)); err != nil {
		return c.notStarted(ctx, node, err)
	}
	q.Workflow = w.ID
	r := &nebulaRun{w: w, mode: modeSingle, single: node, thread: thread}
	if err := c.start(ctx, r, q); err != nil {
		return c.notStarted(ctx, node, err)
	}
	return nil
}

// refusedNode tells of a node that cannot run alone as NebulaFlow does: as one that failed.
func (c *nebulaConn) refusedNode(ctx context.Context, node string, err error) error {
	text := err.Error()
	c.send(ctx, nebulaMessage{Type: nebulaflow.EventStarted})
	c.send(ctx, nebulaMessage{Type: nebulaflow.EventNode, Data: nodeStatusData{NodeID: node, Status: "running"}})
	c.fail(ctx, "Node Error: "+text)
	c.send(ctx, nebulaMessage{Type: nebulaflow.EventNode, Data: nodeStatusData{NodeID: node, Status: "error", Result: &text}})
	c.send(ctx, nebulaMessage{Type: nebulaflow.EventCompleted, StoppedAtNodeID: node, Status: engine.StatusError, Error: text})
	return nil
}

// abort cancels all that this connection follows, what is paused too.
func (c *nebulaConn) abort(ctx context.Context, _ nebulaCommand) error {
	return c.actOnAll(ctx, engine.RequestCancel)
}

// pause lets running nodes finish and starts no others.
func (c *nebulaConn) pause(ctx context.Context, _ nebulaCommand) error {
	return c.actOnAll(ctx, engine.RequestPause)
}

func (c *nebulaConn) actOnAll(ctx context.Context, kind string) error {
	all := c.following()
	if len(all) == 0 {
		return flowRefusal("nothing runs that this connection follows; follow_execution follows a session again")
	}
	var errs []error
	for _, r := range all {
		errs = append(errs, c.act(ctx, r.session, kind, kind+"d in NebulaFlow"))
	}
	return errors.Join(errs...)
}

func (c *nebulaConn) act(ctx context.Context, session, kind, reason string) error {
	_, err := c.n.e.Act(ctx, engine.Action{Session: session, Kind: kind, Reason: reason, By: "nebulaflow"})
	if errors.Is(err, engine.ErrSessionEnded) {
		return nil // the client is told of its end
	}
	return err
}

// paused are the sessions of this connection that a pause has stopped.
func (c *nebulaConn) paused() []*nebulaRun {
	var out []*nebulaRun
	for _, r := range c.following() {
		if r.stopped.Load() {
			out = append(out, r)
		}
	}
	return out
}

// followExecution tells of a session from its beginning and then as it goes on: for clients
// that lost their connection.
func (c *nebulaConn) followExecution(ctx context.Context, m nebulaCommand) error {
	var in struct{ Session string }
	if err := m.decode(&in); err != nil {
		return err
	}
	return c.followSession(ctx, in.Session)
}

func (c *nebulaConn) followSession(ctx context.Context, session string) error {
	s, err := c.n.e.Session(ctx, session)
	if errors.Is(err, engine.ErrSessionNotFound) {
		return flowRefusal("there is no session " + session)
	}
	if err != nil {
		return err
	}
	w, err := c.n.e.Workflow(ctx, s.Workflow)
	if errors.Is(err, engine.ErrWorkflowNotFound) || err == nil && !isNebula(w) {
		return flowRefusal("session " + session + " runs no flow of NebulaFlow")
	}
	if err != nil {
		return err
	}
	for _, r := range c.following() {
		if r.session == session {
			return flowRefusal("this connection follows the session already")
		}
	}
	if len(c.following()) >= nebulaRuns {
		return flowRefusal("this connection follows as many sessions as it may")
	}
	c.watch(&nebulaRun{session: session, w: w, mode: modeWorkflow})
	return nil
}
