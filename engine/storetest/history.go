package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

var historyCases = []testCase{
	{"executions come back as they were written", historyExact},
	{"executions by page", historyPages},
	{"executions of one step", historySteps},
	{"newest executions of many sessions", historyRecent},
	{"messages come back as they were written, by page", historyMessages},
	{"fifty rows unless asked", historyDefaultLimit},
	{"a session has its own history only", historyOwn},
	{"of one that is not there", historyMissing},
}

// seqs are the numbers of a page of executions.
func (k *kit) seqs(session string, q store.HistoryQuery) string {
	k.Helper()
	rows, err := k.store.Executions(k.ctx, session, q)
	k.noError(err)
	var out []string
	for _, e := range rows {
		out = append(out, fmt.Sprint(e.Seq))
	}
	return strings.Join(out, " ")
}

func historyExact(k *kit) {
	r := k.held("a")
	full := execution(r.ID, 1, "ask")
	full.Visit, full.Attempt, full.Status, full.Function = 3, 2, store.StatusError, "utils.reply.reply"
	full.Input, full.Output = []byte(`{"z":1.0,"a":1,"n":12345678901234567890,"e":"ü\u0041\n"}`), []byte(`[1.50,null,"</script>"]`)
	full.Error, full.Paths = []byte(`{"kind":"timeout","transient":true}`), []byte(`[{"path":"a>b","open":true}]`)
	full.Usage, full.Parent, full.Definition = []byte(`{"tokens":12}`), r.ID+"/0", "hash"
	bare := execution(r.ID, 2, "reply")
	k.write("a", full, bare)
	rows, err := k.store.Executions(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	k.equal("executions", len(rows), 2)
	k.sameExecution("full", rows[0], full)
	k.sameExecution("bare", rows[1], bare)
}

func historyPages(k *kit) {
	r := k.held("a")
	for first := int64(1); first <= 10; first += 5 {
		var list []store.Execution
		for seq := first; seq < first+5; seq++ {
			list = append(list, execution(r.ID, seq, "step"))
		}
		k.write("a", list...)
	}
	k.write("a", execution(r.ID, 11, "step"))
	for _, c := range []struct {
		q    store.HistoryQuery
		want string
	}{
		{store.HistoryQuery{}, "1 2 3 4 5 6 7 8 9 10 11"},
		{store.HistoryQuery{Limit: 3}, "1 2 3"},
		{store.HistoryQuery{After: 9}, "10 11"},
		{store.HistoryQuery{After: 3, Limit: 2}, "4 5"},
		{store.HistoryQuery{After: 11}, ""},
		{store.HistoryQuery{Before: 3}, "1 2"},
		{store.HistoryQuery{Before: 10, Limit: 2}, "1 2"},
		{store.HistoryQuery{Newest: true, Limit: 3}, "9 10 11"},
		{store.HistoryQuery{Newest: true, Before: 9, Limit: 3}, "6 7 8"},
		{store.HistoryQuery{Newest: true, After: 8, Limit: 50}, "9 10 11"},
		{store.HistoryQuery{After: 3, Before: 6}, "4 5"},
	} {
		k.equal(fmt.Sprintf("page %+v", c.q), k.seqs(r.ID, c.q), c.want)
	}
}

func historySteps(k *kit) {
	r := k.held("a")
	var list []store.Execution
	for seq := range int64(12) {
		list = append(list, execution(r.ID, seq+1, []string{"ask", "ask2", "reply"}[seq%3]))
	}
	k.write("a", list...)
	k.equal("ask", k.seqs(r.ID, store.HistoryQuery{Step: "ask"}), "1 4 7 10")
	k.equal("newest of reply", k.seqs(r.ID, store.HistoryQuery{Step: "reply", Newest: true, Limit: 2}), "9 12")
	k.equal("ask after", k.seqs(r.ID, store.HistoryQuery{Step: "ask", After: 4, Limit: 1}), "7")
	k.equal("nothing", k.seqs(r.ID, store.HistoryQuery{Step: "nothing"}), "")
}

// historyRecent: each session has its own limit and end, and some have nothing to give.
func historyRecent(k *kit) {
	for name, n := range map[string]int64{"a": 5, "a/1": 1, "b": 12, "none": 0} {
		k.held(name)
		var list []store.Execution
		for seq := range n {
			list = append(list, execution(k.id(name), seq+1, "step"))
		}
		if n == 5 {
			list[4].Usage, list[4].Paths, list[4].Status = []byte(`{"tokens":12}`), []byte(`[{"path":"a>b","open":true}]`), store.StatusError
		}
		k.write(name, list...)
	}
	recent := func(limit int, of ...store.ExecutionsBefore) map[string][]store.Execution {
		k.Helper()
		found, err := again(k.ctx, func() (map[string][]store.Execution, error) { return k.store.RecentExecutions(k.ctx, of, limit) })
		k.noError(err)
		return found
	}
	before := func(name string, n int64) store.ExecutionsBefore {
		return store.ExecutionsBefore{Session: k.id(name), Before: n}
	}
	numbers := func(found map[string][]store.Execution) string {
		var out []string
		for session, list := range found {
			for _, e := range list {
				k.equal("session of an execution", e.Session, session)
				k.equal("id", e.ID, fmt.Sprintf("%s/%d", session, e.Seq))
				out = append(out, strings.TrimPrefix(e.ID, k.prefix+"-"))
			}
			k.equal("in seq order", slices.IsSortedFunc(list, func(a, b store.Execution) int { return int(a.Seq - b.Seq) }), true)
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	k.equal("three of each", numbers(recent(3, before("a", 0), before("a/1", 0), before("b", 0), before("none", 0), before("not-there", 0))), "a/1/1 a/3 a/4 a/5 b/10 b/11 b/12")
	k.equal("the next three", numbers(recent(3, before("a", 3), before("b", 10), before("a/1", 1))), "a/1 a/2 b/7 b/8 b/9")
	k.equal("all", len(recent(100, before("b", 0))[k.id("b")]), 12)
	k.equal("of none", len(recent(3)), 0)
	whole, err := k.store.Executions(k.ctx, k.id("a"), store.HistoryQuery{Newest: true, Limit: 1})
	k.noError(err)
	got, want := recent(1, before("a", 0))[k.id("a")][0], whole[0]
	k.equal("what it has", store.Execution{ID: got.ID, Session: got.Session, Seq: got.Seq, Step: got.Step, Status: got.Status, StartedAt: got.StartedAt, FinishedAt: got.FinishedAt, Usage: got.Usage, Paths: got.Paths},
		store.Execution{ID: want.ID, Session: want.Session, Seq: want.Seq, Step: want.Step, Status: want.Status, StartedAt: want.StartedAt, FinishedAt: want.FinishedAt, Usage: want.Usage, Paths: want.Paths})
}

func historyMessages(k *kit) {
	r := k.held("a")
	want := []function.Message{message(r.ID, 1), message(r.ID, 2), message(r.ID, 3)}
	want[1] = function.Message{Role: "assistant", Content: "grüße\n\t'\"\\ 🙂", At: 5, ID: r.ID + "/2", N: 2}
	c := k.checkpoint(r)
	c.Messages = want[:2]
	k.commit(c)
	c = k.checkpoint(k.session("a"))
	c.Messages = want[2:]
	k.commit(c)
	page := func(q store.HistoryQuery, want ...function.Message) {
		k.Helper()
		got, err := k.store.Messages(k.ctx, r.ID, q)
		k.noError(err)
		k.equal(fmt.Sprintf("page %+v", q), got, want)
	}
	page(store.HistoryQuery{}, want...)
	page(store.HistoryQuery{After: 1, Limit: 1}, want[1])
	page(store.HistoryQuery{Newest: true, Limit: 2}, want[1:]...)
	page(store.HistoryQuery{Newest: true, Before: 3, Limit: 1}, want[1])
	page(store.HistoryQuery{Before: 2}, want[0])
}

func historyDefaultLimit(k *kit) {
	r := k.held("a")
	c := k.checkpoint(r)
	for i := range int64(60) {
		c.Executions = append(c.Executions, execution(r.ID, i+1, "step"))
		c.Messages = append(c.Messages, message(r.ID, i+1))
	}
	k.commit(c)
	es, err := k.store.Executions(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	ms, err := k.store.Messages(k.ctx, r.ID, store.HistoryQuery{Newest: true})
	k.noError(err)
	k.equal("rows", []int{len(es), len(ms)}, []int{50, 50})
	k.equal("newest message", ms[49].N, int64(60))
}

// A session whose id begins like another's, as those of children do.
func historyOwn(k *kit) {
	a, child := k.held("a"), k.held("a/1")
	k.write("a", execution(a.ID, 1, "step"))
	k.write("a/1", execution(child.ID, 1, "step"), execution(child.ID, 2, "step"))
	k.deliver(child.ID, "key", signal())
	k.equal("of the first", k.seqs(a.ID, store.HistoryQuery{}), "1")
	k.equal("of the child", k.seqs(child.ID, store.HistoryQuery{}), "1 2")
	k.equal("requests of the first", k.requestKeys(a.ID, false), "")
}

func historyMissing(k *kit) {
	k.historyLength(k.id("not-there"), 0, 0)
	k.equal("requests", k.requestKeys(k.id("not-there"), false), "")
	k.equal("results", len(k.results("not-there", "loop", 1)), 0)
	k.equal("blobs", len(k.blobs("not-there", "h")), 0)
}
