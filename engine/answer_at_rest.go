package engine

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
)

// An answer to a session at rest is decided, and its first checkpoint made, from a read without a
// lock; one write then stores both if the session is still as it was read (ADR 48). Everything else
// is delivered: deliver decides under the session's lock, and its refusals are the ones that count.

const (
	mostPreapply = 100 * time.Millisecond // how long an answer waits for the pure steps that follow it
	mostLook     = time.Second            // how long it waits for the reads of its session and definition
)

// answerAtRest writes an answer together with the checkpoint that applies it. It returns nil if the
// answer has to be delivered.
func answerAtRest(ctx context.Context, e *Engine, a *acceptance, key string) (*store.Delivered, error) {
	if !e.env.ClockKnown() {
		return nil, nil
	}
	end := e.delivering.beginAlone(a.q.Session)
	if end == nil {
		return nil, nil
	}
	defer end()
	place := e.reserve(a.q.Session, anyWorkflow, hasteOf(ctx))
	if place == nil {
		return nil, nil
	}
	rec, p, r := preapply(ctx, e, a, key)
	if p == nil {
		e.giveBack(place)
		return nil, nil
	}
	written, err := receive(ctx, e, a, place, p, r)
	if written == nil {
		return nil, err
	}
	delivered := &store.Delivered{Request: written, Session: *rec}
	delivered.Session.Inbox = written.N
	return delivered, nil
}

// isPlain reports whether a session is at rest, has all its properties, and waits for no turn.
func isPlain(e *Engine, rec *store.SessionRecord) bool {
	return rec.Lease == "" && rec.Claims == 0 && rec.Workflow != "" && rec.Root != "" && !rec.CreatedAt.IsZero() &&
		!e.limits.Limits(rec.Workflow).InTurn() && !e.slow.has(rec.Workflow)
}

// atRest shows a session as if its inbox had nothing but applied requests and no answer to an open
// question: the write of the checkpoint fails if that is not so.
func atRest(rec *store.SessionRecord, now time.Time) store.InboxView {
	none := func(string) (*Request, error) { return nil, nil }
	return store.InboxView{Session: *rec, Now: now, ByTarget: none, LastAnswer: none}
}

// preapply reads the session and applies the answer to it. It returns no runner if the answer has to
// be delivered.
func preapply(ctx context.Context, e *Engine, a *acceptance, key string) (*store.SessionRecord, *session.Preapplied, *held) {
	looking, cancel := context.WithTimeout(ctx, mostLook)
	defer cancel()
	var read *definitionRead // begins beside the read of the session, if that is as this engine has left it
	known := e.rested.of(a.q.Session)
	if known.workflow != "" {
		read = e.definitions.of(known.workflow).join(known.workflow, "")
	}
	rec, err := e.committer.Session(looking, a.q.Session)
	if err != nil || !isPlain(e, rec) {
		return nil, nil, nil
	}
	request, err := a.decide(atRest(rec, e.env.Now()))
	if err != nil || request == nil {
		return nil, nil, nil
	}
	st := a.read.own(rec)
	if st == nil {
		return nil, nil, nil
	}
	if entry := st.Entry(); known != (rest{rec.Workflow, rec.Version}) || entry != "" && entry != DefaultEntry {
		read = e.definitions.of(rec.Workflow).join(rec.Workflow, st.Entry())
	}
	def, err := read.wait(looking, rec.Workflow)
	if err != nil {
		return nil, nil, nil
	}
	lease := e.o.lease()
	c := store.Claimed{Session: *rec, Now: e.env.Now()}
	c.Session.Lease, c.Session.LeaseOwner, c.Session.Inbox = lease.Token, lease.Owner, rec.Inbox+1
	request.Key, request.Session, request.ID, request.N, request.At = key, rec.ID, rec.ID+"/"+key, c.Session.Inbox, c.Now
	c.Requests = []Request{*request}
	s := &seat{in: &e.holding, workflow: rec.Workflow}
	p := within(ctx, e, rec.Workflow, func(ctx context.Context) (*session.Preapplied, bool) {
		return session.Preapply(ctx, e.env, c, st, def, s)
	})
	if p == nil {
		return nil, nil, nil
	}
	return rec, p, &held{p.Runner, s}
}

// within runs f in a goroutine of its own, because a pure step may take long, and returns nil if it
// does. f has nothing of ctx: a function must not see how long its caller waits.
func within(ctx context.Context, e *Engine, workflow string, f func(context.Context) (p *session.Preapplied, ran bool)) *session.Preapplied {
	life, done := e.lend()
	if done == nil {
		return nil
	}
	own, cancel := context.WithCancel(life)
	defer cancel()
	type result struct {
		p   *session.Preapplied
		ran bool
	}
	made := make(chan result, 1)
	go func() {
		defer done()
		p, ran := f(own)
		made <- result{p, ran}
	}()
	late := time.NewTimer(mostPreapply)
	defer late.Stop()
	select {
	case m := <-made:
		if m.p != nil {
			e.slow.forget(workflow)
		} else if m.ran {
			e.slow.note(workflow)
		}
		return m.p
	case <-late.C:
		e.slow.note(workflow)
	case <-ctx.Done():
	}
	return nil
}

// receive writes the checkpoint of an answer, and runs the session on from it. It returns the request
// as written, nil if the session was no longer as it was read.
func receive(ctx context.Context, e *Engine, a *acceptance, at *place, p *session.Preapplied, r *held) (*Request, error) {
	var written *Request
	asked := time.Now()
	e.expect(r)
	res, err := e.committer.Receive(ctx, p.Checkpoint, func(res store.CommitResult, err error) {
		defer e.expectNoMore(r)
		if err != nil || res.Outcome != store.Committed && res.Outcome != store.Again {
			e.giveBack(at)
			return
		}
		q := p.Checkpoint.Received.As(p.Checkpoint, res.Now)
		written = &q
		if a.rest = p.Written(asked, res); a.rest == nil {
			hold(e, at, r, store.SessionRecord{}, session.Beginning{})
			return
		}
		e.giveBack(at)
		e.events.send(r.ID(), busEvent{version: r.Version(), rested: true})
	})
	if errors.Is(err, ErrUnknownOutcome) { // ctx has ended; written may still be set
		return nil, err
	}
	if written != nil && res.Outcome == store.Again { // written by an earlier sending, whose time counts
		if found, err := e.store.Requests(ctx, []store.InboxAfter{{Session: r.ID(), N: written.N - 1}}); err == nil && len(found[r.ID()]) > 0 {
			written.At = found[r.ID()][0].At
		}
	}
	return written, nil
}
