package store_test

import (
	"errors"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
)

var (
	nine   = store.Migration{Number: 9, Name: "009_turns"}
	ten    = store.Migration{Number: 10, Name: "010_waiting", Oldest: 9}
	eleven = store.Migration{Number: 11, Name: "011_later", Oldest: 10}
	apart  = store.Migration{Number: 11, Name: "011_apart"}
)

func TestCheckSchema(t *testing.T) {
	for name, c := range map[string]struct {
		known, applied []store.Migration
		want           string // "" for no error
		newer          bool
	}{
		"current":                   {[]store.Migration{nine, ten}, []store.Migration{nine, ten}, "", false},
		"empty":                     {[]store.Migration{nine, ten}, nil, "the database has no migration, this version needs 10 (010_waiting): run stepgraph migrate", false},
		"one behind":                {[]store.Migration{nine, ten}, []store.Migration{nine}, "the database has migration 9, this version needs 10 (010_waiting): run stepgraph migrate", false},
		"a gap":                     {[]store.Migration{nine, ten}, []store.Migration{ten}, "the database lacks migration 9 (009_turns): run stepgraph migrate", false},
		"one ahead, compatible":     {[]store.Migration{nine, ten}, []store.Migration{nine, ten, eleven}, "", false},
		"two ahead, the last apart": {[]store.Migration{nine}, []store.Migration{nine, ten, apart}, "the database has migration 11 (011_apart) and is newer than this version, which knows migrations up to 9 and does not work beside that one: use the version of stepgraph that made it, or a newer one", true},
		"two ahead, for the one between": {[]store.Migration{nine}, []store.Migration{nine, ten, eleven},
			"the database has migration 11 (011_later) and is newer than this version, which knows migrations up to 9 and does not work beside that one: use the version of stepgraph that made it, or a newer one", true},
	} {
		t.Run(name, func(t *testing.T) {
			err := store.CheckSchema(c.known, c.applied)
			if c.want == "" && err == nil {
				return
			}
			var wrong *store.SchemaError
			if !errors.As(err, &wrong) || wrong.Error() != c.want || wrong.Newer != c.newer || !errors.Is(err, store.ErrSchema) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestOldestEngine(t *testing.T) {
	for text, want := range map[string]int64{
		"-- Tables.\n-- oldest engine: 10\nCREATE TABLE x (id TEXT)": 10,
		"// 011.cypher: an index\n// oldest engine: 9 (an index)":    9,
		"-- an oldest engine: 10":                                    0,
		"CREATE TABLE x (id TEXT)":                                   0,
		"-- oldest engine: 99999999999999999999":                     0,
	} {
		if got := store.OldestEngine(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// The gate follows the newest check, and an error of another kind says nothing of the schema.
func TestSchemaGate(t *testing.T) {
	var gate store.SchemaGate
	wrong := store.CheckSchema([]store.Migration{nine}, nil)
	for _, c := range []struct {
		note   error
		closed bool
	}{{errors.New("no answer"), false}, {wrong, true}, {errors.New("no answer"), true}, {nil, false}} {
		if err := gate.Note(c.note); err != c.note {
			t.Errorf("Note returned %v, want %v", err, c.note)
		}
		err := gate.Refusal()
		if closed := err != nil; closed != c.closed {
			t.Errorf("after %v the gate says %v", c.note, err)
		} else if closed && (!errors.Is(err, store.ErrSchema) || !errors.Is(err, store.ErrUnavailable)) {
			t.Errorf("%v: want ErrSchema and ErrUnavailable", err)
		}
	}
}
