package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A storesConfig says where an engine keeps things: in one store or in several databases.
type storesConfig struct {
	Store     string                    `json:"store"`
	Databases map[string]databaseConfig `json:"databases"` // several instead of one store, by name
}

// A databaseConfig is one of several databases of the configuration file.
type databaseConfig struct {
	Store     string   `json:"store"`     // as --store takes it
	Default   bool     `json:"default"`   // home of the workflows that no database names; also keeps batches
	Workflows []string `json:"workflows"` // ids, or prefixes that end in *, of workflows whose home it is

	Username    string `json:"username"` // of a Neo4j; without it those of the environment, as for --store
	PasswordEnv string `json:"password_env"`
	Database    string `json:"database"` // within the Neo4j server
}

// storeDatabases is the store of a program whose configuration has databases.
const storeDatabases = "databases"

// checkDatabases refuses databases that cannot be meant.
func (c *storesConfig) checkDatabases() error {
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
		if name == "" || strings.ContainsAny(name, ":/ \t\n") || name == storeMemory || name == storeDatabases {
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
func (c *storesConfig) defaultDatabase() string {
	for name, d := range c.Databases {
		if d.Default {
			return name
		}
	}
	return ""
}

// addresses are those that a store setting stands for: of all databases, of the named one, or itself.
func (c *storesConfig) addresses(setting string) []string {
	if d, named := c.Databases[setting]; named {
		return []string{d.Store}
	}
	if setting != storeDatabases {
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
// next to which tokens and secrets are stored.
func (c *storesConfig) address(setting string) string { return c.addresses(setting)[0] }

// checkStore refuses what is no store.
func (c *storesConfig) checkStore(setting string) error {
	_, _, err := kindOfStore(c.address(setting))
	return err
}

// describe names a store for people before it is open.
func (c *storesConfig) describe(setting string) string {
	if setting != storeDatabases {
		return hidePassword(c.address(setting))
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.Databases)) {
		all = append(all, name+" "+hidePassword(c.Databases[name].Store))
	}
	return strings.Join(all, ", ")
}
