package storetest

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

var batchItemCases = []testCase{
	{"what was added is there, in order", itemsAdd},
	{"those of a number that is there are replaced", itemsReplace},
	{"page after page, by number", itemsPage},
	{"those of one outcome", itemsOutcome},
	{"none are added to a batch that does not collect", itemsLate},
	{"five thousand", itemsMany},
	{"odd texts", itemsOdd},
}

func itemsAdd(k *kit) {
	made := k.createBatch(k.newBatch("a"))
	items := k.newItems(1, 5)
	items[1].Step, items[1].Visit, items[1].Ask, items[1].Response = "ask", 2, 1, json.RawMessage(`{"a": [1, 2.50]}`)
	items[2].Outcome, items[2].Error, items[2].Would = store.ItemFailed, "no such session", json.RawMessage(`{"status":"complete"}`)
	items[3].Outcome = store.ItemDone
	k.addItems("a", append(items[3:5:5], items[:3]...)) // in any order
	k.sameItems("items", "a", k.items("a", store.ItemQuery{}), items)
	k.addItems("a", nil)
	got := k.batch("a")
	got.UpdatedAt = made.UpdatedAt
	k.sameBatch("batch", got, made)
}

func itemsReplace(k *kit) {
	k.createBatch(k.newBatch("a"))
	first := k.newItems(1, 3)
	first[1].Response, first[1].Error, first[1].Outcome = json.RawMessage(`1`), "x", store.ItemFailed
	first[2].Step, first[2].Visit = "ask", 7
	k.addItems("a", first)
	second := k.newItems(2, 4)
	second[0].Session = k.id("another")
	k.addItems("a", second)
	k.sameItems("items", "a", k.items("a", store.ItemQuery{}), append(first[:1:1], second...))
	k.sameItems("open items", "a", k.items("a", store.ItemQuery{Outcome: store.ItemOpen}), append(first[:1:1], second...))
	k.addItems("a", second) // sent again
	k.equal("items after another sending", len(k.items("a", store.ItemQuery{})), 4)
}

func itemsPage(k *kit) {
	k.createBatch(k.newBatch("a"))
	k.createBatch(k.newBatch("b"))
	items := k.newItems(1, 120)
	k.addItems("a", items)
	k.addItems("b", k.newItems(1, 10))
	k.sameItems("no limit", "a", k.items("a", store.ItemQuery{}), items[:50])
	k.sameItems("first page", "a", k.items("a", store.ItemQuery{Limit: 100}), items[:100])
	k.sameItems("second page", "a", k.items("a", store.ItemQuery{After: 100, Limit: 100}), items[100:])
	k.sameItems("in the middle", "a", k.items("a", store.ItemQuery{After: 17, Limit: 3}), items[17:20])
	k.equal("behind the end", len(k.items("a", store.ItemQuery{After: 120})), 0)
}

func itemsOutcome(k *kit) {
	k.createBatch(k.newBatch("a"))
	items := k.newItems(1, 30)
	byOutcome := map[string][]store.BatchItem{}
	for i := range items {
		items[i].Outcome = []string{store.ItemOpen, store.ItemDone, store.ItemFailed}[i%3]
		byOutcome[items[i].Outcome] = append(byOutcome[items[i].Outcome], items[i])
	}
	k.addItems("a", items)
	for outcome, want := range byOutcome {
		k.sameItems(outcome, "a", k.items("a", store.ItemQuery{Outcome: outcome}), want)
		k.sameItems(outcome+", a page", "a", k.items("a", store.ItemQuery{Outcome: outcome, After: want[2].N, Limit: 4}), want[3:7])
	}
}

func itemsLate(k *kit) {
	b := k.createBatch(k.newBatch("a"))
	k.addItems("a", k.newItems(1, 2))
	b.Phase, b.Total = store.BatchRunning, 2
	k.saveBatch(b, nil, true)
	err := k.store.AddBatchItems(k.ctx, b.ID, k.newItems(2, 3))
	k.isError(err, store.ErrVersionMismatch)
	k.isFault(err)
	k.sameItems("items", "a", k.items("a", store.ItemQuery{}), k.newItems(1, 2))
}

func itemsMany(k *kit) {
	b := k.createBatch(k.newBatch("a"))
	items := k.newItems(1, 5000)
	for i := range items {
		items[i].Response = json.RawMessage(fmt.Sprintf(`{"n":%d}`, i+1))
	}
	for first := 0; first < len(items); first += 1000 {
		k.addItems("a", items[first:first+1000])
	}
	for i := range items {
		items[i].Step, items[i].Visit, items[i].Ask = "ask", 1, 1
		if i%2 == 0 {
			items[i].Outcome = store.ItemDone
		}
	}
	b.Done = 2500
	k.saveBatch(b, items, true)
	var got []store.BatchItem
	for after := int64(0); ; {
		page := k.items("a", store.ItemQuery{After: after, Limit: 700})
		if len(page) == 0 {
			break
		}
		got, after = append(got, page...), page[len(page)-1].N
	}
	k.sameItems("items", "a", got, items)
	left := k.items("a", store.ItemQuery{Outcome: store.ItemOpen, After: 4990})
	k.equal("open behind 4990", len(left), 5)
}

func itemsOdd(k *kit) {
	b := k.createBatch(k.newBatch("a"))
	items := k.newItems(1, 1)
	items[0].Step, items[0].Response = "schritt 'ß' \"🙂\"", json.RawMessage("\"\\u0000 a\\nb ' 🙂\"")
	items[0].Session = "s'\"\n\t\\"
	k.addItems("a", items)
	items[0].Error, items[0].Outcome = "step \"a\": it's\nbroken", store.ItemFailed
	b.Message = "said 'stop'\n"
	k.saveBatch(b, items, true)
	k.sameItems("items", "a", k.items("a", store.ItemQuery{}), items)
	k.equal("message", k.batch("a").Message, b.Message)
}
