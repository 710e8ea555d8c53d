package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/sqlite"
)

// Another process keeps the write lock: writes say so and can be made again, reads go on.
func TestBusyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	s := open(t, file, sqlite.Options{BusyTimeout: 20 * time.Millisecond})
	created(t, s, "there", nil)

	other, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WakePending(t.Context(), "w", "", 10); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("write to a busy file: %v, want ErrUnavailable", err)
	}
	if _, err := s.Session(t.Context(), "there"); err != nil {
		t.Errorf("read of a busy file: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.WakePending(ctx, "w", "", 10); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("write that has no time: %v", err)
	}
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WakePending(t.Context(), "w", "", 10); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A Decide that panics must not keep the write lock.
func TestPanicLeavesTheWriterFree(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	created(t, s, "there", nil)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, err := s.Deliver(t.Context(), []store.Delivery{{Session: "there", Key: "k", Decide: func(store.InboxView) (*store.Request, error) { panic("no") }}})
		t.Errorf("delivered: %v", err)
	}()
	if _, err := s.WakePending(t.Context(), "w", "", 10); err != nil {
		t.Error(err)
	}
}

// A large session is deleted in several calls, and can be found until the last.
func TestDeleteGoesInBatches(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	created(t, s, "large", &store.Lease{Token: "t", Owner: "o", For: time.Minute})
	c := store.Checkpoint{Session: "large", Lease: "t", Transition: "x", Release: true, Status: store.StatusComplete}
	for n := range int64(6000) {
		c.Messages = append(c.Messages, function.Message{N: n + 1, Role: "user", Content: "hello"})
	}
	if _, err := s.Commit(t.Context(), []store.Checkpoint{c}); err != nil {
		t.Fatal(err)
	}
	calls := 0
	for done := false; !done; calls++ {
		if _, err := s.Session(t.Context(), "large"); err != nil {
			t.Fatalf("after %d calls: %v", calls, err)
		}
		var err error
		if done, err = s.DeleteSession(t.Context(), "large"); err != nil {
			t.Fatal(err)
		}
	}
	if calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
	if _, err := s.Session(t.Context(), "large"); !errors.Is(err, store.ErrSessionNotFound) {
		t.Errorf("afterwards: %v", err)
	}
}
