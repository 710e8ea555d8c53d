package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A trail writes entries to the store and to the sink. Entries that come while a write is
// under way share the next one, so that many requests at once cost few transactions.
type trail struct {
	store store.Audit // nil for none
	sink  func(AuditEntry)
	log   *slog.Logger

	mu    sync.Mutex
	queue []*trailJob
	busy  bool
}

type trailJob struct {
	entry AuditEntry
	done  chan error
}

const (
	trailTime = 15 * time.Second // for one write
	trailMost = 500              // entries of one write
)

var errAudit = errors.New("the change was made, but its audit entry could not be written")

// write returns when the entry is durable. An entry that cannot be written is in the log.
func (t *trail) write(ctx context.Context, e AuditEntry) error {
	if t.sink != nil {
		t.sink(e)
	}
	if t.store == nil {
		return nil
	}
	job := &trailJob{e, make(chan error, 1)}
	t.mu.Lock()
	t.queue = append(t.queue, job)
	if !t.busy {
		t.busy = true
		go t.flush(context.WithoutCancel(ctx)) // the client may be gone, what it did is recorded
	}
	t.mu.Unlock()
	err := <-job.done
	if err != nil {
		t.log.ErrorContext(ctx, "audit entry cannot be written", "error", err, "entry", fmt.Sprintf("%+v", e))
		return fmt.Errorf("%w: %w", errAudit, err)
	}
	return nil
}

func (t *trail) flush(ctx context.Context) {
	for {
		t.mu.Lock()
		some := t.queue[:min(len(t.queue), trailMost)]
		t.queue = t.queue[len(some):]
		t.busy = len(some) > 0
		t.mu.Unlock()
		if len(some) == 0 {
			return
		}
		err := t.record(ctx, some)
		for _, job := range some {
			job.done <- err
		}
	}
}

func (t *trail) record(ctx context.Context, jobs []*trailJob) error {
	ctx, cancel := context.WithTimeout(ctx, trailTime)
	defer cancel()
	entries := make([]AuditEntry, len(jobs))
	for i, job := range jobs {
		entries[i] = job.entry
	}
	err := t.store.RecordAudit(ctx, entries)
	if errors.Is(err, engine.ErrUnknownOutcome) || errors.Is(err, engine.ErrUnavailable) { // ids make the second write harmless
		err = t.store.RecordAudit(ctx, entries)
	}
	return err
}

// An AuditEntry records a change, or a refused request, and who made it. Reads are not recorded.
// Bodies are not part of it, because they contain answers and values of secrets.
type AuditEntry = engine.AuditEntry
