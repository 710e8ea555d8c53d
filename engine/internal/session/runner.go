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

// A Runner advances one session whose lease this engine holds. One goroutine owns the Runner and
// the decoded state; calls with effects run in goroutines of their own and return their results over
// a channel. A Runner lives from the claim to the checkpoint that gives up the lease.
//
// Its work is divided into types, each of which knows only the types above it in this list:
//
//	claim, draft            the hold on the session; the decisions that are not written yet
//	ledger                  texts, outputs and records of the next checkpoint
//	visits                  how a visit begins, ends, fails and is cancelled
//	bodies, children, agents   suspended calls; joins, waits and questions are on the same level
//	steps, effects          one step: its input, its call, its result
//	waves, requests         all steps that are active now; the requests in the inbox
//
// The Runner itself loads the session, runs waves, writes checkpoints, drops the draft when a
// checkpoint is refused, and gives up the lease.
type Runner struct {
	*visits
	children *children
	effects  *effects
	waves    *waves
	requests *requests
	notices  *notices

	from    store.SessionRecord // as claimed, without its state and counters
	version int64
	readAt  time.Time     // when the definition was last read
	inbox   int64         // newest inbox number known
	claimed int64         // inbox number up to which, as far as the claim shows, every request was applied at the claim
	poke    chan struct{} // the inbox may have new requests; capacity 1
	shown   string        // status and questions last sent to subscribers, see events
	pace    pace

	// Read by the engine's loops from other goroutines.
	stopping atomic.Bool
	yielding atomic.Bool
	waiting  atomic.Bool  // the session waits for calls
	known    atomic.Int64 // newest inbox number known
	extended bool         // a checkpoint of this runner has extended the lease; the first one always does
}

// New returns the runner of a session whose lease was just taken. The caller starts it with Run.
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
	r.from = rec
	r.from.State, r.from.Counters = nil, nil
	for i := range c.Requests {
		r.claimed = min(r.claimed, c.Requests[i].N-1)
	}
	r.offset.Store(int64(time.Until(c.Now)))
	r.beat.Store(time.Now().UnixNano())
	r.known.Store(rec.Inbox)
	return r
}

// load takes up a session as the claim or a later read returned it. given is its decoded state; nil
// decodes it.
func (r *Runner) load(rec store.SessionRecord, given *state.State) (err error) {
	r.stored = rec.Status
	if r.counters, err = state.ParseCounters(rec.ID, rec.Counters); err != nil {
		return err
	}
	if len(rec.Counters) == 0 && rec.Version > 0 {
		if r.counters, err = r.recoverCounters(rec); err != nil {
			return err
		}
	}
	if r.state = given; given == nil {
		if r.state, err = state.Parse(rec.ID, rec.State); err != nil {
			return err
		}
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

// keepGivenMessages writes MESSAGE records for the chat that the session was started with.
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

// firstDefinition takes the definition of a read that has begun already; nil for none.
func (r *Runner) firstDefinition(ctx context.Context, begun func(context.Context) (*graph.Definition, error)) error {
	if begun == nil {
		return r.readDefinition(ctx)
	}
	def, err := begun(ctx)
	if err != nil {
		return fmt.Errorf("read workflow %q: %w", r.workflow, err)
	}
	r.def, r.readAt = def, def.ReadAt
	return nil
}

// A pace measures what the last wave and its checkpoint cost.
type pace struct{ began, ended time.Time }

// waveEnded records the time at which the last wave and its checkpoint were finished.
func (p *pace) waveEnded() {
	if p.ended.Before(p.began) {
		p.ended = time.Now()
	}
}

// waitLeft returns how much longer results may wait for others.
func (p *pace) waitLeft() time.Duration {
	return time.Until(p.ended.Add(min(4*p.ended.Sub(p.began), maxResultWait)))
}

// maxResultWait is the longest time that a result waits for others.
const maxResultWait = 100 * time.Millisecond

// Poke notifies the runner that the session's inbox may have new requests.
func (r *Runner) Poke() {
	select {
	case r.poke <- struct{}{}:
	default:
	}
}

// recoverCounters rebuilds the counters of a session whose counters were removed by hand, from its
// history, its chat and its inbox, so that no number is used twice.
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
