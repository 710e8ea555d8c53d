package storetest

import (
	"fmt"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/store"
)

var againCases = []testCase{
	{"the same sent twice is written once", againTwice},
	{"the same after the lease was given up", againReleased},
	{"the same after a later one is lost", againLater},
	{"again together with rows that are new", againMixed},
	{"sent again while the first is still under way", againRace},
	{"all of a batch sent again while the first is still under way", againBatchRace},
	{"again beats closing", againClosing},
}

func againTwice(k *kit) {
	c := k.recorded(k.held("a"))
	k.outcome(c, store.Committed)
	want := k.session("a")
	again := k.outcome(c, store.Again)
	k.equal("inbox", again.Inbox, int64(0))
	k.near("now", again.Now)
	k.sameRecord("session", k.session("a"), want)
	k.historyLength(c.Session, 1, 1)
}

func againReleased(k *kit) {
	c := k.recorded(k.held("a"))
	c.Release = true
	k.outcome(c, store.Committed)
	k.deliver(c.Session, "key", signal())
	k.equal("inbox", k.outcome(c, store.Again).Inbox, int64(1))
	k.claimOne("a", long)
	want := k.session("a")
	k.outcome(c, store.Again)
	k.sameRecord("session", k.session("a"), want)
	k.historyLength(c.Session, 1, 1)
}

func againLater(k *kit) {
	c := k.recorded(k.held("a"))
	k.outcome(c, store.Committed)
	k.commit(k.checkpoint(k.session("a")))
	want := k.session("a")
	k.outcome(c, store.Lost)
	k.sameRecord("session", k.session("a"), want)
	k.historyLength(c.Session, 1, 1)
}

func againMixed(k *kit) {
	a, b := k.recorded(k.held("a")), k.recorded(k.held("b"))
	k.outcome(a, store.Committed)
	k.equal("outcomes", k.send(a, b), []store.CommitOutcome{store.Again, store.Committed})
	k.equal("outcomes", k.send(b, a), []store.CommitOutcome{store.Again, store.Again})
	k.historyLength(a.Session, 1, 1)
	k.historyLength(b.Session, 1, 1)
}

func againRace(k *kit) {
	c := k.recorded(k.held("a"))
	c.Release = true
	var written, repeated atomic.Int64
	k.race(6, func(int) error {
		results, err := k.store.Commit(k.ctx, []store.Checkpoint{c})
		if err != nil {
			return err
		}
		switch results[0].Outcome {
		case store.Committed:
			written.Add(1)
		case store.Again:
			repeated.Add(1)
		}
		return nil
	})
	k.equal("written, again", []int64{written.Load(), repeated.Load()}, []int64{1, 5})
	k.equal("version", k.session("a").Version, int64(1))
	k.historyLength(c.Session, 1, 1)
}

func againBatchRace(k *kit) {
	var rows []store.Checkpoint
	for i := range 20 {
		rows = append(rows, k.recorded(k.held(fmt.Sprintf("s%02d", i))))
	}
	var written atomic.Int64
	k.race(4, func(int) error {
		results, err := k.store.Commit(k.ctx, rows)
		if err != nil {
			return err
		}
		for _, r := range results {
			switch r.Outcome {
			case store.Committed:
				written.Add(1)
			case store.Again:
			default:
				return fmt.Errorf("outcome %s", outcomeName(r.Outcome))
			}
		}
		return nil
	})
	k.equal("written", written.Load(), int64(20))
	for _, c := range rows {
		k.historyLength(c.Session, 1, 1)
	}
}

func againClosing(k *kit) {
	c := k.recorded(k.held("a"))
	c.Closing, c.Release = true, true
	k.outcome(c, store.Committed)
	k.deliver(c.Session, "late", signal())
	k.outcome(c, store.Again)
}
