package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/engine/storetest"
	"github.com/stepgraph/stepgraph/sqlite"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.Options{})
	})
}

func TestModel(t *testing.T) {
	storetest.Model(t, func(t *testing.T) store.Store {
		return open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.Options{})
	})
}
