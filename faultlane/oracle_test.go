package faultlane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// An oracle compares what a store holds after everything is quiet with what clients were
// told and what the outside world saw.
type oracle struct {
	store  engine.Store
	to     *promises
	ledger *ledger
	flows  []*flow
	// archive is the folder of removed sessions; "" where none are removed.
	archive string

	traces     map[string]*trace // by session
	found      []string
	executions int
	lost       int
	removed    int // sessions that are in the archive only
	repeated   int // calls of side effects beyond the first of their key
	calls      int
}

// judge returns every violation, those that clients saw first.
func (o *oracle) judge(ctx context.Context) []string {
	o.found = slices.Clone(o.to.violations)
	o.everySession(ctx)
	wanted := map[string]bool{}
	var all []*inquest
	o.traces = map[string]*trace{}
	for _, id := range slices.Sorted(maps.Keys(o.to.sessions)) {
		p := o.to.sessions[id]
		t, err := readTrace(ctx, o.store, id)
		if o.archive != "" && errors.Is(err, engine.ErrSessionNotFound) {
			t, err = archived(o.archive, id)
			o.removed++
		}
		if err != nil {
			o.violate(p, "it was acknowledged; reading it: %v", err)
			continue
		}
		o.executions += len(t.executions)
		o.traces[id] = t
		all = append(all, &inquest{oracle: o, p: p, t: t, effects: wanted})
	}
	for _, q := range all {
		q.hold()
	}
	o.everyEffect(wanted)
	return o.found
}

func (o *oracle) violate(p *promise, format string, args ...any) {
	o.found = append(o.found, "session "+p.session+": "+fmt.Sprintf(format, args...))
}

// everySession looks for sessions that nobody asked for: two of one start.
func (o *oracle) everySession(ctx context.Context) {
	var after engine.Cursor
	for {
		page, err := o.store.ListSessions(ctx, engine.SessionQuery{Limit: pageRows, After: after})
		if err != nil {
			o.found = append(o.found, fmt.Sprintf("list of sessions: %v", err))
			return
		}
		for _, s := range page {
			root := o.to.sessions[s.Root]
			switch {
			case o.to.sessions[s.ID] != nil:
			case root != nil && s.Root != s.ID:
				o.to.child(root, s.ID)
			default:
				o.found = append(o.found, fmt.Sprintf("session %s was started, and no client was told of it", s.ID))
			}
		}
		if len(page) < pageRows {
			return
		}
		after = engine.Cursor{At: page[len(page)-1].CreatedAt, ID: page[len(page)-1].ID}
	}
}

// everyEffect holds the ledger's side: no key that no visit has, one input for a key.
func (o *oracle) everyEffect(wanted map[string]bool) {
	for key, n := range o.ledger.keys() {
		o.calls += n
		o.repeated += n - 1
		if !wanted[key] {
			o.found = append(o.found, fmt.Sprintf("effect %s was called, and no visit has that key", key))
		}
		calls := o.ledger.of(key)
		for _, c := range calls {
			if c.header != c.Key {
				o.found = append(o.found, fmt.Sprintf("effect %s came with the header %q", key, c.header))
			}
			if string(c.Input) != string(calls[0].Input) {
				o.found = append(o.found, fmt.Sprintf("effect %s was called with %s and with %s", key, calls[0].Input, c.Input))
			}
		}
	}
}

// An inquest is about one session.
type inquest struct {
	*oracle
	p       *promise
	t       *trace
	effects map[string]bool              // keys that visits have, of all sessions
	ended   map[visit][]engine.Execution // complete or answered
}

func (q *inquest) violate(format string, args ...any) { q.oracle.violate(q.p, format, args...) }

func (q *inquest) hold() {
	if q.p.flow != "" && (q.p.gaveUp || q.p.above != nil && q.p.above.gaveUp) {
		q.sortEnded()
		return // what follows from the violation that made its client leave says no more
	}
	q.atRest()
	q.numbers()
	q.lineage()
	q.sortEnded()
	q.requests()
	q.answers()
	q.lostCalls()
	i := slices.IndexFunc(q.flows, func(f *flow) bool { return f.name == q.p.flow })
	if i < 0 {
		q.visits()
		q.values()
		return
	}
	q.steered()
	q.effectsHeld()
	if q.complete() {
		q.attempts()
	}
	if q.p.above == nil {
		q.flows[i].hold(q)
	} else {
		q.flows[i].holdChild(q)
	}
}

// below are the sessions below this one.
func (q *inquest) below() []string {
	var all []string
	for id, p := range q.to.sessions {
		if p.above == q.p {
			all = append(all, id)
		}
	}
	return all
}

