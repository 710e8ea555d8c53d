package shard_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/engine/storetest"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/shard"
	"github.com/stepgraph/stepgraph/sqlite"
)

// half are rules by which about half of the suite's cases have their home in the second database:
// the ids of a case begin with st- and a random letter or digit.
func half() (rules []string) {
	for c := 'a'; c <= 'm'; c++ {
		rules = append(rules, "st-"+string(c)+"*")
	}
	return rules
}

// opened opens a store of the given ones, the first of which is the default.
func opened(t *testing.T, rules []string, main, other func(context.Context) (store.Store, error)) *shard.Store {
	t.Helper()
	s, err := shard.Open(t.Context(), shard.Options{Default: "main", Databases: []shard.Database{
		{Name: "main", Open: main}, {Name: "eu", Workflows: rules, Open: other}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func given(s store.Store) func(context.Context) (store.Store, error) {
	return func(context.Context) (store.Store, error) { return s, nil }
}

func inFile(file string) func(context.Context) (store.Store, error) {
	return func(ctx context.Context) (store.Store, error) {
		return sqlite.Open(ctx, file, sqlite.Options{Migrate: new(false)})
	}
}

func TestStoreOfTwoInMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return opened(t, half(), given(memory.New(memory.Options{})), given(memory.New(memory.Options{})))
	})
}

func TestStoreOfTwoFiles(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		dir := t.TempDir()
		return opened(t, half(), inFile(filepath.Join(dir, "main.db")), inFile(filepath.Join(dir, "eu.db")))
	})
}
