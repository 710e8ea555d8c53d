package storetest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// batchClaimCases claim whatever batch is due, those of others too, and hold these for
// long, so that they are out of the way.
var batchClaimCases = []testCase{
	{"leases what is due, and writes it", batchClaimDue},
	{"the one due longest comes first", batchClaimOrder},
	{"nothing is due: none", batchClaimNone},
	{"many race for one, one wins", batchClaimRace},
	{"many race for many, each goes once", batchClaimRaceMany},
	{"a lease that ran out can be claimed again and its token is stale", batchClaimExpired},
	{"the holder saves counts, pins and outcomes", batchSave},
	{"a stale token writes nothing", batchSaveStale},
	{"an item that is not open any more stays as it is", batchSaveDone},
	{"released with a time it is due then, without one never", batchSaveRelease},
	{"stopped while held: the holder's saves are refused", batchStop},
	{"what is over is not stopped", batchStopOver},
	{"continued where it was, its failures forgiven", batchContinue},
	{"a batch somebody holds is not deleted", batchDeleteHeld},
}

// dueBatch creates a batch with items that is due now.
func (k *kit) dueBatch(name, phase string, items int64) store.Batch {
	k.Helper()
	b := k.createBatch(k.newBatch(name))
	if items > 0 {
		k.addItems(name, k.newItems(1, items))
	}
	b.Phase, b.Total, b.DueAt = phase, items, k.now()
	k.saveBatch(b, nil, true)
	return k.batch(name)
}

// claimBatch claims until it gets the batch of this case.
func (k *kit) claimBatch(name string, d time.Duration) store.Batch {
	k.Helper()
	for range 10_000 {
		b, err := k.store.ClaimBatch(k.ctx, store.Lease{Token: k.token(), Owner: "storetest", For: long})
		k.noError(err)
		if b == nil {
			k.Fatalf("batch %s is not due", name)
		}
		if b.ID != k.id(name) {
			continue
		}
		if d != long {
			ok, err := k.store.SaveBatch(k.ctx, *b, nil, d, false)
			k.noError(err)
			k.equal("saved", ok, true)
			*b = k.batch(name)
		}
		return *b
	}
	k.Fatalf("batch %s is never claimed", name)
	return store.Batch{}
}

// drainBatches claims until nothing is due and returns this case's batches, in the order
// in which they were claimed.
func (k *kit) drainBatches() []store.Batch {
	k.Helper()
	var mine []store.Batch
	for {
		b, err := k.store.ClaimBatch(k.ctx, store.Lease{Token: k.token(), Owner: "storetest", For: long})
		k.noError(err)
		if b == nil {
			return mine
		}
		if strings.HasPrefix(b.ID, k.prefix) {
			mine = append(mine, *b)
		}
	}
}

func batchClaimDue(k *kit) {
	due := k.dueBatch("due", store.BatchPinning, 2)
	k.createBatch(k.newBatch("collecting"))
	later := k.createBatch(k.newBatch("later"))
	later.Phase, later.DueAt = store.BatchRunning, k.now().Add(long)
	k.saveBatch(later, nil, true)
	mine := k.drainBatches()
	k.equal("claimed", len(mine), 1)
	got := mine[0]
	want := due
	want.Lease, want.LeaseOwner, want.UpdatedAt = got.Lease, "storetest", got.UpdatedAt
	want.LeaseUntil = got.UpdatedAt.Add(long)
	want.DueAt = want.LeaseUntil
	k.equal("a lease", got.Lease != "", true)
	k.near("updated_at", got.UpdatedAt)
	k.sameBatch("claimed", got, want)
	k.sameBatch("read", k.batch("due"), want)
}

func batchClaimOrder(k *kit) {
	now := k.now()
	for name, age := range map[string]time.Duration{"second": time.Hour, "third": time.Minute, "first": 10 * time.Hour} {
		b := k.createBatch(k.newBatch(name))
		b.Phase, b.DueAt = store.BatchRunning, now.Add(-age)
		k.saveBatch(b, nil, true)
	}
	var order []string
	for _, b := range k.drainBatches() {
		order = append(order, b.ID)
	}
	k.equal("order", order, k.ids("first", "second", "third"))
}

func batchClaimNone(k *kit) {
	k.drainBatches()
	b, err := k.store.ClaimBatch(k.ctx, store.Lease{Token: k.token(), Owner: "storetest", For: long})
	k.noError(err)
	if b != nil {
		k.Fatalf("claimed %+v", *b)
	}
}

func batchClaimRace(k *kit) {
	k.drainBatches()
	for round := range 5 {
		b := k.dueBatch(fmt.Sprintf("b%d", round), store.BatchRunning, 0)
		var won atomic.Int64
		k.race(16, func(int) error {
			got, err := k.store.ClaimBatch(k.ctx, store.Lease{Token: k.token(), Owner: "storetest", For: long})
			if got != nil && got.ID == b.ID {
				won.Add(1)
			}
			return err
		})
		k.equal("winners", won.Load(), int64(1))
	}
}

