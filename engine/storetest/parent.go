package storetest

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
)

var parentCases = []testCase{
	{"the end of a child wakes its parent", parentWoken},
	{"a parent that is held gets it without being due", parentHeld},
	{"several children of one parent in one call", parentSeveral},
	{"parent and child in one call, the parent first", func(k *kit) { parentBeside(k, true) }},
	{"parent and child in one call, the child first", func(k *kit) { parentBeside(k, false) }},
	{"sent again it arrives once", parentAgain},
	{"a parent that is gone is no reason to fail", parentGone},
	{"a key that is there already is not written again", parentKeyTaken},
	{"children end while the parent goes on: nothing is lost, nothing waits for ever", parentRace},
}

// ending is the last checkpoint of a child.
func (k *kit) ending(child store.SessionRecord, parent string) store.Checkpoint {
	c := k.checkpoint(child)
	c.Closing, c.Release, c.Status = true, true, store.StatusComplete
	c.ToParent = &store.Request{Session: parent, Key: "end " + child.ID, Kind: store.RequestChild,
		Step: "map", Visit: 2, Body: []byte(fmt.Sprintf(`{"child":%q}`, child.ID)), BodyHash: "h", By: "child"}
	return c
}

func parentWoken(k *kit) {
	parent := k.atRest("parent")
	k.expired("poor")
	child := k.held("child")
	c := k.ending(child, parent.ID)
	k.commit(c)
	got := k.session("parent")
	k.equal("inbox, version", []int64{got.Inbox, got.Version}, []int64{1, parent.Version})
	k.near("due_at", got.DueAt)
	requests, err := k.store.Requests(k.ctx, []store.InboxAfter{{Session: parent.ID}})
	k.noError(err)
	if len(requests[parent.ID]) != 1 {
		k.Fatalf("requests of the parent: %+v, want one", requests)
	}
	want := *c.ToParent
	want.ID, want.N, want.At = parent.ID+"/"+want.Key, 1, got.DueAt
	k.sameRequest("request", requests[parent.ID][0], want)
	poor := k.ending(k.held("child of poor"), k.id("poor"))
	k.commit(poor)
	k.equal("claims of a parent whose lease ran out", k.session("poor").Claims, 0)
	k.near("its due_at", k.session("poor").DueAt)
}

func parentHeld(k *kit) {
	parent := k.held("parent")
	k.commit(k.ending(k.held("child"), parent.ID))
	want := parent
	want.Inbox = 1
	k.sameRecord("parent", k.session("parent"), want)
}

func parentSeveral(k *kit) {
	parent := k.atRest("parent")
	var rows []store.Checkpoint
	for i := range 5 {
		rows = append(rows, k.ending(k.held(fmt.Sprintf("child%d", i)), parent.ID))
	}
	k.commit(rows...)
	k.numbered(parent.ID, 5)
	k.near("due_at", k.session("parent").DueAt)
}

// Whichever of the two rows is written first, the parent must not fall asleep.
func parentBeside(k *kit, parentFirst bool) {
	parent, child := k.held("parent"), k.held("child")
	rest := k.checkpoint(parent)
	rest.Release = true
	rows := []store.Checkpoint{k.ending(child, parent.ID), rest}
	if parentFirst {
		rows[0], rows[1] = rows[1], rows[0]
	}
	k.commit(rows...)
	got := k.session("parent")
	k.equal("inbox, version", []int64{got.Inbox, got.Version}, []int64{1, 1})
	k.equal("lease", got.Lease, "")
	k.near("due_at", got.DueAt)
	k.numbered(parent.ID, 1)
}

func parentAgain(k *kit) {
	parent := k.atRest("parent")
	c := k.ending(k.held("child"), parent.ID)
	k.outcome(c, store.Committed)
	k.outcome(c, store.Again)
	k.numbered(parent.ID, 1)
}

func parentGone(k *kit) {
	c := k.ending(k.held("child"), k.id("not-there"))
	k.outcome(c, store.Committed)
	k.equal("status", k.session("child").Status, store.StatusComplete)
	k.missing("not-there")
}

func parentKeyTaken(k *kit) {
	parent := k.atRest("parent")
	child := k.held("child")
	k.deliver(parent.ID, "end "+child.ID, signal())
	k.commit(k.ending(child, parent.ID))
	k.numbered(parent.ID, 1)
	k.equal("version of the child", k.session("child").Version, int64(1))
}

// The parent's name is between those of its children, so that both orders of locking
// occur.
func parentRace(k *kit) {
	parent := k.held("m")
	var ends []store.Checkpoint
	for _, name := range strings.Fields("a b c x y z") {
		ends = append(ends, k.ending(k.held(name), parent.ID))
	}
	k.race(len(ends)+1, func(i int) error {
		if i < len(ends) {
			_, err := k.store.Commit(k.ctx, ends[i:i+1])
			return err
		}
		for range 6 {
			r, err := k.store.Session(k.ctx, parent.ID)
			if err != nil {
				return err
			}
			results, err := k.store.Commit(k.ctx, []store.Checkpoint{k.checkpoint(*r)})
			if err != nil {
				return err
			}
			if results[0].Outcome != store.Committed {
				return fmt.Errorf("the parent's checkpoint: %s", outcomeName(results[0].Outcome))
			}
		}
		return nil
	})
	k.equal("version of the parent", k.session("m").Version, int64(6))
	k.numbered(parent.ID, len(ends))
	for _, c := range ends {
		r, err := k.store.Session(k.ctx, c.Session)
		k.noError(err)
		k.equal("status of "+c.Session, r.Status, store.StatusComplete)
	}
}
