package storetest

import (
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

var familyCases = []testCase{
	{"all below one, and no others", familyBelow},
	{"those with a question, longest waiting first", familyAwaiting},
	{"those that go on by themselves", familyMoving},
	{"page by page", familyPages},
}

// below returns the names of the sessions of a query, without the prefix.
func (k *kit) below(q store.DescendantQuery) string {
	k.Helper()
	rows, err := k.store.Descendants(k.ctx, q)
	k.noError(err)
	names := []string{}
	for _, r := range rows {
		names = append(names, strings.TrimPrefix(r.ID, k.prefix+"-"))
	}
	return strings.Join(names, " ")
}

func familyBelow(k *kit) {
	for _, name := range []string{"a", "a/m/1/0", "a/m/1/0/s/1/0", "a/m/1/1", "ab", "a0", "a.", "a-/m/1/0", "b/m/1/0", "A/m/1/0"} {
		k.create(k.newSession(name))
	}
	of := func(name string) store.DescendantQuery { return store.DescendantQuery{Of: k.id(name)} }
	k.equal("below a", k.below(of("a")), "a/m/1/0 a/m/1/0/s/1/0 a/m/1/1")
	k.equal("below a nested one", k.below(of("a/m/1/0")), "a/m/1/0/s/1/0")
	k.equal("below one without any", k.below(of("a/m/1/1")), "")
	k.equal("below one that is not there", k.below(of("not-there")), "")
	rows, err := k.store.Descendants(k.ctx, store.DescendantQuery{Of: k.id("a/m/1/0"), WithState: true})
	k.noError(err)
	k.sameRecord("with its state", rows[0], k.session("a/m/1/0/s/1/0"))
	rows, err = k.store.Descendants(k.ctx, of("a/m/1/0"))
	k.noError(err)
	k.equal("state unless asked for", len(rows[0].State), 0)
}

func familyAwaiting(k *kit) {
	k.atRest("a", asking(since(0), "ask"))
	k.atRest("a/m/1/0", asking(since(3), "ask"))
	k.atRest("a/m/1/1", asking(since(1), "other"))
	k.atRest("a/m/1/2", withStatus(store.StatusComplete))
	k.atRest("a/m/1/3", asking(since(1), "ask", "other"))
	k.atRest("b/m/1/0", asking(since(0), "ask"))
	q := store.DescendantQuery{Of: k.id("a"), Awaiting: true}
	k.equal("awaiting", k.below(q), "a/m/1/1 a/m/1/3 a/m/1/0")
	q.Step = "ask"
	k.equal("at a step", k.below(q), "a/m/1/3 a/m/1/0")
	q.Step = "none"
	k.equal("at no step", k.below(q), "")
}

func familyMoving(k *kit) {
	k.held("a/m/1/0")
	k.atRest("a/m/1/1", withStatus(store.StatusActive))
	k.atRest("a/m/1/2", withStatus(store.StatusActive), func(c *store.Checkpoint) { c.DueAt = k.now().Add(time.Hour) })
	k.atRest("a/m/1/3", asking(since(1), "ask"), func(c *store.Checkpoint) { c.DueAt = k.now().Add(time.Hour) })
	k.atRest("a/m/1/4", asking(since(1), "ask"), func(c *store.Checkpoint) { c.DueAt = k.now() })
	k.held("b")
	k.pass(k.now())
	k.equal("moving", k.below(store.DescendantQuery{Of: k.id("a"), Moving: true}), "a/m/1/0 a/m/1/2 a/m/1/4")
}

func familyPages(k *kit) {
	for _, name := range []string{"a/m/1/3", "a/m/1/0", "a/m/1/4", "a/m/1/1", "a/m/1/2"} {
		k.atRest(name, asking(since(int(name[len(name)-1]-'0')/2), "ask"))
	}
	for _, awaiting := range []bool{true, false} {
		q := store.DescendantQuery{Of: k.id("a"), Awaiting: awaiting, Limit: 2}
		var pages []string
		for range 4 {
			rows, err := k.store.Descendants(k.ctx, q)
			k.noError(err)
			pages = append(pages, k.below(q))
			if len(rows) > 0 {
				last := rows[len(rows)-1]
				q.After = store.Cursor{At: last.AwaitingSince, ID: last.ID}
			}
		}
		k.equal("pages", strings.Join(pages, "|"), "a/m/1/0 a/m/1/1|a/m/1/2 a/m/1/3|a/m/1/4|")
	}
}
