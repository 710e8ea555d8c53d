package session

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A runner advances one session whose lease this engine holds. One goroutine owns it and
// the decoded state; effects run beside it and hand their results back over a channel.
// It lives from the claim to the checkpoint that gives the lease up.
//
// What a session can do is in types of their own, each of which knows only those below it:
//
//	claim, draft            the hold on the session; what is decided and not written yet
//	ledger                  texts, outputs and records of the next checkpoint
//	visits                  how a visit begins, ends, fails and is cancelled
//	bodies, children, agents   the suspended calls; joins, waits, questions beside them
//	steps, effects          one step: its input, its call, what came of it
//	waves, requests         all steps that are active now; what people ask of the session
//
// The runner is what remains: it loads the session, runs waves, writes checkpoints, goes back
// when one is refused, and gives the lease up.
type Runner struct {
	*visits
	children *children
	effects  *effects
	waves    *waves
	requests *requests
	notices  *notices

	version int64
	readAt  time.Time     // when the definition was read last
	inbox   int64         // newest inbox number known
	claimed int64         // inbox number below which everything was applied when the session was claimed, as far as the claim shows
	poke    chan struct{} // something may be in the inbox; capacity 1
	shown   string        // status and questions as watchers were last told, see events
	pace    pace

	// What the engine's loops look at from outside.
	stopping atomic.Bool
	waiting  atomic.Bool  // the session waits for effects
	known    atomic.Int64 // newest inbox number known
	extended bool         // by a checkpoint of this runner, which its first one always does
}

// New returns the runner of a session whose lease was just taken. It does nothing before Run.
func New(e *Env, c store.Claimed, seat Seat) *Runner {
	rec := c.Session
	v := &visits{ledger: &ledger{
		claim: &claim{e: e, seat: seat, id: rec.ID, lease: rec.Lease, workflow: cmp.Or(rec.Workflow, graph.DefaultWorkflow), root: cmp.Or(rec.Root, rec.ID),
			lost: make(chan struct{}), log: e.Log.With(logSession, rec.ID)},
		draft:   &draft{unapplied: c.Requests},
		running: map[string]*attempt{},
		results: make(chan attemptResult, e.StepsAtOnce),
	}}
	bodies, children, agents := &bodies{v}, &children{v}, &agents{v}
	v.body, v.sessions, v.tools = bodies, children, agents
	joins, waits, effects := &joins{v}, &waits{v}, &effects{v.ledger}
	questions := &questions{v, waits}
	r := &Runner{
		visits: v, children: children, effects: effects, notices: &notices{v.ledger},
		waves: &waves{visits: v, joins: joins, bodies: bodies, effects: effects, waits: waits, questions: questions,
			steps: &steps{visits: v, inputs: &inputs{v.ledger}, bodies: bodies, children: children, agents: agents, waits: waits, questions: questions}},
		requests: &requests{visits: v, joins: joins, children: children, waits: waits, questions: questions},
		version:  rec.Version, inbox: rec.Inbox, claimed: rec.Inbox,
		poke: make(chan struct{}, 1),
	}
	for i := range c.Requests {
		r.claimed = min(r.claimed, c.Requests[i].N-1)
	}
	r.offset.Store(int64(time.Until(c.Now)))
	r.beat.Store(time.Now().UnixNano())
	r.known.Store(rec.Inbox)
	return r
}

// load decodes what the claim returned.
func (r *Runner) load(rec store.SessionRecord) (err error) {
	r.stored = rec.Status
	if r.counters, err = state.ParseCounters(rec.ID, rec.Counters); err != nil {
		return err
	}
	if len(rec.Counters) == 0 && rec.Version > 0 {
		if r.counters, err = r.recoverCounters(rec); err != nil {
			return err
		}
	}
	if r.state, err = state.Parse(rec.ID, rec.State); err != nil {
		return err
	}
	r.state.CountVisitsIn(r.counters)
	r.stateBytes = len(rec.State)
	r.draft.open = r.state.OpenAsks()
	if rec.Version == 0 {
		r.keepGivenMessages()
	}
	if r.state.Adopt(&rec, r.counters, r.now()) {
		r.unwritten.dirty = true
	}
	return nil
}

// keepGivenMessages makes MESSAGEs of the chat a session was started with.
func (r *Runner) keepGivenMessages() {
	if r.counters.Messages() == 0 {
		return
	}
	given := r.state.Messages()
	for i := range given {
		given[i].N = int64(i + 1)
	}
	r.unwritten.messages = given
	r.state.TrimChat()
	r.unwritten.touch()
}

func (r *Runner) readDefinition(ctx context.Context) error {
	def, err := r.e.Definitions.Read(ctx, r.workflow, r.state.Entry())
	if err != nil {
		return fmt.Errorf("read workflow %q: %w", r.workflow, err)
	}
	r.def, r.readAt = def, time.Now()
	return nil
}

// A pace knows what the last wave and its checkpoint cost.
type pace struct{ began, ended time.Time }

// rest notes that all is done that could be.
func (p *pace) rest() {
	if p.ended.Before(p.began) {
		p.ended = time.Now()
	}
}

// left is how long results may still wait.
func (p *pace) left() time.Duration {
	return time.Until(p.ended.Add(min(4*p.ended.Sub(p.began), maxGather)))
}

// maxGather is how long a result waits at most for others.
const maxGather = 100 * time.Millisecond

// Poke says that the session's inbox may have something new.
func (r *Runner) Poke() {
	select {
	case r.poke <- struct{}{}:
	default:
	}
}

// recoverCounters builds counters anew for a session that has lost them to somebody's
// hand: from its history, its chat and its inbox, so that no number is given twice.
func (r *Runner) recoverCounters(rec store.SessionRecord) (*state.Counters, error) {
	c := state.NewCounters()
	c.See(r.claimed)
	for {
		page, err := r.e.Store.Executions(r.ctx, r.id, store.HistoryQuery{After: c.Seq(), Limit: maxPage})
		if err != nil {
			return nil, err
		}
		for i := range page {
			c.Recover(page[i].Seq, 0)
			c.NoteVisit(page[i].Step, page[i].Visit)
		}
		if len(page) < maxPage {
			break
		}
	}
	newest, err := r.e.Store.Messages(r.ctx, r.id, store.HistoryQuery{Newest: true, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(newest) > 0 {
		c.Recover(0, newest[0].N)
	}
	return c, nil
}
