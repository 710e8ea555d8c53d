package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/state"
)

// A runner advances one session whose lease this engine holds. One goroutine owns it and
// the decoded state; effects run beside it and hand their results back over a channel.
// It lives from the claim to the checkpoint that gives the lease up.
type runner struct {
	e        *Engine
	ctx      context.Context // of run; ends when the lease is lost or the engine stops
	log      *slog.Logger
	id       string
	lease    string
	workflow string
	version  int64
	stored   string // the session's status in the last written checkpoint

	draft // what is decided and not written yet

	def    *Definition
	readAt time.Time // when the definition was read last

	offset  clockOffset
	inbox   int64 // newest inbox number known
	claimed int64 // inbox number below which everything was applied when the session was claimed, as far as the claim shows
	running map[string]*attempt
	results chan attemptResult
	poke    chan struct{}     // something may be in the inbox; capacity 1
	lost    chan struct{}     // closed when another worker has the session
	blobs   map[string][]byte // BLOBs read or written, by hash: a text stays what its hash says
	root    string            // the topmost session this one descends from
	shown   string            // status and questions as watchers were last told, see events
	stopNow bool              // the engine stops: go to rest at once
	pace    pace

	// What the engine's loops look at from outside.
	stopping atomic.Bool
	waits    atomic.Bool  // the session waits for effects
	person   atomic.Bool  // a request of a person has moved it on since the claim
	known    atomic.Int64 // newest inbox number known
	beat     atomic.Int64 // newest extension asked for, Unix ns
	extended bool         // by a checkpoint of this runner, which its first one always does
	losing   sync.Once    // closes lost
	seat     seat         // guarded by Engine.mu
}

// leased is when the newest extension of the lease was asked for.
func (r *runner) leased() time.Time { return time.Unix(0, r.beat.Load()) }

// errLost ends a runner whose lease another worker has taken.
var errLost = errors.New("another worker holds the session")

func (e *Engine) newRunner(c Claimed) *runner {
	rec := c.Session
	r := &runner{
		e: e, id: rec.ID, lease: rec.Lease, workflow: workflowOf(rec.Workflow), version: rec.Version,
		inbox: rec.Inbox, claimed: rec.Inbox,
		draft: draft{requests: c.Requests}, root: cmp.Or(rec.Root, rec.ID),
		running: map[string]*attempt{},
		results: make(chan attemptResult, e.o.StepsAtOnce),
		poke:    make(chan struct{}, 1),
		lost:    make(chan struct{}),
		log:     e.o.Log.With(logSession, rec.ID),
	}
	for i := range c.Requests {
		r.claimed = min(r.claimed, c.Requests[i].N-1)
	}
	r.offset.Store(int64(time.Until(c.Now)))
	r.beat.Store(time.Now().UnixNano())
	r.known.Store(rec.Inbox)
	return r
}

// now is the store's clock in milliseconds.
func (r *runner) now() int64 { return time.Now().Add(r.offset.get()).UnixMilli() }

// nowTime is the store's clock.
func (r *runner) nowTime() time.Time {
	return time.Now().Add(r.offset.get()).UTC().Truncate(time.Millisecond)
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
	r.noteLost()
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
		progressed := r.wave(ctx)
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
			r.startEffects(ctx)
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
	r.waits.Store(true)
	defer r.waits.Store(false)
	r.e.reseat(r, func(s *seat) { s.idle = true })
	defer r.e.reseat(r, func(s *seat) { s.idle = false })
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

// ensureVisit gives a step that somebody made active by hand its visit number.
func (r *runner) ensureVisit(step string) *state.LiveStep {
	l, made := r.state.EnsureVisit(step, r.counters)
	if made {
		r.unwritten.dirty = true
	}
	return l
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
	for _, id := range r.activeSteps(true) {
		r.fail(id, failure{kind: KindPoison, message: message, final: true})
	}
	if r.state.Failure() == nil {
		r.state.Fail(&SessionError{Kind: KindPoison, Message: message})
	}
	r.unwritten.dirty = true
}
