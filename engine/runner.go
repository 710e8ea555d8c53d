package engine

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/state"
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
type runner struct {
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

func (e *Engine) newRunner(c Claimed) *runner {
	rec := c.Session
	v := &visits{ledger: &ledger{
		claim: &claim{e: e, id: rec.ID, lease: rec.Lease, workflow: workflowOf(rec.Workflow), root: cmp.Or(rec.Root, rec.ID),
			lost: make(chan struct{}), log: e.o.Log.With(logSession, rec.ID)},
		draft:   &draft{unapplied: c.Requests},
		running: map[string]*attempt{},
		results: make(chan attemptResult, e.o.StepsAtOnce),
	}}
	bodies, children, agents := &bodies{v}, &children{v}, &agents{v}
	v.body, v.sessions, v.tools = bodies, children, agents
	joins, waits, effects := &joins{v}, &waits{v}, &effects{v.ledger}
	questions := &questions{v, waits}
	r := &runner{
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

// run moves the session on until it rests, is lost, or the engine stops.
func (r *runner) run(ctx context.Context, rec SessionRecord) error {
	if err := r.load(rec); err != nil {
		return r.unreadable(ctx, rec, err)
	}
	if r.def != nil { // read when the session was started
		r.readAt = r.def.ReadAt
	} else if err := r.readDefinition(ctx); err != nil {
		return err
	}
	r.effects.noteLost()
	if rec.Claims > maxClaims {
		r.poison(rec.Claims)
	}
	if err := r.takeRequests(ctx); err != nil {
		return err
	}
	for {
		r.gather(ctx)
		if time.Since(r.readAt) > r.e.o.ReadEvery {
			if err := r.readDefinition(ctx); err != nil {
				return err
			}
		}
		if r.stopNow = r.stopping.Load(); r.stopNow {
			r.unqueueAll() // still active in the state: whoever claims the session starts them
			leaveQueues(r.running)
		}
		progressed := r.waves.wave(ctx)
		if r.fault != nil {
			return r.fault
		}
		// What ended as the wave did has its paths still to be followed: a checkpoint in
		// between would show it complete and, after a crash, nobody would follow them.
		if len(r.arrived) > 0 || r.failing != "" {
			continue
		}
		if len(r.toStart) > 0 || r.unwritten.full(time.Now()) {
			if err := r.checkpoint(ctx); err != nil {
				return err
			}
			r.effects.startEffects(ctx)
		}
		// A checkpoint may have found requests, and applying one may have made a step active:
		// the session must not rest before a wave has seen that, nothing else would wake it.
		if progressed || r.unsettled {
			continue
		}
		rested, err := r.pauseOrRest(ctx)
		if rested || err != nil {
			return err
		}
	}
}

// maxClaims is how often a session may be claimed in a row without a checkpoint before
// it counts as one that kills its workers.
const maxClaims = 5

// pauseOrRest is where a session has nothing to do now: it waits for effects under way, a
// timer or a request, or gives the lease up.
func (r *runner) pauseOrRest(ctx context.Context) (rested bool, err error) {
	if len(r.running) == 0 {
		return r.rest(ctx)
	}
	if r.unwritten.dirty || len(r.state.Notices()) > 0 {
		r.unwritten.touch()
		if err := r.checkpoint(ctx); err != nil || r.unsettled {
			return false, err
		}
	}
	r.pace.rest()
	r.known.Store(r.inbox)
	r.waiting.Store(true)
	defer r.waiting.Store(false)
	r.e.reseat(r.claim, func(s *seat) { s.idle = true })
	defer r.e.reseat(r.claim, func(s *seat) { s.idle = false })
	due, stop := r.untilTimer()
	defer stop()
	select {
	case res := <-r.results:
		r.arrive(res)
	case <-due:
		r.unsettled = true
	case <-r.poke:
		r.stopNow = r.stopping.Load()
		return false, r.fetchRequests(ctx)
	case <-r.lost:
		return false, errLost
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return false, nil
}

// untilTimer gives a signal when the session has something to do by itself, while calls of
// other steps are under way.
func (r *runner) untilTimer() (<-chan time.Time, func()) {
	next := r.nextTimer(true)
	if next.IsZero() {
		return nil, func() {}
	}
	t := time.NewTimer(time.Until(next.Add(-r.offset.get())))
	return t.C, func() { t.Stop() }
}

// load decodes what the claim returned.
func (r *runner) load(rec SessionRecord) (err error) {
	r.stored = rec.Status
	if r.counters, err = state.ParseCounters(rec.ID, rec.Counters); err != nil {
		return err
	}
	if len(rec.Counters) == 0 && rec.Version > 0 {
		if r.counters, err = r.recoverCounters(rec); err != nil {
			return err
		}
	}
	if r.state, err = ParseState(rec.ID, rec.State); err != nil {
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
func (r *runner) keepGivenMessages() {
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

func (r *runner) readDefinition(ctx context.Context) error {
	def, err := r.e.definitions.Read(ctx, r.workflow, r.state.Entry())
	if err != nil {
		return fmt.Errorf("read workflow %q: %w", r.workflow, err)
	}
	r.def, r.readAt = def, time.Now()
	return nil
}

// unreadable records on a session whose state does not parse that it is in error; the
// text stays as it is.
func (r *runner) unreadable(ctx context.Context, rec SessionRecord, cause error) error {
	r.log.Error("state unreadable", logError, cause)
	_, err := r.e.committer.Commit(ctx, &Checkpoint{
		Session: r.id, Version: r.version, Lease: r.lease, Transition: r.e.o.NewID(),
		Seen: rec.Inbox, Status: StatusError, Release: true,
		Awaiting: rec.Awaiting, AwaitingSince: rec.AwaitingSince,
	})
	return err
}

// poison ends a session that has killed its workers several times in a row; `retry`
// takes it up again.
func (r *runner) poison(claims int) {
	message := fmt.Sprintf("claimed %d times without a checkpoint: its workers died; see the logs, then retry", claims)
	for _, id := range r.waves.activeSteps(true) {
		r.fail(id, failure{kind: KindPoison, message: message, final: true})
	}
	if r.state.Failure() == nil {
		r.state.Fail(&SessionError{Kind: KindPoison, Message: message})
	}
	r.unwritten.dirty = true
}
