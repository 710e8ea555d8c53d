package store

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Migration is one numbered change of a store's schema.
type Migration struct {
	Number int64
	Name   string // with the number: 011_example
	// Oldest is the newest migration that an engine of an older version must know to work on a
	// database that has this one. 0: no older version does.
	Oldest int64
}

// oldestEngine is the line of a migration's file that gives Migration.Oldest.
var oldestEngine = regexp.MustCompile(`(?m)^(?:--|//) oldest engine: (\d+)\b`)

// OldestEngine reads Migration.Oldest from the comment "oldest engine: 10" of a migration's file;
// 0 if there is none.
func OldestEngine(text string) int64 {
	found := oldestEngine.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil { // out of range
		return 0
	}
	return n
}

// CompareSchema compares the migrations of a database with those that this version knows, in order.
// It returns those that are to be applied, or a *SchemaError with Newer set if the database has one
// that this version does not know and does not work beside.
//
// Versions are compared, not assumed equal, because during a rolling upgrade an engine of the
// previous version works on a database that the new one has migrated. Refusing every unknown
// migration would stop that engine at the moment of the upgrade; accepting every one would let
// it write rows that the new version reads differently.
func CompareSchema(known, applied []Migration) (missing []Migration, err error) {
	there := map[int64]bool{}
	for _, m := range applied {
		there[m.Number] = true
	}
	var newest int64
	for _, m := range known {
		newest = max(newest, m.Number)
		if !there[m.Number] {
			missing = append(missing, m)
		}
	}
	for _, m := range applied {
		if m.Number > newest && (m.Oldest == 0 || m.Oldest > newest) {
			return nil, &SchemaError{Newer: true, Has: m, Needs: Migration{Number: newest}}
		}
	}
	return missing, nil
}

// CheckSchema returns a *SchemaError unless a database with the migrations applied can be worked on
// by a version that knows those of known.
func CheckSchema(known, applied []Migration) error {
	missing, err := CompareSchema(known, applied)
	if err != nil || len(missing) == 0 {
		return err
	}
	e := &SchemaError{Needs: missing[len(missing)-1]}
	for _, m := range applied {
		if m.Number > e.Has.Number {
			e.Has = m
		}
	}
	return e
}

// UnknownMigrations returns the migrations of a database that this version does not know.
func UnknownMigrations(known, applied []Migration) []Migration {
	var newest int64
	for _, m := range known {
		newest = max(newest, m.Number)
	}
	var unknown []Migration
	for _, m := range applied {
		if m.Number > newest {
			unknown = append(unknown, m)
		}
	}
	return unknown
}

// A SchemaError is an ErrSchema with the newest migration of the database and the one that this
// version needs.
type SchemaError struct {
	Has, Needs Migration // Has.Number is 0 for a database without migrations
	Newer      bool      // the database is newer than this version
}

func (e *SchemaError) Error() string {
	switch {
	case e.Newer:
		return fmt.Sprintf("the database has migration %d (%s) and is newer than this version, which knows migrations up to %d and does not work beside that one: %s",
			e.Has.Number, e.Has.Name, e.Needs.Number, e.Mend())
	case e.Has.Number == 0:
		return fmt.Sprintf("the database has no migration, this version needs %d (%s): %s", e.Needs.Number, e.Needs.Name, e.Mend())
	case e.Has.Number >= e.Needs.Number:
		return fmt.Sprintf("the database lacks migration %d (%s): %s", e.Needs.Number, e.Needs.Name, e.Mend())
	}
	return fmt.Sprintf("the database has migration %d, this version needs %d (%s): %s", e.Has.Number, e.Needs.Number, e.Needs.Name, e.Mend())
}

// Mend is what an operator does about it.
func (e *SchemaError) Mend() string {
	if e.Newer {
		return "use the version of stepgraph that made it, or a newer one"
	}
	return "run stepgraph migrate"
}

func (e *SchemaError) Unwrap() error { return ErrSchema }

// SchemaFindings is what doctor says of a database's migrations.
func SchemaFindings(known, applied []Migration) []Finding {
	var wrong *SchemaError
	if errors.As(CheckSchema(known, applied), &wrong) {
		return []Finding{wrong.Finding()}
	}
	var found []Finding
	for _, m := range UnknownMigrations(known, applied) {
		found = append(found, Finding{Level: "warning", Code: "migration", Mend: "upgrade this version of stepgraph as well",
			Message: fmt.Sprintf("the database has migration %s of a newer version, which this version works beside", m.Name)})
	}
	return found
}

// Finding is the error as doctor says it.
func (e *SchemaError) Finding() Finding {
	return Finding{Level: "error", Code: "migration", Message: strings.TrimSuffix(e.Error(), ": "+e.Mend()), Mend: strings.TrimPrefix(e.Mend(), "run ")}
}

// A SchemaGate refuses the writes of a store while its schema does not fit. The zero value is open.
type SchemaGate struct{ fault atomic.Pointer[SchemaError] }

// Note opens the gate if a check of the schema found it right (nil), closes it if the check found
// a *SchemaError, and returns err.
func (g *SchemaGate) Note(err error) error {
	var wrong *SchemaError
	if err == nil || errors.As(err, &wrong) {
		g.fault.Store(wrong)
	}
	return err
}

// Refusal is the error of a write, nil while the gate is open.
func (g *SchemaGate) Refusal() error {
	if wrong := g.fault.Load(); wrong != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, wrong)
	}
	return nil
}
