package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
)

var pageCases = []testCase{
	{"newest first, each once", pageNewest},
	{"oldest waiting first, equal times by id", pageOldestWaiting},
	{"new rows do not move old ones", pageStable},
}

// pages walks through a query page by page and returns all rows.
func (k *kit) pages(q store.SessionQuery) []store.SessionRecord {
	k.Helper()
	var all []store.SessionRecord
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
func pageEnd(q store.SessionQuery, rows []store.SessionRecord) store.Cursor {
	last := rows[len(rows)-1]
	if q.OldestWaiting {
		return store.Cursor{At: last.AwaitingSince, ID: last.ID}
	}
	return store.Cursor{At: last.CreatedAt, ID: last.ID}
}

// names are the ids of rows without the prefix.
func (k *kit) names(rows []store.SessionRecord) string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimPrefix(r.ID, k.prefix+"-"))
	}
	return strings.Join(out, " ")
}

// Sessions of one call are likely to have the same created_at.
func pageNewest(k *kit) {
	var first, second []store.NewSession
	for i := range 7 {
		first = append(first, k.newSession(fmt.Sprintf("a%d", i)))
		second = append(second, k.newSession(fmt.Sprintf("b%d", i)))
	}
	k.createAll(first...)
	k.createAll(second...)
	rows := k.pages(store.SessionQuery{Workflow: k.prefix, Limit: 3})
	k.equal("rows", len(rows), 14)
	sorted := slices.IsSortedFunc(rows, func(a, b store.SessionRecord) int {
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
	rows := k.pages(store.SessionQuery{Workflow: k.prefix, OldestWaiting: true, Limit: 2})
	k.equal("order", k.names(rows), "a c f b d e")
}

func pageStable(k *kit) {
	for _, name := range []string{"a", "b", "c"} {
		r := k.create(k.newSession(name))
		k.pass(r.CreatedAt)
	}
	q := store.SessionQuery{Workflow: k.prefix, Limit: 2}
	rows, err := k.store.ListSessions(k.ctx, q)
	k.noError(err)
	k.equal("first page", k.names(rows), "c b")
	k.create(k.newSession("d"))
	k.deleteAll("c")
	k.deleteAll("b")
	q.After = pageEnd(q, rows)
	k.equal("second page", strings.Join(k.list(q), " "), "a")
}

var candidateCases = []testCase{
	{"lead to all that fit, each once", candidatesFind},
	{"lead to all that fit while others come and go", candidatesChanging},
	{"are counted once each", candidatesCounted},
	{"of a query that an index answers are not needed", candidatesWhole},
}

// atRestMany makes n sessions; each third has the text, half of them both labels.
func atRestMany(k *kit, n int) {
	for i := range n {
		s := k.newSession(fmt.Sprintf("s%02d", i))
		s.Labels = map[string]string{"team": k.prefix, "half": fmt.Sprint(i % 2)}
		s.Claim = &store.Lease{Token: k.token(), Owner: "storetest", For: long}
		c := k.checkpoint(k.create(s))
		c.Release = true
		asking(since(n-i), "ask")(&c)
		c.State = []byte(`{"said":"nothing"}`)
		if i%3 == 0 {
			c.State = []byte(`{"said":"needle"}`)
		}
		k.commit(c)
	}
}

// searches are queries that no index answers.
func searches(k *kit) []store.SessionQuery {
	return []store.SessionQuery{
		{Workflow: k.prefix, Text: "needle"},
		{Workflow: k.prefix, Text: "needle", Status: []string{store.StatusAwaitingInput}},
		{Workflow: k.prefix, Text: "needle", OldestWaiting: true, Awaiting: true},
		{Workflow: k.prefix, Text: "needle", Step: "ask"},
		{Workflows: []string{k.prefix}, Text: "needle", Labels: map[string]string{"half": "0"}},
		{Text: "needle", Labels: map[string]string{"team": k.prefix, "half": "1"}},
		{Workflow: k.prefix, Text: "needle", Awaiting: true, Status: []string{store.StatusComplete}},
	}
}

// windows walks through the candidates of a query, a few at a time, and returns the names of those
// that fit. between is called after each window.
func windows(k *kit, q store.SessionQuery, between func()) []string {
	k.Helper()
	names := []string{}
	for q.Limit = 3; ; {
		found, whole, err := k.store.Candidates(k.ctx, q, "")
		k.noError(err)
		if len(found) == 0 || whole {
			if whole {
				q.Limit = 100
				names = append(names, k.list(q)...)
			}
			return names
		}
		if len(found) > q.Limit {
			k.Fatalf("%d candidates, want at most %d", len(found), q.Limit)
		}
		in := q
		in.After = store.Cursor{}
		in.IDs = nil
		for _, c := range found {
			in.IDs = append(in.IDs, c.ID)
		}
		names = append(names, k.list(in)...)
		q.After = found[len(found)-1]
		between()
	}
}

func candidatesFind(k *kit) {
	atRestMany(k, 20)
	for _, q := range searches(k) {
		all := q
		all.Limit = 100
		k.equal(fmt.Sprintf("found by %+v", q), strings.Join(windows(k, q, func() {}), " "), strings.Join(k.list(all), " "))
	}
}

// candidatesChanging: what is there from the beginning to the end is found once.
func candidatesChanging(k *kit) {
	atRestMany(k, 20)
	n := 0
	got := windows(k, store.SessionQuery{Workflow: k.prefix, Text: "needle"}, func() {
		if n++; n <= 3 {
			k.atRest(fmt.Sprintf("new%d", n), withState(`{"said":"needle"}`))
			k.deleteAll(fmt.Sprintf("s%02d", n)) // s01 and s02 do not fit, s03 does
		}
	})
	got = slices.DeleteFunc(got, func(name string) bool { return strings.HasPrefix(name, "new") || name == "s03" })
	k.equal("found", strings.Join(got, " "), "s18 s15 s12 s09 s06 s00")
}

func candidatesCounted(k *kit) {
	atRestMany(k, 20)
	for _, by := range []string{"status", "workflow", "workflow,status", "step"} {
		for _, q := range searches(k) {
			if q.OldestWaiting {
				continue
			}
			q.Awaiting = q.Awaiting || by == "step"
			want, err := k.store.CountSessions(k.ctx, q, by)
			k.noError(err)
			k.equal(fmt.Sprintf("count by %s of %+v", by, q), countWindows(k, q, by), want)
		}
	}
}

func countWindows(k *kit, q store.SessionQuery, by string) map[string]int64 {
	sum := map[string]int64{}
	for q.Limit = 3; ; {
		found, whole, err := k.store.Candidates(k.ctx, q, by)
		k.noError(err)
		in := q
		if !whole {
			if len(found) == 0 {
				return sum
			}
			in.IDs, in.After = []string{}, store.Cursor{}
			for _, c := range found {
				in.IDs = append(in.IDs, c.ID)
			}
			q.After = found[len(found)-1]
		} else if q.After != (store.Cursor{}) {
			k.Fatal("a count that goes on is answered as a whole")
		}
		counts, err := k.store.CountSessions(k.ctx, in, by)
		k.noError(err)
		for name, n := range counts {
			sum[name] += n
		}
		if whole {
			return sum
		}
	}
}

func candidatesWhole(k *kit) {
	atRestMany(k, 2)
	for _, q := range []store.SessionQuery{{}, {Workflow: k.prefix}, {Workflow: k.prefix, Status: []string{store.StatusAwaitingInput}}, {IDs: k.ids("s00"), Text: "needle"},
		{Workflow: k.prefix, OldestWaiting: true, Awaiting: true}} {
		q.Limit = 1
		found, whole, err := k.store.Candidates(k.ctx, q, "")
		k.noError(err)
		k.equal(fmt.Sprintf("whole and candidates of %+v", q), fmt.Sprint(whole, len(found)), "true 0")
	}
}
