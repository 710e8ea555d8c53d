package sqlite

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A db is the connections to one file: what all parts of a Store share.
type db struct {
	file   string
	now    func() time.Time
	writer *writer
	reader *reader
	gate   store.SchemaGate
}

// Now is this machine's clock, or Options.Now.
func (d *db) Now(context.Context) (time.Time, error) { return d.clock(), nil }

// clock is now as it is stored, to the microsecond.
func (d *db) clock() time.Time { return d.now().UTC().Truncate(time.Microsecond) }

// Describe names the store for people: "sqlite:.stepgraph/stepgraph.db".
func (d *db) Describe() string { return "sqlite:" + d.file }
