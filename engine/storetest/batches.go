package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// batchesCases are those of batches of sessions that claim nothing.
var batchesCases = []testCase{
	{"what was created is there, in phase collecting", batchesCreate},
	{"a key makes one batch", batchesKey},
	{"an id is taken once", batchesID},
	{"many at once with one key: one batch", batchesKeyRace},
	{"newest first, page after page", batchesList},
	{"an unknown batch", batchesUnknown},
	{"without a lease only a batch that collects is saved", batchesSaveCollecting},
	{"deleted with all its items, in steps", batchesDelete},
	{"a batch that is being deleted stays so", batchesDeleteFinal},
}

func batchesCreate(k *kit) {
	b := k.newBatch("a")
	b.Phase, b.Key, b.BodyHash = store.BatchRunning, k.id("key"), "h"
	b.DueAt, b.Lease = k.now(), "somebody's"
	made := k.createBatch(b)
	k.near("created_at", made.CreatedAt)
	want := b
	want.Phase, want.DueAt, want.Lease = store.BatchCollecting, time.Time{}, ""
	want.CreatedAt, want.UpdatedAt = made.CreatedAt, made.CreatedAt
	k.sameBatch("created", made, want)
	k.sameBatch("read", k.batch("a"), want)
	k.equal("items", len(k.items("a", store.ItemQuery{})), 0)
}

func batchesKey(k *kit) {
	b := k.newBatch("a")
	b.Key, b.BodyHash = k.id("key"), "h"
	first := k.createBatch(b)
	second := k.newBatch("b")
	second.Key, second.BodyHash = b.Key, "h"
	again, exists, err := k.store.CreateBatch(k.ctx, second)
	k.noError(err)
	k.equal("exists", exists, true)
	k.sameBatch("the first", again, first)
	second.BodyHash = "other"
	_, exists, err = k.store.CreateBatch(k.ctx, second)
	k.isError(err, store.ErrKeyReused)
	k.isFault(err)
	k.equal("exists with an error", exists, false)
	_, err = k.store.Batch(k.ctx, second.ID)
	k.isError(err, store.ErrBatchNotFound)
	k.createBatch(k.newBatch("without key"))
	k.createBatch(k.newBatch("without key either"))
}

func batchesID(k *kit) {
	first := k.createBatch(k.newBatch("a"))
	again, exists, err := k.store.CreateBatch(k.ctx, k.newBatch("a"))
	k.noError(err)
	k.equal("exists", exists, true)
	k.sameBatch("the first", again, first)
	for name, change := range map[string]func(*store.Batch){
		"with a key": func(b *store.Batch) { b.Key = k.id("key") }, "with another body": func(b *store.Batch) { b.BodyHash = "other" },
	} {
		b := k.newBatch("a")
		change(&b)
		if _, _, err := k.store.CreateBatch(k.ctx, b); err == nil {
			k.Errorf("%s: no error", name)
		} else {
			k.isError(err, store.ErrKeyReused)
		}
	}
}

func batchesKeyRace(k *kit) {
	made := make([]store.Batch, 8)
	fresh := make([]bool, len(made))
	k.race(len(made), func(i int) error {
		b := k.newBatch(fmt.Sprintf("b%d", i))
		b.Key, b.BodyHash = k.id("key"), "h"
		first, exists, err := k.store.CreateBatch(k.ctx, b)
		made[i], fresh[i] = first, !exists
		return err
	})
	winners := 0
	for i := range made {
		k.equal("batch", made[i].ID, made[0].ID)
		if fresh[i] {
			winners++
		}
	}
	k.equal("made", winners, 1)
}

func batchesList(k *kit) {
	var want []string
	for i := range 7 {
		want = append([]string{k.createBatch(k.newBatch(fmt.Sprintf("b%d", i))).ID}, want...)
	}
	var got []string
	after, last := store.Cursor{}, store.Cursor{At: k.now().Add(long)}
	for page := 0; len(got) < len(want); page++ {
		list, err := k.store.ListBatches(k.ctx, after, 3)
		k.noError(err)
		if len(list) == 0 || len(list) > 3 || page > 10_000 {
			k.Fatalf("page %d has %d batches; found so far %v", page, len(list), got)
		}
		for _, b := range list {
			after = store.Cursor{At: b.CreatedAt, ID: b.ID}
			if order := last.At.Compare(after.At); order < 0 || order == 0 && last.ID <= after.ID {
				k.Fatalf("%s of %v comes after %s of %v", after.ID, after.At, last.ID, last.At)
			}
			last = after
			if strings.HasPrefix(b.ID, k.prefix) {
				got = append(got, b.ID)
				k.sameBatch("listed", b, k.batch(strings.TrimPrefix(b.ID, k.prefix+"-")))
			}
		}
	}
	k.equal("found", len(got), len(want))
	all, err := k.store.ListBatches(k.ctx, store.Cursor{}, 0)
	k.noError(err)
	if len(all) < len(want) || len(all) > 50 {
		k.Errorf("a page of no limit has %d batches", len(all))
	}
}

