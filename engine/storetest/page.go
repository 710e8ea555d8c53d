package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

var pageCases = []testCase{
	{"newest first, each once", pageNewest},
	{"oldest waiting first, equal times by id", pageOldestWaiting},
	{"new rows do not move old ones", pageStable},
}

// pages walks through a query page by page and returns all rows.
func (k *kit) pages(q engine.SessionQuery) []engine.SessionRecord {
	k.Helper()
	var all []engine.SessionRecord
	for range 50 {
		rows, err := k.store.ListSessions(k.ctx, q)
		k.noError(err)
		if len(rows) == 0 {
			return all
		}
		if len(rows) > q.Limit {
			k.Fatalf("a page of %d rows, want at most %d", len(rows), q.Limit)
		}
		all = append(all, rows...)
		q.After = pageEnd(q, rows)
	}
	k.Fatal("pages without end")
	return nil
}

// pageEnd is the cursor of a page's last row.
func pageEnd(q engine.SessionQuery, rows []engine.SessionRecord) engine.Cursor {
	last := rows[len(rows)-1]
	if q.OldestWaiting {
		return engine.Cursor{At: last.AwaitingSince, ID: last.ID}
	}
	return engine.Cursor{At: last.CreatedAt, ID: last.ID}
}

// names are the ids of rows without the prefix.
func (k *kit) names(rows []engine.SessionRecord) string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimPrefix(r.ID, k.prefix+"-"))
	}
	return strings.Join(out, " ")
}

// Sessions of one call are likely to have the same created_at.
func pageNewest(k *kit) {
	var first, second []engine.NewSession
	for i := range 7 {
		first = append(first, k.newSession(fmt.Sprintf("a%d", i)))
		second = append(second, k.newSession(fmt.Sprintf("b%d", i)))
	}
	k.createAll(first...)
	k.createAll(second...)
	rows := k.pages(engine.SessionQuery{Workflow: k.prefix, Limit: 3})
	k.equal("rows", len(rows), 14)
	sorted := slices.IsSortedFunc(rows, func(a, b engine.SessionRecord) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	if !sorted {
		k.Errorf("rows are not sorted: %s", k.names(rows))
	}
	names := strings.Fields(k.names(rows))
	slices.Sort(names)
	k.equal("rows without doubles", len(slices.Compact(names)), 14)
}

func pageOldestWaiting(k *kit) {
	for i, name := range []string{"f", "c", "a", "e", "b", "d"} {
		k.atRest(name, asking(since(i/3), "ask"))
	}
	k.atRest("resting")
	rows := k.pages(engine.SessionQuery{Workflow: k.prefix, OldestWaiting: true, Limit: 2})
	k.equal("order", k.names(rows), "a c f b d e")
}

func pageStable(k *kit) {
	for _, name := range []string{"a", "b", "c"} {
		r := k.create(k.newSession(name))
		k.pass(r.CreatedAt)
	}
	q := engine.SessionQuery{Workflow: k.prefix, Limit: 2}
	rows, err := k.store.ListSessions(k.ctx, q)
	k.noError(err)
	k.equal("first page", k.names(rows), "c b")
	k.create(k.newSession("d"))
	k.deleteAll("c")
	k.deleteAll("b")
	q.After = pageEnd(q, rows)
	k.equal("second page", strings.Join(k.list(q), " "), "a")
}