func batchClaimRaceMany(k *kit) {
	k.drainBatches()
	const batches = 12
	for i := range batches {
		k.dueBatch(fmt.Sprintf("b%02d", i), store.BatchRunning, 0)
	}
	got := make([]string, 3*batches)
	k.race(len(got), func(i int) error {
		b, err := k.store.ClaimBatch(k.ctx, store.Lease{Token: k.token(), Owner: "storetest", For: long})
		if b != nil {
			got[i] = b.ID
		}
		return err
	})
	times := map[string]int{}
	for _, id := range got {
		if strings.HasPrefix(id, k.prefix) {
			times[id]++
		}
	}
	for _, b := range k.drainBatches() { // those that all reached for others
		times[b.ID]++
	}
	k.equal("batches claimed", len(times), batches)
	for id, n := range times {
		if n != 1 {
			k.Errorf("batch %s went to %d workers", id, n)
		}
	}
}

func batchClaimExpired(k *kit) {
	k.dueBatch("a", store.BatchRunning, 1)
	dead := k.claimBatch("a", brief)
	k.pass(dead.LeaseUntil)
	next := k.claimBatch("a", long)
	k.equal("another token", next.Lease != dead.Lease, true)
	dead.Done = 1
	k.saveBatch(dead, nil, false)
	k.sameBatch("read", k.batch("a"), next)
}

func batchSave(k *kit) {
	k.dueBatch("a", store.BatchPinning, 3)
	b := k.claimBatch("a", long)
	items := k.items("a", store.ItemQuery{})
	items[0].Step, items[0].Visit, items[0].Ask = "ask", 3, 2
	items[1].Outcome, items[1].Error = store.ItemFailed, "no open question"
	b.Phase, b.Done, b.Failed, b.Reached, b.Message = store.BatchRunning, 0, 1, 2, "on its way"
	ok, err := k.store.SaveBatch(k.ctx, b, append(items[:2:2], store.BatchItem{N: 77, Outcome: store.ItemDone}), 2*long, false)
	k.noError(err)
	k.equal("saved", ok, true)
	got := k.batch("a")
	k.near("updated_at", got.UpdatedAt)
	want := b
	want.UpdatedAt = got.UpdatedAt
	want.LeaseUntil = got.UpdatedAt.Add(2 * long)
	want.DueAt = want.LeaseUntil
	k.sameBatch("read", got, want)
	k.sameItems("items", "a", k.items("a", store.ItemQuery{}), items)
	items[0].Outcome, items[0].Would = store.ItemDone, []byte(`{"status":"complete"}`)
	b.Done, b.Message = 1, ""
	k.saveBatch(b, items[:1], true)
	k.sameItems("items then", "a", k.items("a", store.ItemQuery{}), items)
	k.equal("message", k.batch("a").Message, "")
}

func batchSaveStale(k *kit) {
	k.dueBatch("a", store.BatchRunning, 2)
	b := k.claimBatch("a", long)
	items := k.items("a", store.ItemQuery{})
	for _, token := range []string{"stale", ""} {
		late := b
		late.Lease, late.Phase, late.Done = token, store.BatchComplete, 2
		changed := []store.BatchItem{items[0], items[1]}
		changed[0].Outcome, changed[1].Step = store.ItemDone, "ask"
		k.saveBatch(late, changed, false)
	}
	k.sameBatch("read", k.batch("a"), b)
	k.sameItems("items", "a", k.items("a", store.ItemQuery{}), items)
}

func batchSaveDone(k *kit) {
	k.dueBatch("a", store.BatchRunning, 2)
	b := k.claimBatch("a", long)
	items := k.items("a", store.ItemQuery{})
	items[0].Outcome, items[0].Step, items[0].Visit = store.ItemDone, "ask", 1
	b.Done = 1
	ok, err := k.store.SaveBatch(k.ctx, b, items[:1], long, false)
	k.noError(err)
	k.equal("saved", ok, true)
	again := []store.BatchItem{items[0], items[1]}
	again[0].Outcome, again[0].Error, again[0].Step = store.ItemFailed, "answered already", "other"
	again[1].Outcome = store.ItemDone
	k.saveBatch(b, again, true)
	k.sameItems("items", "a", k.items("a", store.ItemQuery{}), []store.BatchItem{items[0], again[1]})
}

func batchSaveRelease(k *kit) {
	k.dueBatch("a", store.BatchRunning, 0)
	b := k.claimBatch("a", long)
	due := k.now().Add(brief)
	b.DueAt = due
	k.saveBatch(b, nil, true)
	got := k.batch("a")
	k.equal("lease, owner", []string{got.Lease, got.LeaseOwner}, []string{"", ""})
	k.equal("no lease_until", got.LeaseUntil.IsZero(), true)
	k.sameTime("due_at", got.DueAt, due)
	k.saveBatch(b, nil, false)
	k.pass(due)
	b = k.claimBatch("a", long)
	b.Phase, b.DueAt = store.BatchComplete, time.Time{}
	k.saveBatch(b, nil, true)
	k.equal("due_at is gone", k.batch("a").DueAt.IsZero(), true)
	k.equal("claimed", len(k.drainBatches()), 0)
}

