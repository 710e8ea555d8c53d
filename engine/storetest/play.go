package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// newSession is a session that is not stored.
func (k *kit) newSession(name string) store.NewSession {
	return store.NewSession{
		ID: k.id(name), Workflow: k.prefix, Status: store.StatusActive,
		State: []byte(fmt.Sprintf(`{"id":%s,"workflow":{}}`, quote(k.id(name)))), Counters: []byte(`{"seq":0}`),
	}
}

// create creates one session and wants it to be new.
func (k *kit) create(n store.NewSession) store.SessionRecord {
	k.Helper()
	return k.createAll(n)[0]
}

// createAll creates several in one call.
func (k *kit) createAll(sessions ...store.NewSession) []store.SessionRecord {
	k.Helper()
	created, err := k.store.Create(k.ctx, sessions)
	k.noError(err)
	if len(created) != len(sessions) {
		k.Fatalf("%d results for %d new sessions", len(created), len(sessions))
	}
	out := make([]store.SessionRecord, len(created))
	for i, c := range created {
		k.noError(c.Err)
		if c.Exists {
			k.Fatalf("session %s was there already", sessions[i].ID)
		}
		out[i] = c.Session
	}
	return out
}

// held creates a session that this case holds for long.
func (k *kit) held(name string) store.SessionRecord {
	k.Helper()
	return k.heldFor(name, long)
}

func (k *kit) heldFor(name string, d time.Duration) store.SessionRecord {
	k.Helper()
	n := k.newSession(name)
	n.Claim = &store.Lease{Token: k.token(), Owner: "storetest", For: d}
	return k.create(n)
}

// atRest creates a session without a lease that is never due, as one that waits for an
// answer; change may set what its checkpoint writes.
func (k *kit) atRest(name string, change ...func(c *store.Checkpoint)) store.SessionRecord {
	k.Helper()
	c := k.checkpoint(k.held(name))
	c.Release = true
	for _, f := range change {
		f(&c)
	}
	k.commit(c)
	return k.session(name)
}

// expired creates a session whose lease has run out.
func (k *kit) expired(name string) store.SessionRecord {
	k.Helper()
	r := k.heldFor(name, time.Millisecond)
	k.pass(r.LeaseUntil)
	return r
}

// session reads a session of this case.
func (k *kit) session(name string) store.SessionRecord {
	k.Helper()
	r, err := k.store.Session(k.ctx, k.id(name))
	k.noError(err)
	return *r
}

// checkpoint is the next checkpoint of a session; it keeps the lease.
func (k *kit) checkpoint(r store.SessionRecord) store.Checkpoint {
	return store.Checkpoint{
		Session: r.ID, Version: r.Version, Lease: r.Lease, Transition: k.token(), Seen: r.Inbox,
		State: []byte(fmt.Sprintf(`{"version":%d}`, r.Version+1)), Counters: []byte(`{"seq":1}`),
		Status: store.StatusActive, LeaseFor: long,
	}
}

// send commits checkpoints and returns their outcomes.
func (k *kit) send(checkpoints ...store.Checkpoint) []store.CommitOutcome {
	k.Helper()
	results, err := k.store.Commit(k.ctx, checkpoints)
	k.noError(err)
	if len(results) != len(checkpoints) {
		k.Fatalf("%d results for %d checkpoints", len(results), len(checkpoints))
	}
	out := make([]store.CommitOutcome, len(results))
	for i := range results {
		out[i] = results[i].Outcome
	}
	return out
}

// commit commits checkpoints that have to be written.
func (k *kit) commit(checkpoints ...store.Checkpoint) {
	k.Helper()
	for i, outcome := range k.send(checkpoints...) {
		if outcome != store.Committed {
			k.Fatalf("checkpoint of session %s: outcome %s, want committed", checkpoints[i].Session, outcomeName(outcome))
		}
	}
}

