package cypher_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Requests that one commit wrote are read without a gap: a holder that applied the last of them
// would never ask for the one before. The server adds the nodes of one commit to an index one
// after another, in no order of ours: handles of deleted nodes are given away again.
func TestInboxIsReadWithoutGaps(t *testing.T) {
	opened, p, id := open(t), newPerson(t), unique("session")
	var written atomic.Bool
	var after atomic.Int64
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for !written.Load() {
				from := after.Load()
				found, err := opened.Requests(t.Context(), []store.InboxAfter{{Session: id, N: from}})
				if err != nil {
					t.Error(err)
					return
				}
				for i, q := range found[id] {
					if q.N != from+int64(i)+1 {
						t.Errorf("request %d of those above %d has the number %d", i+1, from, q.N)
						return
					}
				}
			}
		})
	}
	const together = 8
	for n := int64(0); n < 500*together && !t.Failed(); n += together {
		p.types(`UNWIND [5, 2, 8, 1, 7, 3, 6, 4] AS d WITH $n + d AS n CREATE (:REQUEST {id: $id + '/' + toString(n), session: $id, n: n, kind: 'child_ended', key: toString(n)})`,
			map[string]any{"id": id, "n": n})
		after.Store(n + together)
	}
	written.Store(true)
	readers.Wait()
	p.types(`MATCH (q:REQUEST {session: $id}) WHERE q.n > 0 DELETE q`, map[string]any{"id": id})
}

// A gap that somebody made by hand does not keep the requests after it from being read.
func TestInboxWithAGapIsRead(t *testing.T) {
	opened, p, id := open(t), newPerson(t), unique("session")
	p.types(`UNWIND [1, 3] AS n CREATE (:REQUEST {id: $id + '/' + toString(n), session: $id, n: n, kind: 'signal', key: toString(n)})`, map[string]any{"id": id})
	found, err := opened.Requests(t.Context(), []store.InboxAfter{{Session: id}})
	if err != nil || len(found[id]) != 2 || found[id][1].N != 3 {
		t.Errorf("read %+v, %v, want the requests 1 and 3", found[id], err)
	}
}
