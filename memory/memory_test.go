package memory_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/engine/storetest"
	"github.com/stepgraph/stepgraph/memory"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memory.New(memory.Options{}) })
}

// One store for all cases, as a database is, with a clock that ticks coarsely: many
// sessions are created at the same time.
func TestStoreShared(t *testing.T) {
	shared := memory.New(memory.Options{Now: func() time.Time { return time.Now().Truncate(5 * time.Millisecond) }})
	storetest.Run(t, func(*testing.T) store.Store { return shared })
}

func TestStoreByHand(t *testing.T) {
	storetest.RunByHand(t, func(*testing.T) (store.Store, storetest.Hand) {
		opened := memory.New(memory.Options{})
		return opened, memory.Hand{Store: opened, Loose: map[string]bool{}}
	})
}

// The model against itself, their clocks apart: what it finds is a fault of the comparison.
func TestModel(t *testing.T) {
	storetest.Model(t, func(*testing.T) store.Store {
		return memory.New(memory.Options{Now: func() time.Time { return time.Now().Add(10 * time.Second) }})
	})
}

// Without a Now of its own the store follows the fake clock of a synctest bubble, so a
// test waits out a lease in no time.
func TestFakeClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := memory.New(memory.Options{})
		lease := &store.Lease{Token: "first", Owner: "dead", For: 15 * time.Second}
		if _, err := opened.Create(t.Context(), []store.NewSession{{ID: "s", State: []byte(`{}`), Claim: lease}}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{0, 1} {
			claimed, err := opened.Claim(t.Context(), store.ClaimOptions{For: time.Second, Limit: 1, Token: func() string { return "second" }})
			if err != nil {
				t.Fatal(err)
			}
			if len(claimed) != want {
				t.Fatalf("claimed %d sessions, want %d", len(claimed), want)
			}
			time.Sleep(15 * time.Second)
		}
	})
}