func batchStop(k *kit) {
	k.dueBatch("a", store.BatchRunning, 2)
	held := k.claimBatch("a", long)
	stopped, err := k.store.StopBatch(k.ctx, held.ID, "stop it")
	k.noError(err)
	want := held
	want.Phase, want.Message, want.UpdatedAt = store.BatchStopped, "stop it", stopped.UpdatedAt
	want.Lease, want.LeaseOwner, want.LeaseUntil, want.DueAt = "", "", time.Time{}, time.Time{}
	k.near("updated_at", stopped.UpdatedAt)
	k.sameBatch("stopped", *stopped, want)
	k.sameBatch("read", k.batch("a"), want)
	items := k.items("a", store.ItemQuery{})
	changed := []store.BatchItem{items[0]}
	changed[0].Outcome = store.ItemDone
	held.Done = 1
	for _, release := range []bool{false, true} {
		ok, err := k.store.SaveBatch(k.ctx, held, changed, long, release)
		k.noError(err)
		k.equal("saved", ok, false)
	}
	held.Lease = ""
	k.saveBatch(held, changed, false)
	k.sameItems("items", "a", k.items("a", store.ItemQuery{}), items)
	k.sameBatch("read then", k.batch("a"), want)
	k.equal("claimed", len(k.drainBatches()), 0)
}

func batchStopOver(k *kit) {
	k.dueBatch("a", store.BatchRunning, 0)
	b := k.claimBatch("a", long)
	b.Phase, b.DueAt = store.BatchComplete, time.Time{}
	k.saveBatch(b, nil, true)
	complete := k.batch("a")
	for _, f := range []func() (*store.Batch, error){
		func() (*store.Batch, error) { return k.store.StopBatch(k.ctx, b.ID, "too late") },
		func() (*store.Batch, error) { return k.store.ContinueBatch(k.ctx, b.ID) },
	} {
		got, err := f()
		k.noError(err)
		k.sameBatch("complete", *got, complete)
	}
	k.dueBatch("b", store.BatchRunning, 0)
	first, err := k.store.StopBatch(k.ctx, k.id("b"), "first")
	k.noError(err)
	second, err := k.store.StopBatch(k.ctx, k.id("b"), "second")
	k.noError(err)
	k.sameBatch("stopped twice", *second, *first)
}

func batchContinue(k *kit) {
	for _, phase := range []string{store.BatchPinning, store.BatchRunning, store.BatchCollecting} {
		b := k.createBatch(k.newBatch(phase))
		b.Phase, b.Failed, b.Done, b.Reached = phase, 3, 2, 5
		k.saveBatch(b, nil, true)
		_, err := k.store.StopBatch(k.ctx, b.ID, "wait")
		k.noError(err)
		got, err := k.store.ContinueBatch(k.ctx, b.ID)
		k.noError(err)
		if phase == store.BatchCollecting {
			k.equal("due_at of one that collects", got.DueAt.IsZero(), true)
		} else {
			k.near("due_at of one that was "+phase, got.DueAt)
		}
		want := b
		want.Forgiven, want.DueAt, want.UpdatedAt = 3, got.DueAt, got.UpdatedAt
		k.sameBatch("continued", *got, want)
		k.sameBatch("read", k.batch(phase), want)
		again, err := k.store.ContinueBatch(k.ctx, b.ID)
		k.noError(err)
		k.sameBatch("continued twice", *again, want)
	}
	k.equal("claimed", len(k.drainBatches()), 2)
	k.dueBatch("own", store.BatchRunning, 0)
	b := k.claimBatch("own", long)
	b.Phase, b.Message, b.DueAt = store.BatchStopped, "stopped after 3 failures", time.Time{}
	k.saveBatch(b, nil, true)
	got, err := k.store.ContinueBatch(k.ctx, b.ID)
	k.noError(err)
	k.equal("phase, message", []string{got.Phase, got.Message}, []string{store.BatchRunning, ""})
	k.claimBatch("own", long)
}

func batchDeleteHeld(k *kit) {
	k.dueBatch("a", store.BatchRunning, 3)
	b := k.claimBatch("a", long)
	_, err := k.store.DeleteBatch(k.ctx, b.ID)
	k.isError(err, store.ErrSessionBusy)
	k.isFault(err)
	k.sameBatch("read", k.batch("a"), b)
	k.equal("items", len(k.items("a", store.ItemQuery{})), 3)
	b.DueAt = k.now()
	k.saveBatch(b, nil, true)
	done, err := k.store.DeleteBatch(k.ctx, b.ID)
	k.noError(err)
	k.equal("done", done, true)
	k.equal("claimed", len(k.drainBatches()), 0)
}