func batchesUnknown(k *kit) {
	_, err := k.store.Batch(k.ctx, k.id("not-there"))
	k.isError(err, store.ErrBatchNotFound)
	k.isError(k.store.AddBatchItems(k.ctx, k.id("not-there"), k.newItems(1, 2)), store.ErrBatchNotFound)
	_, err = k.store.StopBatch(k.ctx, k.id("not-there"), "")
	k.isError(err, store.ErrBatchNotFound)
	_, err = k.store.ContinueBatch(k.ctx, k.id("not-there"))
	k.isError(err, store.ErrBatchNotFound)
	_, err = k.store.DeleteBatch(k.ctx, k.id("not-there"))
	k.isError(err, store.ErrBatchNotFound)
	k.isFault(err)
	ok, err := k.store.SaveBatch(k.ctx, store.Batch{ID: k.id("not-there"), Phase: store.BatchRunning}, nil, long, true)
	k.noError(err)
	k.equal("saved", ok, false)
	k.equal("items", len(k.items("not-there", store.ItemQuery{})), 0)
}

func batchesSaveCollecting(k *kit) {
	b := k.createBatch(k.newBatch("a"))
	b.Lease = "of another engine"
	k.saveBatch(b, nil, false)
	b.Lease, b.Phase, b.Total, b.DueAt = "", store.BatchRunning, 3, k.now().Add(long)
	k.saveBatch(b, nil, true)
	got := k.batch("a")
	k.near("updated_at", got.UpdatedAt)
	b.UpdatedAt = got.UpdatedAt
	k.sameBatch("saved", got, b)
	b.Total = 4
	k.saveBatch(b, nil, false)
	k.equal("total", k.batch("a").Total, int64(3))
}

func batchesDelete(k *kit) {
	b := k.newBatch("a")
	b.Key, b.BodyHash = k.id("key"), "h"
	k.createBatch(b)
	k.addItems("a", k.newItems(1, 6000))
	k.createBatch(k.newBatch("other"))
	k.addItems("other", k.newItems(1, 3))
	for steps := 0; ; steps++ {
		done, err := k.store.DeleteBatch(k.ctx, b.ID)
		k.noError(err)
		if done {
			break
		}
		if steps == 100 {
			k.Fatal("a hundred steps, and it is not gone")
		}
	}
	_, err := k.store.Batch(k.ctx, b.ID)
	k.isError(err, store.ErrBatchNotFound)
	k.equal("items", len(k.items("a", store.ItemQuery{})), 0)
	k.equal("open items", len(k.items("a", store.ItemQuery{Outcome: store.ItemOpen})), 0)
	k.equal("items of the other", len(k.items("other", store.ItemQuery{})), 3)
	_, err = k.store.DeleteBatch(k.ctx, b.ID)
	k.isError(err, store.ErrBatchNotFound)
	b.BodyHash = "other"
	k.createBatch(b)
}

// What happens between two steps of a deletion, where there are two.
func batchesDeleteFinal(k *kit) {
	k.createBatch(k.newBatch("a"))
	k.addItems("a", k.newItems(1, 6000))
	done, err := k.store.DeleteBatch(k.ctx, k.id("a"))
	k.noError(err)
	if done {
		return // this store needs one step only
	}
	k.isError(k.store.AddBatchItems(k.ctx, k.id("a"), k.newItems(1, 2)), store.ErrVersionMismatch)
	b, err := k.store.ContinueBatch(k.ctx, k.id("a"))
	k.noError(err)
	k.equal("phase, due_at", []any{b.Phase, b.DueAt.IsZero()}, []any{store.BatchStopped, true})
	k.saveBatch(*b, nil, false)
}
