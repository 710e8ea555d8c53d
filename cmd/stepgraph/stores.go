package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/build"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/shard"
	"github.com/stepgraph/stepgraph/sqlite"
)

// openStore opens a store. serving, if not empty, is the address of the engine that will
// own an embedded file; without it the file must not be held by another.
func (h *host) openStore(ctx context.Context, setting, serving string) (engine.Store, error) {
	if setting == storeDatabases && len(h.config.Databases) > 0 {
		return h.openDatabases(ctx, false, func(ctx context.Context, name string) (engine.Store, error) { return h.openStore(ctx, name, serving) })
	}
	address := h.config.address(setting)
	kind, file, err := kindOfStore(address)
	if err != nil {
		return nil, err
	}
	switch kind {
	case storeMemory:
		return memory.New(memory.Options{}), nil
	case storeSQLite:
		return openFile(ctx, file, serving)
	}
	user, password, database := h.neo4jOf(setting)
	return cypher.Open(ctx, cypher.Options{
		URI: address, Username: user, Password: password,
		ReaderUsername: h.env("NEO4J_READER_USERNAME"), ReaderPassword: h.env("NEO4J_READER_PASSWORD"),
		Database: database, Log: h.log, Version: build.Version(), Migrate: new(false), // migrate, doctor and what serves decide it
		CallTimeout: h.lease * 2 / 3, // 0, the default, where no lease was set
	})
}

// neo4jLogin is user and password of a store that names none: $NEO4J_USERNAME and
// $NEO4J_PASSWORD, else $NEO4J_AUTH as Neo4j's own image takes it, USER/PASSWORD or none.
func (h *host) neo4jLogin() (user, password string) {
	user, password = h.env("NEO4J_USERNAME"), h.env("NEO4J_PASSWORD")
	if user == "" && password == "" {
		if both := h.env("NEO4J_AUTH"); both != "none" {
			user, password, _ = strings.Cut(both, "/")
		}
	}
	if user == "" && password != "" {
		user = "neo4j"
	}
	return user, password
}

func openFile(ctx context.Context, file, serving string) (engine.Store, error) {
	if serving == "" {
		held, err := sqlite.Holder(file)
		if err != nil {
			return nil, fmt.Errorf("store %s: %w", file, err)
		}
		if held != nil {
			return nil, held
		}
	}
	return sqlite.Open(ctx, file, sqlite.Options{Exclusive: serving, Migrate: new(false)})
}

// openDatabases opens the databases of the configuration as one store. How one of them is opened is
// the caller's.
func (h *host) openDatabases(ctx context.Context, all bool, open func(ctx context.Context, name string) (engine.Store, error)) (engine.Store, error) {
	o := shard.Options{Default: h.config.defaultDatabase(), RequireAll: all, Log: h.log}
	for _, name := range slices.Sorted(maps.Keys(h.config.Databases)) {
		o.Databases = append(o.Databases, shard.Database{Name: name, Workflows: h.config.Databases[name].Workflows,
			Open: func(ctx context.Context) (engine.Store, error) { return open(ctx, name) }})
	}
	s, err := shard.Open(ctx, o)
	if err != nil { // a nil *Store would be a Store that is not nil
		return nil, err
	}
	return s, nil
}

// openShared opens a store that an engine may be using.
func (h *host) openShared(ctx context.Context, setting string) (engine.Store, error) {
	if setting == storeDatabases {
		return h.openDatabases(ctx, false, h.openShared)
	}
	if kind, file, err := kindOfStore(h.config.address(setting)); err == nil && kind == storeSQLite {
		return sqlite.Open(ctx, file, sqlite.Options{Migrate: new(false)})
	}
	return h.openStore(ctx, setting, "")
}

// neo4jOf is user, password and database of a Neo4j: those of the configuration's database, or of
// the environment.
func (h *host) neo4jOf(setting string) (user, password, database string) {
	d := h.config.Databases[setting]
	if d.Username == "" && d.PasswordEnv == "" {
		user, password = h.neo4jLogin()
	} else {
		user, password = cmp.Or(d.Username, "neo4j"), h.env(d.PasswordEnv)
	}
	if d.Store == "" {
		return user, password, h.env("NEO4J_DATABASE")
	}
	return user, password, d.Database
}

// openAllDatabases opens a store for a command that has to reach all of its databases.
func (h *host) openAllDatabases(ctx context.Context, setting string) (engine.Store, error) {
	if setting != storeDatabases {
		return h.openStore(ctx, setting, "")
	}
	return h.openDatabases(ctx, true, func(ctx context.Context, name string) (engine.Store, error) { return h.openStore(ctx, name, "") })
}
