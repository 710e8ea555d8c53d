package nebulaflowapi

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A run sends the messages of NebulaFlow about one session to a client. Events of the engine
// only trigger it; the results are read from the history. It must be used by one goroutine
// only.
type run struct {
	c       *conn
	session string
	w       *engine.Workflow
	nodes   map[string]nebulaflow.Node
	mode    string
	single  string                     // the node of execute_node
	thread  string                     // of llm_node_chat
	seeds   map[string]json.RawMessage // steps that count as done
	inside  *inside                    // of a subflow's session
	entry   string                     // of a session that has just been started: events cover all of it

	progress

	unfollow func()               // ends the following; once it returns, nothing more is sent
	rested   chan *engine.Session // of a pause
	waiting  bool
	stopped  atomic.Bool  // a pause has been reported
	lifted   atomic.Int64 // pauses that are over
}

// progress is what a client has been sent about a run.
type progress struct {
	read     []engine.Execution // of the history, not sent yet
	seq      int64              // how far it has been read
	running  map[string]bool    // nodes the client believes to be at work
	ended    map[string]endedNode
	held     []heldNode
	last     string            // the node that completed or was interrupted last
	faults   map[string]string // what was sent about nodes that failed
	status   string            // of the session
	over     bool              // its end has been sent
	talks    map[string]*talk
	rounds   map[string]string  // agents, by the records of their rounds
	children map[string]*inside // sessions of subflows, by id
	reported map[string]bool    // questions
	lines    map[string]string  // of commands, without their ends yet
}

// A heldNode was activated during a pause.
type heldNode struct {
	id    string
	visit int
}

// An endedNode is the newest end of a node.
type endedNode struct {
	visit, attempt int
	failed         bool
}

// follow follows a session that is there already.
func (c *conn) follow(r *run) error {
	ctx, cancel := context.WithCancel(c.life)
	events, err := c.n.e.Subscribe(ctx, r.session, "")
	if err != nil {
		cancel()
		return err
	}
	c.watch(ctx, cancel, r, events)
	return nil
}

// watch reports a session until it ends or the connection closes.
func (c *conn) watch(ctx context.Context, cancel func(), r *run, events <-chan engine.Event) {
	r.prepare(c)
	left := make(chan struct{})
	r.unfollow = func() { cancel(); <-left }
	c.mu.Lock()
	c.runs[r.session] = r
	c.mu.Unlock()
	c.work.Go(func() {
		defer close(left)
		defer cancel()
		defer c.forget(r)
		r.send(ctx, message{Type: nebulaflow.EventStarted})
		err := r.follow(ctx, events)
		if ctx.Err() == nil && !r.over {
			c.report(ctx, err)
			c.fail(ctx, "session "+r.session+" is no longer followed; follow_execution follows it again")
		}
	})
}

func (c *conn) forget(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, r.session)
	for key, a := range c.asked {
		if a.root == r.session {
			delete(c.asked, key)
		}
	}
}

func (r *run) prepare(c *conn) {
	r.c = c
	r.nodes = map[string]nebulaflow.Node{}
	for _, n := range nebulaflow.Nodes(r.w) {
		r.nodes[n.ID] = n
	}
	r.running, r.ended, r.reported = map[string]bool{}, map[string]endedNode{}, map[string]bool{}
	r.talks, r.rounds, r.children = map[string]*talk{}, map[string]string{}, map[string]*inside{}
	r.lines, r.faults = map[string]string{}, map[string]string{}
	r.rested = make(chan *engine.Session, 1)
}

// follow reports events until they end.
func (r *run) follow(ctx context.Context, events <-chan engine.Event) error {
	var flush <-chan time.Time
	for {
		if flush == nil && r.talked() {
			flush = time.After(talkEvery)
		}
		var err error
		select {
		case ev, open := <-events:
			if !open {
				return nil
			}
			err = r.event(ctx, ev)
		case s := <-r.rested:
			err = r.paused(ctx, s)
		case <-flush:
			flush = nil
			r.flushTalks(ctx)
		}
		if err != nil {
			return err
		}
	}
}

func (r *run) event(ctx context.Context, ev engine.Event) error {
	switch data := ev.Data.(type) {
	case *engine.Session:
		return r.snapshot(ctx, data)
	case engine.StepEvent:
		return r.step(ctx, data)
	case engine.TokenEvent:
		r.token(ctx, data)
	case engine.StatusEvent:
		if ev.Type == engine.EventEnd {
			return r.end(ctx, data.Status)
		}
		return r.changed(ctx, data.Status, data.Awaiting)
	}
	return nil
}

// snapshot reports what happened before the events begin. The history is read first: what it
// has ended since is not at work, whatever the state says, and what events tell again is known.
func (r *run) snapshot(ctx context.Context, s *engine.Session) error {
	if r.entry != "" {
		r.status = s.Status
		r.begin(ctx, r.entry, 1)
		return nil
	}
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	r.status = s.Status
	state, _, err := r.c.n.e.State(ctx, r.session)
	if err != nil {
		return err
	}
	for i := range r.w.Steps {
		id := r.w.Steps[i].ID
		visit := gjson.GetBytes(state, "engine.live."+gjson.Escape(id)+".visit").Int()
		switch gjson.GetBytes(state, "workflow."+gjson.Escape(id)+".status").String() {
		case engine.StatusActive, engine.StatusAwaitingInput:
			r.begin(ctx, id, int(visit))
		}
	}
	return r.changed(ctx, s.Status, s.Awaiting)
}

// step reports a step that changed its status.
func (r *run) step(ctx context.Context, ev engine.StepEvent) error {
	switch ev.Status {
	case engine.StatusActive:
		r.begin(ctx, ev.Step, ev.Visit)
	case engine.StatusComplete, engine.StatusError, engine.StatusCancelled:
		return r.until(ctx, ev)
	}
	return nil
}

// begin reports that a node is running, once it is active. During a pause it is not, though
// it is next.
func (r *run) begin(ctx context.Context, id string, visit int) {
	done := r.ended[id]
	_, seeded := r.seeds[id]
	switch {
	case seeded && visit == 1:
	case visit <= done.visit: // its end is known from the history already; of a retry the next record tells
	case r.status == engine.StatusPaused:
		r.held = append(r.held, heldNode{id, visit})
	default:
		r.run(ctx, id, visit)
	}
}

// run reports that a node is running, unless that was reported before.
func (r *run) run(ctx context.Context, id string, visit int) {
	n, isNode := r.nodes[id]
	if !isNode || n.Inactive || r.running[id] {
		return
	}
	r.running[id] = true
	delete(r.talks, id)
	r.node(ctx, nodeStatusData{NodeID: id, Status: "running"})
	if n.Type == nebulaflow.TypeSubflow {
		r.enter(ctx, n, visit)
	}
}
