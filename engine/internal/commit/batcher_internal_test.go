package commit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// TestSlowGroupIsSplit: a group that the store never gets done in time is sent in parts.
func TestSlowGroupIsSplit(t *testing.T) {
	var mu sync.Mutex
	largest := 0
	first := make(chan struct{})
	b := batcher[int, int]{writers: 1, do: func(_ context.Context, rows []int) ([]int, error) {
		if len(rows) == 1 && rows[0] == 0 {
			<-first // the others gather behind it
		}
		if len(rows) > 10 {
			return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, store.ErrStoreSlow)
		}
		mu.Lock()
		largest = max(largest, len(rows))
		mu.Unlock()
		return rows, nil
	}}
	var all sync.WaitGroup
	submit := func(i int) {
		all.Go(func() {
			if out, err := b.submit(t.Context(), i); err != nil || out != i {
				t.Errorf("row %d: %d, %v", i, out, err)
			}
		})
	}
	submit(0)
	for { // until the writer has it
		b.mu.Lock()
		taken := b.active == 1 && len(b.queue) == 0
		b.mu.Unlock()
		if taken {
			break
		}
	}
	for i := 1; i <= 100; i++ {
		submit(i)
	}
	for {
		b.mu.Lock()
		gathered := len(b.queue)
		b.mu.Unlock()
		if gathered == 100 {
			break
		}
	}
	close(first)
	all.Wait()
	if largest < 5 || largest > 10 {
		t.Errorf("groups of at most %d rows got through, want halves of 100 below 11", largest)
	}
}

// TestFullStoreIsTold: who asks for something new is told at once that the store is full, or of
// another version.
func TestFullStoreIsTold(t *testing.T) {
	for _, cause := range []error{store.ErrDiskFull, store.ErrSchema} {
		c := New(&fullStore{cause: cause}, 1)
		if _, err := c.Create(t.Context(), store.NewSession{ID: "a"}); !errors.Is(err, cause) {
			t.Errorf("error %v", err)
		}
	}
}

// A fullStore refuses new sessions.
type fullStore struct {
	store.Store
	cause error
}

func (s *fullStore) Create(context.Context, []store.NewSession) ([]store.Created, error) {
	return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, s.cause)
}

func (*fullStore) Commit(context.Context, []store.Checkpoint) ([]store.CommitResult, error) {
	return nil, nil
}

func (*fullStore) Deliver(context.Context, []store.Delivery) ([]store.Delivered, error) {
	return nil, nil
}

// TestGroupsBesideOthers: beside a group under way another one starts with enough rows, or when
// its rows have waited long enough; fewer rows are left to the group under way.
func TestGroupsBesideOthers(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   int
		passes time.Duration
		want   []int // sizes of the groups begun meanwhile
	}{
		{"few rows gather", minSecondGroup - 1, maxQueueWait - time.Millisecond, []int{1}},
		{"enough rows go at once", minSecondGroup, 0, []int{1, minSecondGroup}},
		{"a slow group holds nothing up", 3, maxQueueWait, []int{1, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var begun []int
				release := make(chan struct{})
				b := batcher[int, int]{writers: 2, do: func(_ context.Context, rows []int) ([]int, error) {
					begun = append(begun, len(rows))
					<-release
					return rows, nil
				}}
				var all sync.WaitGroup
				submit := func(i int) {
					all.Go(func() {
						if _, err := b.submit(t.Context(), i); err != nil {
							t.Error(err)
						}
					})
				}
				submit(0)
				synctest.Wait()
				for i := range c.rows {
					submit(i)
				}
				synctest.Wait()
				time.Sleep(c.passes)
				synctest.Wait()
				if !slices.Equal(begun, c.want) {
					t.Errorf("groups of %v, want %v", begun, c.want)
				}
				close(release)
				all.Wait()
			})
		})
	}
}

// TestWriterEndsBesideAnother: a writer that has finished leaves few rows to the group under way,
// which takes them all.
func TestWriterEndsBesideAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun []int
		slow, quick := make(chan struct{}), make(chan struct{})
		b := batcher[int, int]{writers: 2, do: func(_ context.Context, rows []int) ([]int, error) {
			begun = append(begun, len(rows))
			switch len(begun) {
			case 1:
				<-slow
			case 2:
				<-quick
			}
			return rows, nil
		}}
		var all sync.WaitGroup
		submit := func(n int) {
			for i := range n {
				all.Go(func() {
					if _, err := b.submit(t.Context(), i); err != nil {
						t.Error(err)
					}
				})
			}
			synctest.Wait()
		}
		submit(1)
		submit(minSecondGroup)
		submit(3)
		close(quick)
		synctest.Wait()
		if want := []int{1, minSecondGroup}; !slices.Equal(begun, want) {
			t.Errorf("groups of %v, want %v: three rows wait for the group under way", begun, want)
		}
		close(slow)
		all.Wait()
		if want := []int{1, minSecondGroup, 3}; !slices.Equal(begun, want) {
			t.Errorf("groups of %v, want %v", begun, want)
		}
	})
}
