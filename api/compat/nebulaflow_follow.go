package compat

import (
	"context"
	"encoding/json"
	"errors"
	"sort"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/nebulaflow"
	"github.com/tidwall/gjson"
)

// A nebulaRun tells a client of one session, in the messages of NebulaFlow. What has
// happened is read from the history, where results stand; events of the engine say when to
// look. It belongs to one goroutine.
type nebulaRun struct {
	c       *nebulaConn
	session string
	w       *engine.Workflow
	nodes   map[string]nebulaflow.Node
	mode    string
	single  string                     // the node of execute_node
	thread  string                     // of llm_node_chat
	seeds   map[string]json.RawMessage // steps that count as done
	inside  *nebulaInside              // of a subflow's session

	read    []engine.Execution // of the history, not told yet
	seq     int64              // how far it has been read
	running map[string]bool    // nodes the client believes to be at work
	ended   map[string]endedNode
	held    []heldNode
	last    string // the node that completed or was interrupted last
	status  string // of the session
	talks   map[string]*nebulaTalk
	rounds  map[string]string        // agents, by the records of their rounds
	kids    map[string]*nebulaInside // sessions of subflows, by id
	told    map[string]bool          // questions
	lines   map[string]string        // of commands, without their ends yet

	rested  chan *engine.Session // of a pause
	waiting bool
	stopped atomic.Bool // a pause has been told of
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

// watch follows a session until it ends or the connection does.
func (c *nebulaConn) watch(r *nebulaRun) {
	r.prepare(c)
	c.mu.Lock()
	c.runs[r.session] = r
	c.mu.Unlock()
	c.work.Go(func() {
		ctx, cancel := context.WithCancel(c.life)
		defer cancel()
		defer c.forget(r)
		events, err := c.n.e.Subscribe(ctx, r.session, "")
		if err != nil {
			c.report(ctx, err)
			return
		}
		r.send(ctx, nebulaMessage{Type: nebulaflow.EventStarted})
		r.follow(ctx, events)
	})
}

func (c *nebulaConn) forget(r *nebulaRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, r.session)
	for key, a := range c.asked {
		if a.root == r.session {
			delete(c.asked, key)
		}
	}
}

func (r *nebulaRun) prepare(c *nebulaConn) {
	r.c = c
	r.nodes = map[string]nebulaflow.Node{}
	for _, n := range nebulaflow.Nodes(r.w) {
		r.nodes[n.ID] = n
	}
	r.running, r.ended, r.told = map[string]bool{}, map[string]endedNode{}, map[string]bool{}
	r.talks, r.rounds, r.kids = map[string]*nebulaTalk{}, map[string]string{}, map[string]*nebulaInside{}
	r.lines = map[string]string{}
	r.rested = make(chan *engine.Session, 1)
}

// follow tells of events until they end.
func (r *nebulaRun) follow(ctx context.Context, events <-chan engine.Event) {
	var flush <-chan time.Time
	for {
		if flush == nil && r.talked() {
			flush = time.After(talkEvery)
		}
		var err error
		select {
		case ev, open := <-events:
			if !open {
				return
			}
			err = r.event(ctx, ev)
		case s := <-r.rested:
			err = r.paused(ctx, s)
		case <-flush:
			flush = nil
			r.flushTalks(ctx)
		}
		if err != nil {
			if ctx.Err() == nil {
				r.c.report(ctx, err)
			}
			return
		}
	}
}

