package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/graph"
	"github.com/stepgraph/stepgraph/shard"
	"github.com/stepgraph/stepgraph/sqlite"
)

// A databaseConfig is one of several databases of the configuration file.
type databaseConfig struct {
	Store     string   `json:"store"`     // as --store takes it
	Default   bool     `json:"default"`   // home of the workflows that no database names; also keeps batches
	Workflows []string `json:"workflows"` // ids, or prefixes that end in *, of workflows whose home it is

	Username    string `json:"username"` // of a Neo4j; without it those of the environment, as for --store
	PasswordEnv string `json:"password_env"`
	Database    string `json:"database"` // within the Neo4j server
}

// storeSeveral is the store of a program whose configuration has databases.
const storeSeveral = "databases"

// checkDatabases refuses databases that cannot be meant.
func (c *config) checkDatabases() error {
	if len(c.Databases) == 0 {
		return nil
	}
	if c.Store != "" {
		return fmt.Errorf("it has a store and databases: give one of them")
	}
	defaults := 0
	files := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Databases)) {
		d := c.Databases[name]
		if name == "" || strings.ContainsAny(name, ":/ \t\n") || name == storeMemory || name == storeSeveral {
			return fmt.Errorf("databases: %q cannot be a name: want a word without colons and slashes", name)
		}
		if _, _, err := kindOfStore(d.Store); err != nil {
			return fmt.Errorf("databases: %s: %w", name, err)
		}
		if other, twice := files[d.Store+"\x00"+d.Database]; twice && d.Store != storeMemory {
			return fmt.Errorf("databases: %s and %s are the same", other, name)
		}
		files[d.Store+"\x00"+d.Database] = name
		if d.Default {
			defaults++
		}
		for _, w := range d.Workflows {
			if id, _ := strings.CutSuffix(w, "*"); w == "" || strings.Contains(id, "*") {
				return fmt.Errorf("databases: %s: workflows: %q: want an id, or a prefix that ends in *", name, w)
			}
		}
	}
	if defaults != 1 {
		return fmt.Errorf("databases: %d have \"default\": true, want one", defaults)
	}
	return nil
}

// defaultDatabase is the name of the default database; "" without databases.
func (c *config) defaultDatabase() string {
	for name, d := range c.Databases {
		if d.Default {
			return name
		}
	}
	return ""
}

// addresses are those that a store setting stands for: of all databases, of the named one, or itself.
func (c *config) addresses(setting string) []string {
	if d, named := c.Databases[setting]; named {
		return []string{d.Store}
	}
	if setting != storeSeveral {
		return []string{setting}
	}
	all := []string{c.Databases[c.defaultDatabase()].Store}
	for _, name := range slices.Sorted(maps.Keys(c.Databases)) {
		if d := c.Databases[name]; !d.Default {
			all = append(all, d.Store)
		}
	}
	return all
}

// address is the one that a store setting stands for; of several, that of the default database,
// beside which tokens and secrets are kept.
func (c *config) address(setting string) string { return c.addresses(setting)[0] }

// checkStore refuses what is no store.
func (c *config) checkStore(setting string) error {
	_, _, err := kindOfStore(c.address(setting))
	return err
}

// openSeveral opens the databases of the configuration as one store. How one of them is opened is
// the caller's.
func (h *host) openSeveral(ctx context.Context, all bool, open func(ctx context.Context, name string) (engine.Store, error)) (engine.Store, error) {
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

// openBeside opens a store that an engine may be at work on.
func (h *host) openBeside(ctx context.Context, setting string) (engine.Store, error) {
	if setting == storeSeveral {
		return h.openSeveral(ctx, false, h.openBeside)
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
		user, password = first(d.Username, "neo4j"), h.env(d.PasswordEnv)
	}
	if d.Store == "" {
		return user, password, h.env("NEO4J_DATABASE")
	}
	return user, password, d.Database
}

// A queryOfSeveral refuses graph.query where there are several databases: its result would be that
// of one of them, and look like that of all.
type queryOfSeveral struct{}

var _ graph.Querier = queryOfSeveral{}

// ReadQuery implements graph.Querier.
func (queryOfSeveral) ReadQuery(context.Context, string, map[string]any, int) ([]map[string]any, error) {
	return nil, &engine.CallError{Kind: engine.KindDisabled, Err: engine.ErrNotOnThisStore,
		Message: "graph.query reads one database, and this server has several: which one is meant cannot be said here, so query that database with a client of its own"}
}

// openWhole opens a store for a command that has to reach all of its databases.
func (h *host) openWhole(ctx context.Context, setting string) (engine.Store, error) {
	if setting != storeSeveral {
		return h.openStore(ctx, setting, "")
	}
	return h.openSeveral(ctx, true, func(ctx context.Context, name string) (engine.Store, error) { return h.openStore(ctx, name, "") })
}

// describe names a store for people before it is open.
func (c *config) describe(setting string) string {
	if setting != storeSeveral {
		return hidePassword(c.address(setting))
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.Databases)) {
		all = append(all, name+" "+hidePassword(c.Databases[name].Store))
	}
	return strings.Join(all, ", ")
}
