package sqlite_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/sqlite"
)

// ended is what retention asks of a store.
type ended struct{ *sqlite.Store }

func (s ended) FindEnded(ctx context.Context, q retention.Query) (*retention.Page, error) {
	return (&retention.Remover{Store: s}).FindEnded(ctx, q)
}

func (s ended) RemoveEnded(ctx context.Context, owner string, families []retention.Family) error {
	return (&retention.Remover{Store: s}).RemoveEnded(ctx, owner, families)
}

func (s ended) WriteDocument(ctx context.Context, id string, to io.Writer) error {
	return retention.WriteDocument(ctx, s, nil, id, to)
}

// TestStoreStaysAtItsSize lets sessions come and go for many rounds, under new ids each time, and
// wants the file, with its log copied back, to stay as large as after the second round, and the log
// to be copied back while it is written.
func TestStoreStaysAtItsSize(t *testing.T) {
	const rounds, each = 20, 100
	const mostLog = 24 << 20 // copied back from 16 MB on, after the transaction that comes there
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	file := filepath.Join(t.TempDir(), "x.db")
	opened, err := sqlite.Open(t.Context(), file, sqlite.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	keep, err := retention.ParseKeep([]string{"complete=1d"})
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int64
	var written int64
	for round := range rounds {
		for i := range each {
			id := fmt.Sprintf("%02d-%03d-%s", round, i, strings.Repeat("x", i%7))
			made, err := opened.Create(t.Context(), []store.NewSession{{ID: id, Workflow: "w", Status: store.StatusActive, State: []byte(`{}`), Key: "k" + id,
				Claim: &store.Lease{Token: id, Owner: "w", For: time.Minute}}})
			if err != nil || made[0].Err != nil {
				t.Fatal(err, made)
			}
			c := store.Checkpoint{Session: id, Lease: id, Transition: id, Status: store.StatusComplete, Release: true,
				State: []byte(`{"data":"` + strings.Repeat("s", 2000+i) + `"}`)}
			for n := range 10 {
				c.Executions = append(c.Executions, store.Execution{ID: fmt.Sprintf("%s/%d", id, n+1), Session: id, Seq: int64(n + 1), Workflow: "w", Step: "s", Visit: n, Status: "complete",
					Output: []byte(`"` + strings.Repeat("o", 300) + `"`)})
			}
			c.Messages = []function.Message{{N: 1, Role: "assistant", Content: strings.Repeat("m", 500)}}
			if done, err := opened.Commit(t.Context(), []store.Checkpoint{c}); err != nil || done[0].Outcome != store.Committed {
				t.Fatal(err, done)
			}
		}
		now = now.Add(25 * time.Hour)
		total, err := retention.RunThrough(t.Context(), ended{opened}, retention.Query{Keep: keep, Owner: "me"}, "", retention.Pace{Rest: 0.001})
		if err != nil || total.Removed != each {
			t.Fatalf("round %d: %+v, %v", round, total, err)
		}
		if log, err := os.Stat(file + "-wal"); err != nil || log.Size() > mostLog {
			t.Errorf("round %d: log %v, %v", round, log, err)
		} else {
			written = max(written, log.Size())
		}
		if round != 1 && round != rounds-1 {
			continue
		}
		if err := opened.Close(); err != nil { // copies the log back
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
		if opened, err = sqlite.Open(t.Context(), file, sqlite.Options{Now: func() time.Time { return now }}); err != nil {
			t.Fatal(err)
		}
	}
	defer opened.Close()
	if sizes[1] > sizes[0]+sizes[0]/20 {
		t.Errorf("the file grew: %d", sizes)
	}
	t.Logf("%d sessions came and went; file after round 2: %d KB, after round %d: %d KB, log at most %d KB", rounds*each, sizes[0]/1024, rounds, sizes[1]/1024, written/1024)
}
