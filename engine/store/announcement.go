package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Engines keeps which engines work on the store and which functions they have, so that an
// engine without a function leaves a session to one that has it.
type Engines interface {
	// Announce stores the announcement of an engine, replacing its previous one (At is the
	// store's clock), and removes the announcements of engines that have been silent for longer
	// than forget.
	Announce(ctx context.Context, a Announcement, forget time.Duration) error
	// Engines returns the announcements not older than within, by Name, then ID.
	Engines(ctx context.Context, within time.Duration) ([]Announcement, error)
}

// An Announcement is what an engine at work says of itself.
type Announcement struct {
	ID        string   // of one run of an engine: distinguishes two with the same name
	Name      string   // Options.Name
	Functions []string // names and aliases of its functions; one that ends in "*" is a prefix
	At        time.Time
	Version   string          // of the program
	State     string          // "" while it runs, then draining, then stopped
	Holds     json.RawMessage // what it holds, for people: a JSON object
}

// Has reports whether the engine has a function, by the rules of Registry.Find.
func (a *Announcement) Has(function string) bool {
	for _, name := range a.Functions {
		prefix, open := strings.CutSuffix(name, "*")
		if name == function || name == "utils."+function || open && strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}
