package storetest

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

var batchCases = []testCase{
	{"two rows of one session are refused before anything is written", batchTwice},
	{"a row without history is committed and really is", batchEmptyHistory},
	{"an execution id used twice fails the call and writes nothing", batchDuplicate},
	{"an execution id twice in one row", batchDuplicateInside},
	{"a row that is lost anyway has no fault", batchDuplicateLost},
	{"three hundred rows", batchMany},
	{"a row with much history", batchLong},
}

func batchTwice(k *kit) {
	a, b := k.held("a"), k.held("b")
	_, err := k.store.Commit(k.ctx, []store.Checkpoint{k.checkpoint(b), k.checkpoint(a), k.checkpoint(a)})
	k.isError(err, store.ErrBadRequest)
	k.isFault(err)
	k.sameRecord("a", k.session("a"), a)
	k.sameRecord("b", k.session("b"), b)
}

func batchEmptyHistory(k *kit) {
	a, b, c := k.held("a"), k.held("b"), k.held("c")
	full := k.recorded(a)
	none := k.checkpoint(b)
	none.Executions, none.Messages = []store.Execution{}, []function.Message{}
	none.Applied, none.Children, none.Blobs = []store.RequestOutcome{}, []store.NewSession{}, []store.Blob{}
	only := k.checkpoint(c)
	only.Messages = []function.Message{message(c.ID, 1)}
	k.commit(full, none, only)
	for name, want := range map[string][2]int{"a": {1, 1}, "b": {0, 0}, "c": {0, 1}} {
		k.equal("version of "+name, k.session(name).Version, int64(1))
		k.historyLength(k.id(name), want[0], want[1])
	}
}

func batchDuplicate(k *kit) {
	first := k.recorded(k.held("bad"))
	k.commit(first)
	bad := k.checkpoint(k.session("bad"))
	bad.Executions = []store.Execution{execution(bad.Session, 2, "new"), execution(bad.Session, 1, "old")}
	rows := []store.Checkpoint{k.recorded(k.held("a")), bad, k.recorded(k.held("b"))}
	before := k.session("bad")
	results, err := k.store.Commit(k.ctx, rows)
	k.isFault(err)
	k.equal("results with an error", len(results), 0)
	for _, name := range []string{"a", "b"} {
		k.equal("version of "+name, k.session(name).Version, int64(0))
		k.historyLength(k.id(name), 0, 0)
		k.missing(name + "/child")
	}
	k.sameRecord("bad", k.session("bad"), before)
	k.outcome(rows[0], store.Committed)
	k.outcome(rows[2], store.Committed)
	_, err = k.store.Commit(k.ctx, rows[1:2])
	k.isFault(err)
	k.sameRecord("bad", k.session("bad"), before)
	k.historyLength(bad.Session, 1, 1)
	bad.Executions = bad.Executions[:1]
	k.outcome(bad, store.Committed)
}

func batchDuplicateInside(k *kit) {
	r := k.held("a")
	c := k.checkpoint(r)
	c.Executions = []store.Execution{execution(r.ID, 1, "x"), execution(r.ID, 1, "y")}
	_, err := k.store.Commit(k.ctx, []store.Checkpoint{c})
	k.isFault(err)
	k.sameRecord("session", k.session("a"), r)
	k.historyLength(r.ID, 0, 0)
}

func batchDuplicateLost(k *kit) {
	first := k.recorded(k.held("a"))
	k.commit(first)
	stale := k.recorded(k.session("a"))
	stale.Version = 0
	k.equal("outcomes", k.send(stale, k.checkpoint(k.held("b"))), []store.CommitOutcome{store.Lost, store.Committed})
}

func batchMany(k *kit) {
	var sessions []store.NewSession
	for i := range 300 {
		n := k.newSession(fmt.Sprintf("s%03d", i))
		n.Claim = &store.Lease{Token: k.token(), Owner: "storetest", For: long}
		sessions = append(sessions, n)
	}
	var rows []store.Checkpoint
	for i, r := range k.createAll(sessions...) {
		c := k.checkpoint(r)
		c.State = []byte(fmt.Sprintf(`{"n":%d}`, i))
		c.Executions = []store.Execution{execution(r.ID, 1, "root"), execution(r.ID, 2, "next")}
		rows = append(rows, c)
	}
	k.commit(rows...)
	for _, i := range []int{0, 150, 299} {
		name := fmt.Sprintf("s%03d", i)
		k.equal("state of "+name, string(k.session(name).State), fmt.Sprintf(`{"n":%d}`, i))
		k.historyLength(k.id(name), 2, 0)
	}
}

func batchLong(k *kit) {
	r := k.held("a")
	c := k.checkpoint(r)
	for i := range 300 {
		c.Executions = append(c.Executions, execution(r.ID, int64(i+1), "step"))
		c.Messages = append(c.Messages, message(r.ID, int64(i+1)))
	}
	k.commit(c)
	k.historyLength(r.ID, 300, 300)
}
