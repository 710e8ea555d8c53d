package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// A Database is one of the databases of a Store.
type Database struct {
	Name string
	// Workflows are the ids of workflows that have their home here; one that ends in "*" is a
	// prefix. An id comes before a prefix, and a longer prefix before a shorter one.
	Workflows []string
	// Open opens it. It is called again, with pauses, while its error is store.ErrUnavailable.
	Open func(ctx context.Context) (store.Store, error)
}

// Options of a Store.
type Options struct {
	Databases []Database
	// Default names the home of all workflows that no rule names. It also keeps batches and duties.
	Default string
	// RequireAll makes Open and Migrate fail when one database cannot be reached. Without it they
	// fail when none can; the others are opened and migrated when they answer.
	RequireAll bool
	Log        *slog.Logger // nil for none
}

// A Store is a store.Store of several databases. It implements store.Divided. Its methods are those
// of its parts, one for each noun of the contract; the parts share the databases.
type Store struct {
	*homes
	auditTrail
	batches
	commits
	definitions
	engines
	history
	inbox
	leases
	retention
	schema
	sessions
	turns
	workflows
}

var (
	_ store.Store   = (*Store)(nil)
	_ store.Divided = (*Store)(nil)
	_ store.Checker = (*Store)(nil)
)

// newStore puts the parts together.
func newStore(h *homes) *Store {
	return &Store{
		homes: h, auditTrail: auditTrail{h}, batches: batches{h}, commits: commits{h, definitions{h}}, definitions: definitions{h},
		engines: engines{h}, history: history{h}, inbox: inbox{h}, leases: leases{h, &atomic.Uint64{}}, retention: retention{h, batches{h}},
		schema: schema{h}, sessions: sessions{h, &nameLocks{}}, turns: turns{h}, workflows: workflows{h},
	}
}

// Open opens all databases side by side.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := newStore(&homes{running: &running{log: o.Log}, known: newPlaces(rememberedSessions), all: o.RequireAll})
	if err := s.configure(o); err != nil {
		return nil, err
	}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	answers := sideBySide(ctx, s.databases, func(ctx context.Context, d *database) (struct{}, error) { return struct{}{}, d.reopen(ctx) })
	if err := s.enough(answers); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// configure takes over databases and rules.
func (s *Store) configure(o Options) error {
	taken := map[string]string{}
	for _, c := range o.Databases {
		d := &database{name: c.Name, open: c.Open, of: s.running}
		if slices.ContainsFunc(s.databases, func(other *database) bool { return other.name == c.Name }) {
			return fmt.Errorf("two databases are called %q", c.Name)
		}
		if c.Name == o.Default {
			s.databases = append([]*database{d}, s.databases...)
		} else {
			s.databases = append(s.databases, d)
		}
		for _, w := range c.Workflows {
			if other, twice := taken[w]; twice {
				return fmt.Errorf("workflow %q has two homes: database %s and database %s", w, other, c.Name)
			}
			taken[w] = c.Name
			id, prefix := strings.CutSuffix(w, "*")
			s.rules = append(s.rules, rule{workflow: id, prefix: prefix, home: d})
		}
	}
	if len(s.databases) == 0 || s.databases[0].name != o.Default {
		return fmt.Errorf("there is no database %q, which is to be the default", o.Default)
	}
	sorting.Stable(s.rules, func(a, b *rule) int {
		if a.prefix != b.prefix {
			if a.prefix {
				return 1
			}
			return -1
		}
		return len(b.workflow) - len(a.workflow)
	})
	return nil
}

// DatabaseOfWorkflow implements store.Divided.
func (s *Store) DatabaseOfWorkflow(id string) string { return s.home(id).name }

// DatabaseOfSession implements store.Divided. A session that does not exist is one of the default
// database.
func (s *Store) DatabaseOfSession(ctx context.Context, id string) (string, error) {
	d, err := s.locate(ctx, id)
	if err != nil {
		return "", err
	}
	return d.name, nil
}

// DatabaseOfNew implements store.Divided.
func (s *Store) DatabaseOfNew(ctx context.Context, n *store.NewSession) (string, error) {
	d, err := s.homeOfNew(ctx, n)
	if err != nil {
		return "", err
	}
	return d.name, nil
}

// Databases implements store.Divided. It asks each for an answer.
func (s *Store) Databases(ctx context.Context) []store.DatabaseState {
	answers := sideBySide(ctx, s.databases, func(ctx context.Context, d *database) (struct{}, error) { return struct{}{}, d.ping(ctx) })
	list := make([]store.DatabaseState, len(answers))
	for i, a := range answers {
		list[i] = store.DatabaseState{Name: a.of.name, Store: a.of.describe(), Err: a.err}
	}
	return list
}

// DatabaseUse implements store.Divided.
func (s *Store) DatabaseUse() []store.DatabaseUse {
	list := make([]store.DatabaseUse, len(s.databases))
	for i, d := range s.databases {
		_, closed := d.current()
		list[i] = store.DatabaseUse{Name: d.name, Away: closed != nil || d.outage() != nil,
			Calls: d.use.calls.Load(), Failed: d.use.failed.Load(), Took: time.Duration(d.use.took.Load())}
	}
	return list
}

// Store returns the store of one database, nil when there is none of this name or it has not been
// opened yet.
func (s *Store) Store(name string) store.Store {
	for _, d := range s.databases {
		if d.name == name {
			if opened, err := d.current(); err == nil {
				return opened
			}
		}
	}
	return nil
}

// Close ends all use of the databases.
func (s *Store) Close() error {
	s.end()
	s.work.Wait()
	s.dropLate()
	var faults []error
	for _, d := range s.databases {
		if opened, err := d.current(); err == nil {
			faults = append(faults, opened.Close())
		}
	}
	return errors.Join(faults...)
}
