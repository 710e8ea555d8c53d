package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

var listCases = []testCase{
	{"by every filter", listFilters},
	{"by workflows and prefixes of workflows", listWorkflows},
	{"by text as it is written", listText},
	{"by labels as they are written", listLabels},
	{"by times", listTimes},
	{"pages between two times", listPagesBetween},
	{"with and without state", listState},
	{"fifty rows unless asked", listDefaultLimit},
	{"all fields", listFields},
}

// listPagesBetween: the bounds by time hold on every page, and every session between them is on one.
func listPagesBetween(k *kit) {
	var made []time.Time
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		k.pass(k.now().Add(2 * time.Millisecond)) // no two are of the same time
		k.atRest(name, asking(since(len(made)), "ask"))
		made = append(made, k.session(name).CreatedAt)
	}
	for _, q := range []store.SessionQuery{{Workflow: k.prefix}, {Workflow: k.prefix, Status: []string{store.StatusAwaitingInput}}, {Status: []string{store.StatusAwaitingInput}, Workflows: []string{k.prefix}},
		{Workflows: []string{k.prefix}}, {Workflow: k.prefix, Awaiting: true}} {
		q.CreatedBefore, q.CreatedAfter, q.Limit = made[5], made[0], 3
		first := k.list(q)
		k.equal("first page", strings.Join(first, " "), "e d c")
		rows, err := k.store.ListSessions(k.ctx, q)
		k.noError(err)
		q.After = rows[2].Cursor(false)
		k.equal("second page", strings.Join(k.list(q), " "), "b")
	}
	q := store.SessionQuery{Workflow: k.prefix, OldestWaiting: true, WaitingBefore: since(4), Limit: 3}
	k.equal("first page of the waiting", strings.Join(k.list(q), " "), "a b c")
	rows, err := k.store.ListSessions(k.ctx, q)
	k.noError(err)
	q.After = rows[2].Cursor(true)
	k.equal("second page of the waiting", strings.Join(k.list(q), " "), "d")
}

// listWorkflows: an id that ends in a star is a prefix, in every list and count.
func listWorkflows(k *kit) {
	for name, workflow := range map[string]string{"a": "shop", "b": "shop.order", "c": "shop.bill", "d": "Shop.order", "e": "%"} {
		n := k.newSession(name)
		n.Workflow, n.Root = k.id(workflow), k.id("top")
		k.create(n)
	}
	for _, c := range []struct{ patterns, want []string }{
		{[]string{k.id("shop")}, []string{"a"}},
		{[]string{k.id("shop*")}, []string{"a", "b", "c"}},
		{[]string{k.id("shop.*")}, []string{"b", "c"}},
		{[]string{k.id("shop.bill"), k.id("%*")}, []string{"c", "e"}},
		{[]string{k.id("none*"), k.id("_hop")}, nil},
	} {
		what := strings.Join(c.patterns, " ")
		q := store.SessionQuery{Workflows: c.patterns}
		k.lists(what, q, c.want...)
		ids := k.ids("a", "b", "c", "d", "e")
		k.lists(what+" of ids", store.SessionQuery{Workflows: c.patterns, IDs: ids}, c.want...)
		counts, err := k.store.CountSessions(k.ctx, q, "workflow")
		k.noError(err)
		total := int64(0)
		for _, n := range counts {
			total += n
		}
		k.equal("count of "+what, total, int64(len(c.want)))
	}
	k.lists("both filters", store.SessionQuery{Workflow: k.id("shop"), Workflows: []string{k.id("shop.*")}})
}

func listFilters(k *kit) {
	k.atRest("done", withStatus(store.StatusComplete))
	k.atRest("failed", withStatus(store.StatusError))
	k.atRest("ask", asking(since(1), "ask"))
	k.atRest("ask2", asking(since(2), "ask2"))
	k.atRest("both", asking(since(3), "ask", "other"))
	other := k.newSession("other")
	other.Workflow, other.Root = k.id("other workflow"), k.id("top")
	k.create(other)
	w := k.prefix
	top := store.SessionQuery{Root: k.id("top")}
	k.lists("workflow", store.SessionQuery{Workflow: w}, "done", "failed", "ask", "ask2", "both")
	k.lists("other workflow", store.SessionQuery{Workflow: k.id("other workflow")}, "other")
	k.lists("root", top, "other")
	k.lists("own root", store.SessionQuery{Root: k.id("done")}, "done")
	k.lists("status", store.SessionQuery{Workflow: w, Status: []string{store.StatusComplete}}, "done")
	k.lists("two statuses", store.SessionQuery{Workflow: w, Status: []string{store.StatusError, store.StatusComplete}}, "done", "failed")
	k.lists("no such status", store.SessionQuery{Workflow: w, Status: []string{store.StatusPaused}})
	k.lists("awaiting", store.SessionQuery{Workflow: w, Awaiting: true}, "ask", "ask2", "both")
	k.lists("step", store.SessionQuery{Workflow: w, Step: "ask"}, "ask", "both")
	k.lists("step other", store.SessionQuery{Workflow: w, Step: "other"}, "both")
	k.lists("the word question is not a step", store.SessionQuery{Workflow: w, Step: "question"})
	k.lists("ids", store.SessionQuery{IDs: k.ids("done", "both", "not-there", "done")}, "done", "both")
	k.lists("ids and status", store.SessionQuery{IDs: k.ids("done", "both"), Status: []string{store.StatusComplete}}, "done")
	k.lists("waiting before", store.SessionQuery{Workflow: w, WaitingBefore: since(3)}, "ask", "ask2")
	k.lists("all at once", store.SessionQuery{Workflow: w, Status: []string{store.StatusAwaitingInput}, Awaiting: true, Step: "ask",
		WaitingBefore: since(2), Root: k.id("ask"), IDs: k.ids("ask", "both"), Text: `"version"`}, "ask")
	k.lists("oldest waiting", store.SessionQuery{Workflow: w, OldestWaiting: true}, "ask", "ask2", "both")
}

