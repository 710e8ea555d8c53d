package engine

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
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
	store Store
	most  int
	log   *slog.Logger

	mu    sync.Mutex
	roots map[string]int
}

// mostRoots bounds the counts that are kept; a dropped one is read again.
const mostRoots = 10_000

// descentRead is how long counting may take.
const descentRead = 10 * time.Second

// mayStartChild takes a place for one more session below root, and reports what is wrong
// when there is none.
func (d *descent) mayStartChild(ctx context.Context, root string) string {
	d.mu.Lock()
	_, known := d.roots[root]
	d.mu.Unlock()
	below := 0
	if !known { // read without the lock: other roots do not wait for it
		var err error
		if below, err = d.countBelow(ctx, root); err != nil {
			d.log.Warn("descendants not counted", logSession, root, logError, err)
			return "" // the store says so itself when it takes the session
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.roots == nil || len(d.roots) >= mostRoots {
		d.roots = map[string]int{}
	}
	count := max(below, d.roots[root])
	if count >= d.most {
		d.roots[root] = count
		return fmt.Sprintf("max_children: session %s has %d sessions below it, counted over all depths; no more are started", root, count)
	}
	d.roots[root] = count + 1
	return ""
}

func (d *descent) countBelow(ctx context.Context, root string) (int, error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), descentRead, errStopped)
	defer cancel()
	below, err := d.store.Descendants(ctx, DescendantQuery{Of: root, Limit: d.most})
	return len(below), err
}
