package storetest

import (
	"github.com/stepgraph/stepgraph/engine/store"
)

var lineageCases = []testCase{
	{"to earlier executions, of the same checkpoint too", lineageKept},
	{"only when asked for", lineageAsked},
	{"to what is not there is left out", lineageMissing},
}

func lineageKept(k *kit) {
	r := k.held("a")
	one, two, three := execution(r.ID, 1, "ask"), execution(r.ID, 2, "think"), execution(r.ID, 3, "reply")
	k.write("a", one)
	two.Reads = []store.Lineage{{Execution: one.ID, Label: "@{SESSION_ID}.ask[0].response"}, {Execution: one.ID, Label: "@{SESSION_ID}.ask.prompt"}}
	two.Took = []store.Lineage{{Execution: one.ID, Label: "ask>think"}}
	three.Reads = []store.Lineage{{Execution: one.ID, Label: "@{SESSION_ID}.ask[-1]"}, {Execution: two.ID, Label: "@{SESSION_ID}.think"}}
	three.Took = []store.Lineage{{Execution: two.ID, Label: "think>reply"}, {Execution: two.ID, Label: "think>reply#2"}}
	k.write("a", two, three)
	rows, err := k.store.Executions(k.ctx, r.ID, store.HistoryQuery{Lineage: true})
	k.noError(err)
	k.equal("executions", len(rows), 3)
	k.sameExecution("first", rows[0], one)
	k.sameExecution("second", rows[1], two)
	k.sameExecution("third", rows[2], three)
	rows, err = k.store.Executions(k.ctx, r.ID, store.HistoryQuery{Lineage: true, Newest: true, Limit: 1})
	k.noError(err)
	k.equal("executions of a page", len(rows), 1)
	k.sameExecution("third alone", rows[0], three)
}

func lineageAsked(k *kit) {
	r := k.held("a")
	two := execution(r.ID, 2, "two")
	two.Reads = []store.Lineage{{Execution: r.ID + "/1", Label: "x"}}
	two.Took = []store.Lineage{{Execution: r.ID + "/1", Label: "y"}}
	k.write("a", execution(r.ID, 1, "one"), two)
	rows, err := k.store.Executions(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	two.Reads, two.Took = nil, nil
	k.sameExecution("without lineage", rows[1], two)
}

func lineageMissing(k *kit) {
	r := k.held("a")
	two := execution(r.ID, 2, "two")
	two.Reads = []store.Lineage{{Execution: r.ID + "/1", Label: "history was off"}}
	two.Took = []store.Lineage{{Execution: r.ID + "/1", Label: "one>two"}}
	k.write("a", two)
	rows, err := k.store.Executions(k.ctx, r.ID, store.HistoryQuery{Lineage: true})
	k.noError(err)
	k.equal("executions", len(rows), 1)
	two.Reads, two.Took = nil, nil
	k.sameExecution("alone", rows[0], two)
}