func (r *nebulaRun) event(ctx context.Context, ev engine.Event) error {
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

// snapshot tells what happened before the events begin. The history is read first: what it
// has ended since is not at work, whatever the state says, and what events tell again is known.
func (r *nebulaRun) snapshot(ctx context.Context, s *engine.Session) error {
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

// step tells of a step that changed its status.
func (r *nebulaRun) step(ctx context.Context, ev engine.StepEvent) error {
	switch ev.Status {
	case engine.StatusActive:
		r.begin(ctx, ev.Step, ev.Visit)
	case engine.StatusComplete, engine.StatusError, engine.StatusCancelled:
		return r.until(ctx, ev)
	}
	return nil
}

// begin tells that a node is at work, once it is active. During a pause it is not, though
// it is next.
func (r *nebulaRun) begin(ctx context.Context, id string, visit int) {
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

// run tells that a node is at work, unless that has been told.
func (r *nebulaRun) run(ctx context.Context, id string, visit int) {
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

// until tells of the ends of visits up to the one of an event.
func (r *nebulaRun) until(ctx context.Context, ev engine.StepEvent) error {
	done := r.ended[ev.Step]
	known := done.visit >= ev.Visit && !r.running[ev.Step]
	if known && !done.failed {
		return nil
	}
	for {
		for len(r.read) > 0 {
			x := r.read[0]
			r.read = r.read[1:]
			if err := r.tell(ctx, &x); err != nil {
				return err
			}
			if x.Step == ev.Step && x.Visit == ev.Visit && nodeWord(x.Status) == nodeWord(ev.Status) {
				return nil
			}
		}
		more, err := r.more(ctx)
		if err != nil {
			return err
		}
		if !more && known {
			return nil
		}
		if !more { // the workflow keeps no history: the state must do
			return r.tell(ctx, &engine.Execution{Step: ev.Step, Visit: ev.Visit, Status: ev.Status, Output: json.RawMessage(`{"cut":true,"hash":""}`)})
		}
	}
}

// more reads on in the history.
func (r *nebulaRun) more(ctx context.Context) (bool, error) {
	page, err := r.c.n.e.Executions(ctx, r.session, engine.HistoryQuery{After: r.seq, Limit: 500})
	if err != nil || len(page) == 0 {
		return false, err
	}
	r.seq = page[len(page)-1].Seq
	r.read = append(r.read, page...)
	return true, nil
}

// catchUp tells of all that is in the history, beginnings and ends in their order.
func (r *nebulaRun) catchUp(ctx context.Context) error {
	for {
		more, err := r.more(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	type moment struct {
		at    time.Time
		begin bool
		x     *engine.Execution
	}
	var list []moment
	for i := range r.read {
		x := &r.read[i]
		list = append(list, moment{x.StartedAt, true, x}, moment{x.FinishedAt, false, x})
	}
	r.read = nil
	sort.SliceStable(list, func(i, j int) bool { return list[i].at.Before(list[j].at) })
	for _, m := range list {
		if m.begin {
			if r.tells(m.x) {
				r.run(ctx, m.x.Step, m.x.Visit)
			}
			continue
		}
		if err := r.tell(ctx, m.x); err != nil {
			return err
		}
	}
	return nil
}

// isSeed tells whether a record is that of a step that was given its output.
func (r *nebulaRun) isSeed(x *engine.Execution) bool {
	if _, given := r.seeds[x.Step]; given {
		return x.Visit == 1
	}
	s := r.w.Step(x.Step)
	return s != nil && s.Function != "" && !s.Bypass && len(x.Input) == 0 && len(x.Output) > 0 && x.Status == engine.StatusComplete
}

// tells tells whether a record is the end of a node's work that is not known yet. A call
// that was cancelled and ended all the same leaves a second record.
func (r *nebulaRun) tells(x *engine.Execution) bool {
	done := r.ended[x.Step]
	return nodeWord(x.Status) != "" && !r.isSeed(x) && (r.running[x.Step] || x.Visit > done.visit || done.failed && x.Attempt > done.attempt)
}

var nodeWords = map[string]string{engine.StatusComplete: "completed", engine.StatusError: "error", engine.StatusCancelled: "interrupted"}

func nodeWord(status string) string { return nodeWords[status] }

// tell tells of one record of the history.
func (r *nebulaRun) tell(ctx context.Context, x *engine.Execution) error {
	n, isNode := r.nodes[x.Step]
	switch {
	case x.Status == engine.StatusRound:
		r.run(ctx, x.Step, x.Visit)
		r.rounds[x.ID] = x.Step
		r.talk(x.Step).round(x)
		return nil
	case !isNode:
		r.toolEnded(x)
		return nil
	}
	if !r.tells(x) {
		return nil
	}
	r.run(ctx, x.Step, x.Visit)
	word := nodeWord(x.Status)
	data := nodeStatusData{NodeID: x.Step, Status: word}
	var err error
	switch word {
	case "completed":
		data.Result, data.Multi, err = r.result(ctx, n, x)
	case "error":
		text := errorOf(x)
		data.Result = &text
	}
	if err != nil {
		return err
	}
	r.leave(ctx, n, x.Visit)
	r.finished(ctx, n, x, data)
	return nil
}

// finished tells of the end of a node.
func (r *nebulaRun) finished(ctx context.Context, n nebulaflow.Node, x *engine.Execution, data nodeStatusData) {
	if n.Type == nebulaflow.TypeLLM && data.Result != nil && data.Status == "completed" {
		r.talk(n.ID).final(*data.Result)
	}
	r.flushTalk(ctx, n.ID)
	r.lastLine(ctx, n.ID)
	delete(r.running, n.ID)
	r.ended[n.ID] = endedNode{x.Visit, x.Attempt, data.Status != "completed"}
	r.unask(n.ID)
	if data.Status != "error" || r.single != "" {
		r.last = n.ID
	}
	r.node(ctx, data)
	if n.Type == nebulaflow.TypePreview && data.Result != nil && r.inside == nil {
		m := tokenCount(n.ID, *data.Result)
		r.send(ctx, m)
	}
	if r.inside != nil {
		r.inside.progress(ctx, n, data.Status)
	}
}

// changed tells of a new status of the session and of its questions.
func (r *nebulaRun) changed(ctx context.Context, status string, awaiting []engine.Question) error {
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

// goOn tells that a pause is over.
func (r *nebulaRun) goOn(ctx context.Context) {
	if r.stopped.Swap(false) {
		r.send(ctx, nebulaMessage{Type: nebulaflow.EventStarted})
	}
	held := r.held
	r.held = nil
	for _, next := range held {
		r.begin(ctx, next.id, next.visit)
	}
}

// awaitRest waits for the calls that a pause lets finish: NebulaFlow says that a run is
// paused once nothing runs.
func (r *nebulaRun) awaitRest(ctx context.Context) {
	if r.waiting || r.inside != nil {
		return
	}
	r.waiting = true
	r.c.work.Go(func() {
		s, err := r.c.n.e.Wait(ctx, r.session)
		if err != nil {
			s = nil // the connection ends, or the session is gone: the events say so
		}
		r.rested <- s // capacity 1, one waits at a time
	})
}

func (r *nebulaRun) paused(ctx context.Context, s *engine.Session) error {
	r.waiting = false
	if s == nil || s.Status != engine.StatusPaused || r.stopped.Load() {
		return nil
	}
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	r.flushTalks(ctx)
	clear(r.running)
	r.stopped.Store(true)
	r.send(ctx, nebulaMessage{Type: nebulaflow.EventPaused, StoppedAtNodeID: r.last, Status: engine.StatusPaused})
	return nil
}

// explainPending shows why a session waits though nobody is asked: a flow that somebody has
// edited elsewhere can lack a value.
func (r *nebulaRun) explainPending(ctx context.Context) error {
	s, err := r.c.n.e.Session(ctx, r.session)
	if err != nil {
		return err
	}
	for _, p := range s.Problems {
		r.c.inform(ctx, "session "+r.session+" waits: "+p.Step+": "+p.Message)
	}
	return nil
}

// end tells that the session has ended, and how: NebulaFlow leaves that out.
func (r *nebulaRun) end(ctx context.Context, status string) error {
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	r.flushTalks(ctx)
	if r.inside != nil {
		return nil
	}
	out := nebulaMessage{Type: nebulaflow.EventCompleted, StoppedAtNodeID: r.last, Status: status}
	s, err := r.c.n.e.Session(ctx, r.session)
	if err != nil && !errors.Is(err, engine.ErrSessionNotFound) {
		return err
	}
	if err == nil && s.Error != nil {
		out.Error = s.Error.Message
		if _, shown := r.nodes[s.Error.Step]; !shown {
			r.c.fail(ctx, "Workflow Error: "+s.Error.Message)
		}
	}
	r.c.forget(r)
	r.send(ctx, out)
	return nil
}

// send sends a message about the session.
func (r *nebulaRun) send(ctx context.Context, m nebulaMessage) {
	m.Session = r.session
	if r.inside != nil {
		m.Session = r.inside.root
	}
	r.c.send(ctx, m)
}

// A nodeStatusData is what a client is told of a node.
type nodeStatusData struct {
	NodeID string   `json:"nodeId"`
	Status string   `json:"status"`
	Result *string  `json:"result,omitempty"`
	Multi  []string `json:"multi,omitempty"`
}

// node tells of a node; of one inside a subflow as such.
func (r *nebulaRun) node(ctx context.Context, data nodeStatusData) {
	if r.inside == nil {
		r.send(ctx, nebulaMessage{Type: nebulaflow.EventNode, Data: data})
		return
	}
	r.send(ctx, nebulaMessage{Type: "subflow_node_execution_status", Data: map[string]any{"subflowId": r.w.ID, "payload": data}})
}

func progressText(done, all int) *string {
	text := strconv.Itoa(done) + "/" + strconv.Itoa(all)
	return &text
}
