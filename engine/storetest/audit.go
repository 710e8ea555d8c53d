package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

var auditCases = []testCase{
	{"entries are kept whole and once", auditKept},
	{"by every filter, newest first", auditFilters},
	{"pages go on where the last one ended", auditPages},
	{"old entries are removed, a bounded number at a time", auditForgotten},
}

// auditAt is long ago, so that no other case forgets these entries: each case has years of its own.
func auditAt(year, n int) time.Time {
	return time.Date(year, 1, 2, 3, 4, 5, 123_456_000, time.UTC).Add(time.Duration(n) * time.Second)
}

// trail returns the subjects of the entries of a query.
func (k *kit) trail(q store.AuditQuery) string {
	k.Helper()
	list, err := k.store.AuditEntries(k.ctx, q)
	k.noError(err)
	var names []string
	for _, e := range list {
		names = append(names, e.Subject)
	}
	return strings.Join(names, " ")
}

func auditKept(k *kit) {
	whole := store.AuditEntry{ID: k.id("1"), At: auditAt(2001, 0), Who: k.id("desk"), From: "10.0.0.1", Action: "answerSession", Workflow: k.id("w"), Session: k.id("s"),
		Subject: "ask", Before: json.RawMessage(`{"a":"1 ü"}`), After: json.RawMessage(`[1,2]`), Refused: true, Count: 7, Method: "POST", Path: "/p", Route: "/r", Scope: "answer", Status: 403, Took: 12}
	small := store.AuditEntry{ID: k.id("2"), At: auditAt(2001, 1), Who: k.id("desk"), Count: 1}
	k.noError(k.store.RecordAudit(k.ctx, []store.AuditEntry{whole, small}))
	changed := whole
	changed.Who = k.id("other")
	k.noError(k.store.RecordAudit(k.ctx, []store.AuditEntry{changed, small}))
	list, err := k.store.AuditEntries(k.ctx, store.AuditQuery{Who: k.id("desk")})
	k.noError(err)
	k.equal("entries", len(list), 2)
	k.equal("the whole one", fmt.Sprintf("%+v", list[1]), fmt.Sprintf("%+v", whole))
	k.equal("the small one", fmt.Sprintf("%+v", list[0]), fmt.Sprintf("%+v", small))
	k.noError(k.store.RecordAudit(k.ctx, nil))
}

func auditFilters(k *kit) {
	who := k.id("who")
	for n, e := range []store.AuditEntry{
		{Subject: "a", Action: "startSession", Workflow: k.id("w"), Session: k.id("s")},
		{Subject: "b", Action: "putWorkflow", Workflow: k.id("w")},
		{Subject: "c", Action: "startSession", Session: k.id("s2"), Refused: true},
	} {
		e.ID, e.Who, e.At, e.Count = k.id(e.Subject), who, auditAt(2002, n), 1
		k.noError(k.store.RecordAudit(k.ctx, []store.AuditEntry{e}))
	}
	k.equal("who", k.trail(store.AuditQuery{Who: who}), "c b a")
	k.equal("session", k.trail(store.AuditQuery{Session: k.id("s")}), "a")
	k.equal("workflow", k.trail(store.AuditQuery{Workflow: k.id("w")}), "b a")
	k.equal("action", k.trail(store.AuditQuery{Who: who, Action: "startSession"}), "c a")
	k.equal("refused", k.trail(store.AuditQuery{Who: who, Refused: true}), "c")
	k.equal("since", k.trail(store.AuditQuery{Who: who, Since: auditAt(2002, 1)}), "c b")
	k.equal("until", k.trail(store.AuditQuery{Who: who, Until: auditAt(2002, 1)}), "a")
	k.equal("all", k.trail(store.AuditQuery{Who: who, Workflow: k.id("w"), Session: k.id("s"), Action: "startSession"}), "a")
	k.equal("none", k.trail(store.AuditQuery{Who: who, Session: k.id("other")}), "")
}

func auditPages(k *kit) {
	who := k.id("who")
	var entries []store.AuditEntry
	for _, name := range []string{"a", "b", "c", "d", "e"} { // one moment: the id decides
		entries = append(entries, store.AuditEntry{ID: k.id(name), Subject: name, Who: who, At: auditAt(2003, 0), Session: k.id("s"), Count: 1})
	}
	k.noError(k.store.RecordAudit(k.ctx, entries))
	for _, q := range []store.AuditQuery{{Who: who, Limit: 2}, {Session: k.id("s"), Limit: 2}} {
		k.equal("first page", k.trail(q), "e d")
		q.After = store.Cursor{At: auditAt(2003, 0), ID: k.id("d")}
		k.equal("second page", k.trail(q), "c b")
		q.After.ID = k.id("b")
		k.equal("last page", k.trail(q), "a")
	}
}

func auditForgotten(k *kit) {
	who := k.id("who")
	for n := range 5 {
		k.noError(k.store.RecordAudit(k.ctx, []store.AuditEntry{{ID: k.id(fmt.Sprint(n)), Subject: fmt.Sprint(n), Who: who, At: auditAt(1990, n), Count: 1}}))
	}
	n, err := k.store.ForgetAudit(k.ctx, auditAt(1990, 3), 2)
	k.noError(err)
	k.equal("removed", n, 2)
	n, err = k.store.ForgetAudit(k.ctx, auditAt(1990, 3), 2)
	k.noError(err)
	k.equal("removed then", n, 1)
	k.equal("left", k.trail(store.AuditQuery{Who: who}), "4 3")
}
