package nebulaflowapi

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
)

// abort cancels all that this connection follows, what is paused too.
func (c *conn) abort(ctx context.Context, _ command) error {
	return c.actOnAll(ctx, engine.RequestCancel)
}

// pause lets running nodes finish and starts no others.
func (c *conn) pause(ctx context.Context, _ command) error {
	return c.actOnAll(ctx, engine.RequestPause)
}

func (c *conn) actOnAll(ctx context.Context, kind string) error {
	all := c.following()
	if len(all) == 0 {
		return wire.Refuse("nothing runs that this connection follows; follow_execution follows a session again")
	}
	var errs []error
	for _, r := range all {
		errs = append(errs, c.act(ctx, r.session, kind, kind+"d in NebulaFlow"))
	}
	return errors.Join(errs...)
}

func (c *conn) act(ctx context.Context, session, kind, reason string) error {
	_, err := c.n.e.Act(ctx, engine.Action{Session: session, Kind: kind, Reason: reason, By: "nebulaflow"})
	if errors.Is(err, engine.ErrSessionEnded) {
		return nil // the client gets the event of its end
	}
	return err
}

// pausedAt are the sessions of this connection that a resume goes on from: paused ones whose
// flow has the node it begins at and all nodes it brings results of.
func (c *conn) pausedAt(resume nebulaflow.Resume) []*run {
	from := resume.FromNodeID
	if len(resume.Seeds.Outputs) == 0 && from == "" {
		return nil
	}
	var out []*run
	for _, r := range c.following() {
		covers := r.stopped.Load() && r.single == "" && (from == "" || r.w.Step(from) != nil)
		for id := range resume.Seeds.Outputs {
			covers = covers && r.w.Step(id) != nil
		}
		if covers {
			out = append(out, r)
		}
	}
	return out
}

// followExecution tells of a session from its beginning and then as it goes on: for clients
// that lost their connection.
func (c *conn) followExecution(ctx context.Context, m command) error {
	var in struct{ Session string }
	if err := m.decode(&in); err != nil {
		return err
	}
	return c.followSession(ctx, in.Session)
}

func (c *conn) followSession(ctx context.Context, session string) error {
	s, err := c.n.e.Session(ctx, session)
	if errors.Is(err, engine.ErrSessionNotFound) {
		return wire.Refuse("there is no session " + session)
	}
	if err != nil {
		return err
	}
	w, err := c.n.e.Workflow(ctx, s.Workflow)
	if errors.Is(err, engine.ErrWorkflowNotFound) || err == nil && !isFlow(w) {
		return wire.Refuse("session " + session + " runs no flow of NebulaFlow")
	}
	if err != nil {
		return err
	}
	for _, r := range c.following() {
		if r.session == session {
			return wire.Refuse("this connection follows the session already")
		}
	}
	if len(c.following()) >= followLimit {
		return wire.Refuse("this connection follows as many sessions as it may")
	}
	return c.follow(&run{session: session, w: w, mode: modeWorkflow})
}
