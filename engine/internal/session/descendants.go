package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A descent counts the sessions below each root session that this engine works on.
//
// A map over a map over a map makes a hundred million sessions from a page of text, so a root
// may have MaxChildren descendants, whatever their depth. A count in the root's own state
// would have to be written by every session below it, and they would wait for one another;
// so each engine counts what it starts, from what the store has when it first sees the root.
// Engines that share a store may together pass the limit by what the others have started
// since then.
type descent struct {
	mu    sync.Mutex
	roots map[string]int
}

// mostRoots bounds the counts that are kept; a dropped one is read again.
const mostRoots = 10_000

// descentRead is how long counting may take.
const descentRead = 10 * time.Second

// mayStartChild reserves one more session below root. problem describes why the limit refuses
// it. An error means that the sessions below root could not be counted.
func (d *descent) mayStartChild(ctx context.Context, in store.Store, root string, most int) (problem string, err error) {
	d.mu.Lock()
	_, known := d.roots[root]
	d.mu.Unlock()
	below := 0
	if !known { // read without the lock, so that other roots do not wait
		if below, err = countBelow(ctx, in, root, most); err != nil {
			return "", err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.roots == nil || len(d.roots) >= mostRoots {
		d.roots = map[string]int{}
	}
	count := max(below, d.roots[root])
	if count >= most {
		d.roots[root] = count
		return fmt.Sprintf("max_children: session %s has %d sessions below it, counted over all depths; no more are started", root, count), nil
	}
	d.roots[root] = count + 1
	return "", nil
}

func countBelow(ctx context.Context, in store.Store, root string, most int) (int, error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), descentRead, ErrStopped)
	defer cancel()
	below, err := in.Descendants(ctx, store.DescendantQuery{Of: root, Limit: most})
	return len(below), err
}
