package memory_test

import (
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/storetest"
	"github.com/stepgraph/stepgraph/memory"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) engine.Store { return memory.New(memory.Options{}) })
}

// One store for all cases, as a database is, with a clock that ticks coarsely: many
// sessions are created at the same time.
func TestStoreShared(t *testing.T) {
	shared := memory.New(memory.Options{Now: func() time.Time { return time.Now().Truncate(5 * time.Millisecond) }})
	storetest.Run(t, func(*testing.T) engine.Store { return shared })
}

func TestStoreByHand(t *testing.T) {
	storetest.RunByHand(t, func(*testing.T) (engine.Store, storetest.Hand) {
		store := memory.New(memory.Options{})
		return store, memory.Hand{Store: store}
	})
}

// The model against itself, their clocks apart: what it finds is a fault of the comparison.
func TestModel(t *testing.T) {
	storetest.Model(t, func(*testing.T) engine.Store {
		return memory.New(memory.Options{Now: func() time.Time { return time.Now().Add(10 * time.Second) }})
	})
}
