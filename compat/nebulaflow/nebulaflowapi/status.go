package nebulaflowapi

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
)

// changed reports a new status of the session, and its questions, to the client.
func (r *run) changed(ctx context.Context, status string, awaiting []engine.Question) error {
	before := r.status
	r.status = status
	if before == engine.StatusPaused && status != engine.StatusPaused {
		r.goOn(ctx)
	}
	for _, q := range awaiting {
		if err := r.question(ctx, q); err != nil {
			return err
		}
	}
	switch status {
	case engine.StatusPaused:
		r.awaitRest(ctx)
	case engine.StatusPending:
		return r.explainPending(ctx)
	}
	return nil
}

// goOn reports the end of a pause.
func (r *run) goOn(ctx context.Context) {
	r.lifted.Add(1)
	if r.stopped.Swap(false) && r.inside == nil {
		r.send(ctx, message{Type: nebulaflow.EventStarted})
	}
	if r.inside != nil {
		r.inside.quiet.Store(false)
	}
	held := r.held
	r.held = nil
	for _, next := range held {
		r.begin(ctx, next.id, next.visit)
	}
}

// awaitRest waits for the calls that a pause lets finish, those of subflows too: NebulaFlow says
// that a run is paused once nothing runs.
func (r *run) awaitRest(ctx context.Context) {
	if r.waiting {
		return
	}
	r.waiting = true
	below, pause := slices.Collect(maps.Values(r.children)), r.lifted.Load()
	r.c.work.Go(func() {
		s, err := r.c.n.e.Wait(ctx, r.session)
		if err != nil {
			s = nil // the connection ends, or the session is gone: the events say so
		}
		for _, in := range below {
			in.awaitQuiet(ctx, func() bool { return r.lifted.Load() != pause })
		}
		r.rested <- s // capacity 1, one waits at a time
	})
}

// awaitQuiet waits until all events of a subflow that pauses have been sent, or it ends.
func (in *inside) awaitQuiet(ctx context.Context, lifted func() bool) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for !in.quiet.Load() && !lifted() {
		select {
		case <-look.C:
		case <-in.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (r *run) paused(ctx context.Context, s *engine.Session) error {
	r.waiting = false
	if s == nil || s.Status != engine.StatusPaused || r.stopped.Load() {
		return nil
	}
	if r.status != engine.StatusPaused { // lifted meanwhile
		return nil
	}
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	r.flushTalks(ctx)
	clear(r.running)
	r.stopped.Store(true)
	if r.inside != nil {
		r.inside.quiet.Store(true)
		return nil
	}
	r.send(ctx, message{Type: nebulaflow.EventPaused, StoppedAtNodeID: r.last, Status: engine.StatusPaused})
	return nil
}

// explainPending reports why a session is pending without an open question: a flow that was
// edited elsewhere can lack a value.
func (r *run) explainPending(ctx context.Context) error {
	s, err := r.c.n.e.Session(ctx, r.session)
	if err != nil {
		return err
	}
	for _, p := range s.Problems {
		r.c.inform(ctx, "session "+r.session+" waits: "+p.Step+": "+p.Message)
	}
	return nil
}

// end reports that the session has ended and with which status, which NebulaFlow does not.
func (r *run) end(ctx context.Context, status string) error {
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	r.flushTalks(ctx)
	r.over = true
	if r.inside != nil {
		return nil
	}
	out := message{Type: nebulaflow.EventCompleted, StoppedAtNodeID: r.last, Status: status}
	s, err := r.c.n.e.Session(ctx, r.session)
	if err != nil && !errors.Is(err, engine.ErrSessionNotFound) {
		return err
	}
	if err == nil && s.Error != nil {
		out.Error = cmp.Or(r.faults[s.Error.Step], s.Error.Message)
		if _, shown := r.nodes[s.Error.Step]; !shown {
			r.c.fail(ctx, "Workflow Error: "+s.Error.Message)
		}
	}
	r.c.forget(r)
	r.send(ctx, out)
	return nil
}

// send sends a message about the session.
func (r *run) send(ctx context.Context, m message) {
	m.Session = r.session
	if r.inside != nil {
		m.Session = r.inside.root
	}
	r.c.send(ctx, m)
}

// A nodeStatusData is the status of a node as sent to a client.
type nodeStatusData struct {
	NodeID string   `json:"nodeId"`
	Status string   `json:"status"`
	Result *string  `json:"result,omitempty"`
	Multi  []string `json:"multi,omitempty"`
}

// node reports the status of a node. A node inside a subflow is reported as part of it.
func (r *run) node(ctx context.Context, data nodeStatusData) {
	if r.inside == nil {
		r.send(ctx, message{Type: nebulaflow.EventNode, Data: data})
		return
	}
	r.send(ctx, message{Type: "subflow_node_execution_status", Data: map[string]any{"subflowId": r.w.ID, "payload": data}})
}

func progressText(done, all int) *string {
	text := strconv.Itoa(done) + "/" + strconv.Itoa(all)
	return &text
}