func listText(k *kit) {
	for name, state := range map[string]string{
		"percent": `{"a":"100% sure"}`, "plain": `{"a":"100 sure"}`, "under": `{"a":"x_y"}`, "dash": `{"a":"x-y"}`,
		"quote": `{"a":"it's"}`, "upper": `{"a":"HELLO"}`, "wide": `{"a":"grüße 🙂"}`, "back": `{"a":"c:\\d"}`,
	} {
		k.atRest(name, withState(state))
	}
	for text, want := range map[string]string{
		"100% s": "percent", "100 sure": "plain", "x_y": "under", "it's": "quote", "HELLO": "upper", "hello": "", "grüße 🙂": "wide",
		`c:\\d`: "back", "GRÜSSE": "", ".*": "", "%": "percent", "_y": "under",
	} {
		k.lists("text "+text, store.SessionQuery{Workflow: k.prefix, Text: text}, strings.Fields(want)...)
	}
}

func listLabels(k *kit) {
	for name, labels := range map[string]map[string]string{
		"blue": {"team": "blue", "size": "1"}, "red": {"team": "red", "size": "1"}, "none": nil,
		"odd": {"a.b c": `it's "x"`, "empty": "", "ключ": "значение"},
	} {
		n := k.newSession(name)
		n.Labels = labels
		k.create(n)
	}
	find := func(labels map[string]string, want ...string) {
		k.Helper()
		k.lists(fmt.Sprint("labels ", labels), store.SessionQuery{Workflow: k.prefix, Labels: labels}, want...)
	}
	find(map[string]string{"size": "1"}, "blue", "red")
	find(map[string]string{"size": "1", "team": "red"}, "red")
	find(map[string]string{"size": "red"})
	find(map[string]string{"a.b c": `it's "x"`}, "odd")
	find(map[string]string{"empty": ""}, "odd")
	find(map[string]string{"ключ": "значение"}, "odd")
	find(map[string]string{"nothing": ""})
}

func listTimes(k *kit) {
	first := k.create(k.newSession("first"))
	k.pass(first.CreatedAt.Add(2 * time.Millisecond))
	between := k.now()
	k.pass(between.Add(2 * time.Millisecond))
	k.create(k.newSession("second"))
	w := k.prefix
	k.lists("before", store.SessionQuery{Workflow: w, CreatedBefore: between}, "first")
	k.lists("after", store.SessionQuery{Workflow: w, CreatedAfter: between}, "second")
	k.lists("neither", store.SessionQuery{Workflow: w, CreatedAfter: between, CreatedBefore: between})
	k.lists("another zone", store.SessionQuery{Workflow: w, CreatedBefore: between.In(time.FixedZone("east", 5*3600))}, "first")
	k.equal("newest first", k.list(store.SessionQuery{Workflow: w}), []string{"second", "first"})
}

func listState(k *kit) {
	k.create(k.newSession("a"))
	for _, with := range []bool{false, true} {
		rows, err := k.store.ListSessions(k.ctx, store.SessionQuery{Workflow: k.prefix, WithState: with})
		k.noError(err)
		k.equal("state is there", len(rows[0].State) > 0, with)
	}
	k.lists("text without state", store.SessionQuery{Workflow: k.prefix, Text: k.id("a")}, "a")
}

func listDefaultLimit(k *kit) {
	var sessions []store.NewSession
	for i := range 55 {
		sessions = append(sessions, k.newSession(fmt.Sprintf("s%02d", i)))
	}
	k.createAll(sessions...)
	k.equal("rows", len(k.list(store.SessionQuery{Workflow: k.prefix})), 50)
	k.equal("rows of 500", len(k.list(store.SessionQuery{Workflow: k.prefix, Limit: 500})), 55)
	k.equal("rows of 7", len(k.list(store.SessionQuery{Workflow: k.prefix, Limit: 7})), 7)
}

func listFields(k *kit) {
	n := k.newSession("a")
	n.Labels = map[string]string{"team": "blue"}
	n.Claim = &store.Lease{Token: k.token(), Owner: "engine 1", For: long}
	c := k.checkpoint(k.create(n))
	asking(since(5), "ask")(&c)
	k.commit(c)
	k.deliver(k.id("a"), "key", signal())
	want := k.session("a")
	rows, err := k.store.ListSessions(k.ctx, store.SessionQuery{Workflow: k.prefix, WithState: true})
	k.noError(err)
	k.sameRecord("row", rows[0], want)
	byID, err := k.store.SessionsByID(k.ctx, []string{k.id("a")})
	k.noError(err)
	k.sameRecord("by id", byID[0], want)
}
