package nebulaflowapi

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
)

// A inside is a subflow at work: the session below the one that is followed.
type inside struct {
	parent *run
	node   string // that runs it
	root   string // the session the client knows
	count  int    // nodes that are done
	all    int    // nodes that can be
	over   chan struct{}
	done   chan struct{}
	quiet  atomic.Bool // it is paused, and all its events have been sent
}

// Times of following a subflow's session.
const (
	lookEvery = 20 * time.Millisecond // until the session has been made
	lateEnd   = 5 * time.Second       // how long its last messages may take after its end
)

// enter follows the session of a subflow's node.
func (r *run) enter(ctx context.Context, n nebulaflow.Node, visit int) {
	id := fmt.Sprintf("%s/%s/%d/0", r.session, n.ID, visit)
	if r.children[id] != nil {
		return
	}
	in := &inside{parent: r, node: n.ID, root: r.session, over: make(chan struct{}), done: make(chan struct{})}
	if r.inside != nil {
		in.root = r.inside.root
	}
	r.children[id] = in
	r.c.work.Go(func() {
		defer close(in.done)
		if err := in.run(ctx, id); err != nil && ctx.Err() == nil {
			r.c.report(ctx, err)
		}
	})
}

func (in *inside) run(ctx context.Context, id string) error {
	c := in.parent.c
	events, err := in.find(ctx, id)
	if events == nil {
		return err
	}
	s, err := c.n.e.Session(ctx, id)
	if err != nil {
		return err
	}
	w, err := c.n.e.Workflow(ctx, s.Workflow)
	if errors.Is(err, engine.ErrWorkflowNotFound) {
		return nil // the node says so when it ends
	}
	if err != nil {
		return err
	}
	r := &run{session: id, w: w, mode: modeWorkflow, inside: in}
	r.prepare(c)
	for _, n := range r.nodes {
		if !n.Boundary && !n.Inactive {
			in.all++
		}
	}
	in.parent.node(ctx, nodeStatusData{NodeID: in.node, Status: "running", Result: progressText(0, in.all)})
	return r.follow(ctx, events)
}

// find waits until the session is there. It gives up when the node has ended without one.
func (in *inside) find(ctx context.Context, id string) (<-chan engine.Event, error) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for last := false; ; {
		events, err := in.parent.c.n.e.Subscribe(ctx, id, "")
		if err == nil || last || !errors.Is(err, engine.ErrSessionNotFound) {
			if errors.Is(err, engine.ErrSessionNotFound) {
				return nil, nil
			}
			return events, err
		}
		select {
		case <-look.C:
		case <-in.over:
			last = true
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// leave waits until all events of a subflow have been sent, before the end of its node is.
func (r *run) leave(ctx context.Context, n nebulaflow.Node, visit int) {
	id := fmt.Sprintf("%s/%s/%d/0", r.session, n.ID, visit)
	in := r.children[id]
	if in == nil {
		return
	}
	delete(r.children, id)
	close(in.over)
	late := time.NewTimer(lateEnd)
	defer late.Stop()
	select {
	case <-in.done:
	case <-late.C:
	case <-ctx.Done():
	}
}

// progress reports the progress of a subflow as the result of its node.
func (in *inside) progress(ctx context.Context, n nebulaflow.Node, status string) {
	if n.Boundary || status != "completed" {
		return
	}
	in.count++
	in.parent.node(ctx, nodeStatusData{NodeID: in.node, Status: "running", Result: progressText(in.count, in.all)})
}
