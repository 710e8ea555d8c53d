package vault

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/internal/privatefile"
)

// Options say where things are kept. The zero value works: in memory.
type Options struct {
	File string // of what is set; its key is in File + ".key"
	// Fixed is what the configuration file says. It comes before what is stored under the
	// same name.
	Fixed Fixed
	Now   func() time.Time
}

// Fixed is what the configuration file says.
type Fixed struct {
	Profiles  map[string]Profile
	Variables map[string]Variable
	Secrets   map[string]FixedSecret
}

// A FixedSecret is a secret of the configuration file, which names where its value is and
// never holds it. Value is asked each time, so a secret can be changed while an engine runs.
type FixedSecret struct {
	Secret
	Value func() (string, error)
}

// A Vault holds profiles, variables and secrets. It may be used by several goroutines.
type Vault struct {
	options Options
	mu      sync.Mutex
	stored  stored
	file    privatefile.File // unused without Options.File
}

// stored is the file.
type stored struct {
	Profiles  map[string]kept[Profile]  `json:"profiles,omitempty"`
	Variables map[string]kept[Variable] `json:"variables,omitempty"`
	Secrets   map[string]kept[sealed]   `json:"secrets,omitempty"`
}

// kept is an entry with its time.
type kept[T any] struct {
	Entry     T         `json:"entry"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Open reads the file, which may be absent. A file that others may read, or that cannot be
// read, is an error that says what to do.
func Open(o Options) (*Vault, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	v := &Vault{options: o, file: privatefile.File{Name: o.File}}
	return v, v.refresh()
}

// Named is an entry with its origin.
type Named[T any] struct {
	Origin
	Entry T
}

// list puts what is fixed and what is stored together, by name.
func list[T, K, F any](have map[string]kept[K], fixed map[string]F, ofKept func(K) T, ofFixed func(F) T) []Named[T] {
	all := map[string]Named[T]{}
	for name, k := range have {
		all[name] = Named[T]{Origin{name, SourceStored, k.UpdatedAt}, ofKept(k.Entry)}
	}
	for name, f := range fixed {
		all[name] = Named[T]{Origin{Name: name, Source: SourceConfiguration}, ofFixed(f)}
	}
	out := make([]Named[T], 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out
}

func same[T any](v T) T { return v }

// find is the entry of a name in a list.
func find[T any](all []Named[T], name string, missing error) (Named[T], error) {
	for _, e := range all {
		if e.Name == name {
			return e, nil
		}
	}
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name
	}
	return Named[T]{}, &NotFoundError{Err: missing, Name: name, Exists: names}
}

// A NotFoundError names what is not there and what is.
type NotFoundError struct {
	Err    error // ErrProfileNotFound and its like
	Name   string
	Exists []string
}

// Error says what is missing.
func (e *NotFoundError) Error() string { return e.Err.Error() + ": " + e.Name }

// Unwrap gives the sentinel.
func (e *NotFoundError) Unwrap() error { return e.Err }
