package storetest

import (
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

func (k *kit) missing(name string) {
	k.Helper()
	_, err := k.store.Session(k.ctx, k.id(name))
	k.isError(err, store.ErrSessionNotFound)
}

// historyLength wants a number of executions and messages.
func (k *kit) historyLength(session string, executions, messages int) {
	k.Helper()
	es, err := k.store.Executions(k.ctx, session, store.HistoryQuery{Limit: 1000})
	k.noError(err)
	k.equal("executions", len(es), executions)
	ms, err := k.store.Messages(k.ctx, session, store.HistoryQuery{Limit: 1000})
	k.noError(err)
	k.equal("messages", len(ms), messages)
}

// blobs reads blobs of a session as texts.
func (k *kit) blobs(name string, hashes ...string) map[string]string {
	k.Helper()
	found, err := k.store.Blobs(k.ctx, k.id(name), hashes)
	k.noError(err)
	out := make(map[string]string, len(found))
	for h, text := range found {
		out[h] = string(text)
	}
	return out
}

// results reads the rounds of a visit as texts in order.
func (k *kit) results(name, step string, visit int) []string {
	k.Helper()
	rows, err := k.store.Results(k.ctx, k.id(name), step, visit)
	k.noError(err)
	out := []string{}
	for _, r := range rows {
		if r.Session != k.id(name) || r.Step != step || r.Visit != visit {
			k.Errorf("a result of %s %s %d among those of %s %s %d", r.Session, r.Step, r.Visit, k.id(name), step, visit)
		}
		out = append(out, string(r.Output))
	}
	return out
}

// loaded creates a session at rest with something of everything.
func (k *kit) loaded(name string) store.SessionRecord {
	k.Helper()
	return k.atRest(name, func(c *store.Checkpoint) {
		k.deliver(c.Session, "key", answer(c.Session, "ask", 1))
		c.Seen = 1
		two := execution(c.Session, 2, "two")
		two.Reads = []store.Lineage{{Execution: c.Session + "/1", Label: "r"}}
		c.Executions = []store.Execution{execution(c.Session, 1, "one"), two}
		c.Messages = []function.Message{message(c.Session, 1)}
		c.Blobs = []store.Blob{{Hash: "h", Text: []byte("x")}}
		c.Results = []store.StoredResult{{Step: "loop", Visit: 1, Index: 0, Output: []byte("1")}}
		asking(since(1), "ask")(c)
	})
}

// gone wants nothing of a session to be left.
func (k *kit) gone(name string) {
	k.Helper()
	k.missing(name)
	k.historyLength(k.id(name), 0, 0)
	k.equal("requests", k.requestKeys(k.id(name), false), "")
	k.equal("blobs", len(k.blobs(name, "h")), 0)
	k.equal("results", len(k.results(name, "loop", 1)), 0)
	k.lists("list", store.SessionQuery{IDs: k.ids(name)})
	inboxes, err := k.store.Inboxes(k.ctx, k.ids(name))
	k.noError(err)
	k.equal("inboxes", len(inboxes), 0)
}

// deleteAll deletes a session until it is done.
func (k *kit) deleteAll(name string) {
	k.Helper()
	for range 10_000 {
		done, err := k.store.DeleteSession(k.ctx, k.id(name))
		k.noError(err)
		if done {
			return
		}
	}
	k.Fatalf("session %s is never deleted", name)
}
