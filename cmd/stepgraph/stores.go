package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/build"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// Kinds of store.
const (
	storeMemory = "memory"
	storeSQLite = "sqlite"
	storeNeo4j  = "neo4j"
)

// kindOfStore tells which store an address is of, and for sqlite its file.
func kindOfStore(address string) (kind, file string, err error) {
	if address == storeMemory {
		return storeMemory, "", nil
	}
	scheme, rest, found := strings.Cut(address, ":")
	switch {
	case found && scheme == storeSQLite && rest != "":
		return storeSQLite, strings.TrimPrefix(rest, "//"), nil
	case found && strings.HasPrefix(rest, "//"):
		switch scheme {
		case "neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc":
			return storeNeo4j, "", nil
		}
	}
	return "", "", usagef("store %q: want memory, sqlite:FILE, neo4j://HOST:PORT or bolt://HOST:PORT", hidePassword(address))
}

// hidePassword keeps what stands before an @ out of messages.
func hidePassword(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if at := strings.LastIndex(rest, "@"); found && at >= 0 {
		return scheme + "://…@" + rest[at+1:]
	}
	return address
}

// openStore opens a store. serving, if not empty, is the address of the engine that will
// own an embedded file; without it the file must not be held by another.
func (h *host) openStore(ctx context.Context, setting, serving string) (engine.Store, error) {
	if setting == storeSeveral && len(h.config.Databases) > 0 {
		return h.openSeveral(ctx, false, func(ctx context.Context, name string) (engine.Store, error) { return h.openStore(ctx, name, serving) })
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

// devStore is the embedded store of this directory.
func (l *local) devStore() string { return storeSQLite + ":" + l.devFile() }

func (l *local) devFile() string { return filepath.Join(l.dir, "stepgraph.db") }

// hasDevStore reports whether dev has ever run here.
func (l *local) hasDevStore() bool {
	_, err := os.Stat(l.devFile())
	return err == nil
}
