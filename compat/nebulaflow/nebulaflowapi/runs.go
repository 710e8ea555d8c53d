package nebulaflowapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/stepgraph/stepgraph/compat/internal/flows"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
)

// Modes in which a node runs, as sent to clients.
const (
	modeWorkflow = "workflow"
	modeSingle   = "single-node"
)

// executeWorkflow starts a session on the flow of the message. Where it goes on from a pause,
// what this connection had paused is cancelled: the new session takes its place. The client,
// which knows of one run, gets no further events of the paused one.
func (c *conn) executeWorkflow(ctx context.Context, m command) error {
	p, err := m.payload()
	if err != nil {
		return err
	}
	if p.Nodes == nil || p.Edges == nil {
		return wire.Refuse("want data.nodes and data.edges")
	}
	w, q, err := c.workflowOf(ctx, p)
	if err != nil {
		return c.notStarted(ctx, "", err)
	}
	paused := c.pausedAt(p.Resume)
	r := &run{w: w, mode: modeWorkflow, seeds: q.Seeds}
	if err := c.start(r, q); err != nil {
		return c.notStarted(ctx, "", err)
	}
	for _, old := range paused {
		old.unfollow()
		if err := c.act(ctx, old.session, engine.RequestCancel, "went on as "+r.session); err != nil {
			return err
		}
	}
	return nil
}

// workflowOf makes the workflow of a flow, and the start of its session.
func (c *conn) workflowOf(ctx context.Context, p payload) (*engine.Workflow, engine.StartRequest, error) {
	base, err := flows.ID(cmp.Or(p.Name, c.library.name, "nebulaflow"))
	if err != nil {
		return nil, engine.StartRequest{}, err
	}
	text := p.bare()
	w, err := compileFlow(base, text)
	if err == nil {
		err = wire.RefuseErrors(c.n.e.Validate(w))
	}
	if err != nil {
		return nil, engine.StartRequest{}, err
	}
	if _, err := p.Resume.Request(w); err != nil {
		return nil, engine.StartRequest{}, wire.Refuse(err.Error())
	}
	if err := c.settle(ctx, w, text); err != nil {
		return nil, engine.StartRequest{}, err
	}
	q, err := p.Resume.Request(w)
	return w, q, err
}

// settle makes w a stored workflow: the saved one of its id if they are the same flow, else
// one named by its content. Saved flows are never changed by a run.
func (c *conn) settle(ctx context.Context, w *engine.Workflow, text json.RawMessage) error {
	same, err := c.isSaved(ctx, w)
	if err != nil || same {
		return err
	}
	return c.keepRun(ctx, w, "run", text)
}

// keepRun stores a workflow that was run and never saved, under a name made of its content,
// which further runs share.
func (c *conn) keepRun(ctx context.Context, w *engine.Workflow, kind string, text []byte) error {
	sum := sha256.Sum256(text)
	w.Extra[flows.RunOfProperty] = w.ID
	nameFlow(w, w.ID+"-"+kind+"-"+hex.EncodeToString(sum[:4]))
	_, err := c.n.e.Put(ctx, w, engine.PutOptions{Force: true})
	return err
}

// isSaved reports whether the saved flow of w's id runs as w does, whatever its canvas keeps.
func (c *conn) isSaved(ctx context.Context, w *engine.Workflow) (bool, error) {
	text, _, err := c.n.textOf(ctx, w.ID)
	if err != nil {
		if wire.Shown(err) == "" {
			return false, err
		}
		return false, nil
	}
	var p payload
	if json.Unmarshal(text, &p) != nil {
		return false, nil
	}
	saved, err := compileFlow(w.ID, p.bare())
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
func (c *conn) notStarted(ctx context.Context, node string, err error) error {
	text := wire.Shown(err)
	if text == "" {
		c.n.o.Log.ErrorContext(ctx, "session not started", "error", err)
		text = "internal error"
	}
	c.fail(ctx, text)
	c.send(ctx, message{Type: nebulaflow.EventCompleted, StoppedAtNodeID: node, Status: engine.StatusError, Error: text})
	return nil
}

// start starts a session and follows it.
func (c *conn) start(r *run, q engine.StartRequest) error {
	if len(c.following()) >= followLimit {
		return wire.Refuse("this connection follows as many sessions as it may")
	}
	q.Labels = map[string]string{"client": "nebulaflow"}
	ctx, cancel := context.WithCancel(c.life)
	s, events, err := c.n.e.StartAndSubscribe(ctx, q)
	if err != nil {
		cancel()
		return err
	}
	r.session, r.entry = s.ID, cmp.Or(q.Entry, engine.DefaultEntry)
	c.watch(ctx, cancel, r, events)
	return nil
}