// tokenOf is the result that counts for a visit of another session.
func (o *oracle) tokenOf(session string, v visit) string {
	if t := o.traces[session]; t != nil {
		for _, x := range t.executions {
			if x.Status == engine.StatusComplete && x.Step == v.step && x.Visit == v.n {
				return field(x.Output, "token")
			}
		}
	}
	return ""
}

// atRest: it has ended, nobody holds it and nothing of it is due.
func (q *inquest) atRest() {
	r := &q.t.record
	switch {
	case q.p.gaveUp, q.p.above != nil && q.p.above.gaveUp:
	case q.p.above != nil && q.p.isCancelled() && (r.Status == engine.StatusCancelled || r.Status == engine.StatusComplete):
	case r.Status == engine.StatusComplete && !q.p.cancelled, r.Status == engine.StatusCancelled && q.p.cancelled:
	case r.Status == engine.StatusComplete && q.outcome(engine.RequestCancel) == "the session was complete before":
	default:
		q.violate("status %s, cancel acknowledged: %t", r.Status, q.p.cancelled)
	}
	if r.Lease != "" || !r.LeaseUntil.IsZero() {
		q.violate("still leased to %s until %s", r.LeaseOwner, r.LeaseUntil)
	}
	if !r.DueAt.IsZero() {
		q.violate("still due at %s", r.DueAt)
	}
	if len(r.Awaiting) > 0 && string(r.Awaiting) != "[]" {
		q.violate("still awaits %s", r.Awaiting)
	}
}

// outcome is what applying the newest request of a kind did.
func (q *inquest) outcome(kind string) string {
	outcome := ""
	for _, r := range q.t.requests {
		if r.Kind == kind {
			outcome = r.Outcome
		}
	}
	return outcome
}

// numbers: history, chat and inbox are counted without gaps and without doubles, and the
// counters know the last of each.
func (q *inquest) numbers() {
	for i, x := range q.t.executions {
		if x.Seq != int64(i+1) || x.ID != fmt.Sprintf("%s/%d", q.p.session, i+1) {
			q.violate("execution %d is numbered %d and called %s", i+1, x.Seq, x.ID)
			break
		}
	}
	for i, m := range q.t.messages {
		if m.N != int64(i+1) {
			q.violate("message %d is numbered %d", i+1, m.N)
			break
		}
	}
	for i, r := range q.t.requests {
		if r.N != int64(i+1) {
			q.violate("request %d is numbered %d", i+1, r.N)
			break
		}
	}
	c := q.t.counters
	got := [3]int64{c.Seq, c.Messages, c.Seen}
	want := [3]int64{int64(len(q.t.executions)), int64(len(q.t.messages)), int64(len(q.t.requests))}
	if got != want || q.t.record.Inbox != want[2] {
		q.violate("counters of executions, messages and requests say %v, inbox %d, there are %v", got, q.t.record.Inbox, want)
	}
}

// lineage: relations lead to earlier executions that are there.
func (q *inquest) lineage() {
	seqs := map[string]int64{}
	for _, x := range q.t.executions {
		seqs[x.ID] = x.Seq
	}
	for _, x := range q.t.executions {
		for _, l := range slices.Concat(x.Reads, x.Took) {
			if seq, there := seqs[l.Execution]; !there || seq >= x.Seq {
				q.violate("execution %d points to %s over %s", x.Seq, l.Execution, l.Label)
			}
		}
	}
}

// sortEnded finds what ended each visit: exactly one execution may.
func (q *inquest) sortEnded() {
	q.ended = map[visit][]engine.Execution{}
	for _, x := range q.t.executions {
		switch x.Status {
		case engine.StatusComplete, engine.StatusAnswered:
			v := visit{x.Step, x.Visit}
			q.ended[v] = append(q.ended[v], x)
		case engine.StatusLost:
			q.lost++
		}
		if hasEffect(x) {
			q.effects[q.key(visit{x.Step, x.Visit})] = true
		}
	}
	for v, list := range q.ended {
		if len(list) > 1 {
			q.violate("%s ended %d times: executions %s", v, len(list), seqsOf(list))
		}
	}
}

func seqsOf(list []engine.Execution) string {
	var all []string
	for _, x := range list {
		all = append(all, fmt.Sprint(x.Seq))
	}
	return strings.Join(all, ", ")
}

// hasEffect reports whether an execution is of a step that calls the ledger.
func hasEffect(x engine.Execution) bool { return strings.HasPrefix(x.Function, "side.") }

// key is the key under which the visit of an effect calls.
func (q *inquest) key(v visit) string { return fmt.Sprintf("%s/%s/%d/1", q.p.session, v.step, v.n) }