// outcome commits one checkpoint and wants an outcome.
func (k *kit) outcome(c store.Checkpoint, want store.CommitOutcome) store.CommitResult {
	k.Helper()
	results, err := k.store.Commit(k.ctx, []store.Checkpoint{c})
	k.noError(err)
	if len(results) != 1 || results[0].Outcome != want {
		k.Fatalf("results %+v, want one that is %s", results, outcomeName(want))
	}
	return results[0]
}

func outcomeName(o store.CommitOutcome) string {
	switch o {
	case store.Lost:
		return "lost"
	case store.Committed:
		return "committed"
	case store.Again:
		return "again"
	case store.Refused:
		return "refused"
	}
	return fmt.Sprintf("%d", int(o))
}

// execution is an execution of a session; Times are whole milliseconds.
func execution(session string, seq int64, step string) store.Execution {
	at := time.Date(2026, 3, 4, 5, 6, 7, int(seq%1000)*int(time.Millisecond), time.UTC)
	return store.Execution{
		ID: fmt.Sprintf("%s/%d", session, seq), Session: session, Seq: seq, Workflow: "w", Step: step,
		Visit: 1, Attempt: 1, Status: store.StatusComplete, StartedAt: at, FinishedAt: at.Add(time.Second),
	}
}

// message is the n-th line of a session's chat.
func message(session string, n int64) function.Message {
	return function.Message{Role: "user", Content: fmt.Sprintf("line %d", n), Step: "ask",
		At: 1_763_673_000_000 + n, ID: fmt.Sprintf("%s/%d", session, n), N: n}
}

// claimOne takes a lease that has to be free.
func (k *kit) claimOne(name string, d time.Duration) store.Claimed {
	k.Helper()
	claimed, err := k.store.ClaimByID(k.ctx, []string{k.id(name)}, k.claim(d))
	k.noError(err)
	if len(claimed) != 1 {
		k.Fatalf("claimed %d sessions, want %s", len(claimed), k.id(name))
	}
	return claimed[0]
}

// recorded is a checkpoint with history, as engines send them.
func (k *kit) recorded(r store.SessionRecord) store.Checkpoint {
	c := k.checkpoint(r)
	c.Executions = []store.Execution{execution(r.ID, 1, "root")}
	c.Messages = []function.Message{message(r.ID, 1)}
	c.Children = []store.NewSession{{ID: r.ID + "/child", Workflow: k.prefix, State: []byte(`{}`), Status: store.StatusActive}}
	return c
}

// increment reads the number that is the state and writes the next one.
func (k *kit) increment(session string) (wrote bool, err error) {
	r, err := k.store.Session(k.ctx, session)
	if err != nil {
		return false, err
	}
	n, err := strconv.Atoi(string(r.State))
	if err != nil {
		return false, err
	}
	c := k.checkpoint(*r)
	c.State = []byte(strconv.Itoa(n + 1))
	c.Executions = []store.Execution{execution(session, int64(n+1), "count")}
	results, err := k.store.Commit(k.ctx, []store.Checkpoint{c})
	if err != nil {
		return false, err
	}
	switch results[0].Outcome {
	case store.Committed:
		return true, nil
	case store.Lost:
		return false, nil
	}
	return false, fmt.Errorf("outcome %s", outcomeName(results[0].Outcome))
}

// write commits executions of a session that is held.
func (k *kit) write(name string, executions ...store.Execution) {
	k.Helper()
	c := k.checkpoint(k.session(name))
	c.Executions = executions
	k.commit(c)
}

// keyed is a new session with a key of this case.
func (k *kit) keyed(name, key, hash string) store.NewSession {
	n := k.newSession(name)
	n.Key, n.BodyHash = k.id(key), hash
	return n
}

// start creates one session and returns what became of it.
func (k *kit) start(n store.NewSession) store.Created {
	k.Helper()
	results, err := k.store.Create(k.ctx, []store.NewSession{n})
	k.noError(err)
	return results[0]
}

func (k *kit) lease() *store.Lease {
	return &store.Lease{Token: k.token(), Owner: "engine 1", For: long}
}

// quote is a text as JSON with nothing escaped that need not be.
func quote(text string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x01", `\u0001`, "\x1f", `\u001f`)
	return `"` + r.Replace(text) + `"`
}
