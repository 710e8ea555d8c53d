package storetest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// commit sends a batch for some of the sessions; only one row of a batch reaches beyond
// its own session, since the order of such rows is open.
func (p *pair) commit() {
	p.last = nil
	ids := p.distinct(3)
	used := make(map[string]bool)
	for _, id := range ids {
		used[id] = true
	}
	for i, id := range ids {
		c := p.row(id)
		if i == 0 {
			p.reach(&c, used)
		}
		p.last = append(p.last, c)
	}
	p.sendLast("commit")
}

// commitAgain sends the batch that was sent last, as after a lost answer.
func (p *pair) commitAgain() {
	if p.last == nil {
		p.Skip("nothing was sent yet")
	}
	p.sendLast("commit again")
}

func (p *pair) sendLast(what string) {
	p.same(fmt.Sprintf("%s %+v", what, p.last), func(s store.Store) string {
		results, err := s.Commit(p.ctx, p.last)
		text := kindOf(err)
		for _, r := range results {
			text += " " + outcomeName(r.Outcome)
			if r.Outcome != store.Lost {
				text += fmt.Sprint(r.Inbox)
			}
		}
		return text
	})
}

// row is a checkpoint of one session, mostly one that fits.
func (p *pair) row(id string) store.Checkpoint {
	r := p.record(id)
	c := store.Checkpoint{
		Session: id, Lease: p.token(r), Transition: p.fresh(), Status: p.status(), State: []byte(`{"row":"` + p.fresh() + `"}`),
		Closing: p.chance(4, "closing"), Release: p.chance(3, "release"), LeaseFor: p.leaseFor(),
	}
	if p.chance(3, "lease as it is") {
		c.LeaseFor = 0
	}
	if r == nil {
		return c
	}
	c.Version, c.Seen = r.Version, r.Inbox
	if p.chance(6, "stale version") {
		c.Version++
	}
	if r.Inbox > 0 && p.chance(3, "unseen") {
		c.Seen--
	}
	if p.chance(3, "timer") {
		c.DueAt = time.Now().Add(long)
	}
	if p.chance(3, "waits") {
		asking(since(rapid.IntRange(0, 3).Draw(p.T, "since")), rapid.SampledFrom([]string{"ask", "other"}).Draw(p.T, "asks"))(&c)
	}
	if p.chance(5, "state stays") {
		c.State = nil
	}
	p.recordRow(&c)
	return c
}

// recordRow gives a row history, sometimes an execution that is there already.
func (p *pair) recordRow(c *store.Checkpoint) {
	next := p.next(c.Session)
	for i := range rapid.IntRange(0, 2).Draw(p.T, "executions") {
		e := execution(c.Session, next+int64(i), rapid.SampledFrom([]string{"ask", "other"}).Draw(p.T, "step"))
		earlier := store.Lineage{Execution: fmt.Sprintf("%s/%d", c.Session, rapid.Int64Range(0, next).Draw(p.T, "earlier")), Label: "x"}
		if earlier.Execution != e.ID {
			e.Reads, e.Took = []store.Lineage{earlier}, []store.Lineage{earlier}
		}
		c.Executions = append(c.Executions, e)
	}
	if next > 1 && p.chance(12, "duplicate") {
		c.Executions = append(c.Executions, execution(c.Session, 1, "duplicate"))
	}
	p.serial++
	if p.chance(3, "message") {
		c.Messages = []function.Message{message(c.Session, int64(p.serial))}
	}
	if p.chance(3, "applies") {
		key := rapid.SampledFrom([]string{"k1", "k2", "k3", "k4"}).Draw(p.T, "applied")
		c.Applied = []store.RequestOutcome{{ID: c.Session + "/" + key, Outcome: p.fresh()}}
	}
	if p.chance(4, "result") {
		c.Results = []store.StoredResult{{Step: "loop", Visit: 1, Index: rapid.IntRange(0, 2).Draw(p.T, "index"), Output: []byte(`"` + p.fresh() + `"`)}}
	}
	hashes := rapid.SampledFrom([]string{"h1", "h2"})
	if p.chance(4, "blob") {
		hash := hashes.Draw(p.T, "hash")
		c.Blobs = []store.Blob{{Hash: hash, Text: []byte(hash)}}
	}
	if p.chance(4, "drop") {
		c.DropBlobs = []string{hashes.Draw(p.T, "dropped")}
	}
}

// next is the seq after the last execution of a session.
func (p *pair) next(session string) int64 {
	list, err := p.model.Executions(p.ctx, session, store.HistoryQuery{Newest: true, Limit: 1})
	if err != nil || len(list) == 0 {
		return 1
	}
	return list[0].Seq + 1
}

// reach lets a row create a child or tell a parent, a session without a row of its own.
func (p *pair) reach(c *store.Checkpoint, used map[string]bool) {
	if other := p.id("child"); !used[other] && p.chance(4, "with child") {
		used[other] = true
		c.Children = []store.NewSession{p.newSession(other)}
	}
	if other := p.id("parent"); !used[other] && p.chance(3, "with parent") {
		c.ToParent = &store.Request{Session: other, Kind: store.RequestChild,
			Key: rapid.SampledFrom([]string{"k1", "end1", "end2"}).Draw(p.T, "key"), Body: []byte(`"` + p.fresh() + `"`)}
		c.Blobs = append(c.Blobs, store.Blob{Session: other, Hash: "copy", Text: []byte("copy")})
	}
}
