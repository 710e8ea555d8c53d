package memory

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Options of a Store. The zero value works.
type Options struct {
	// Now is the store's clock; nil means time.Now.
	Now func() time.Time
}

// A Store is an engine.Store in memory, for tests and for servers that keep nothing. Its methods
// return only errors of the contract and of the context: memory is never unavailable. They are
// those of its parts, one for each noun of the contract; the parts share the data.
//
// One mutex guards all data, so each call is one transaction. The data are lost with the process.
type Store struct {
	*data
	auditTrail
	batches
	commits
	definitions
	engines
	history
	inbox
	leases
	retention
	sessions
	turns
	workflows
}

var _ store.Store = (*Store)(nil)

// New returns an empty store.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	d := newData(o.Now)
	return &Store{
		data: d, auditTrail: auditTrail{d}, batches: batches{d}, commits: commits{d}, definitions: definitions{d}, engines: engines{d},
		history: history{d}, inbox: inbox{d}, leases: leases{d}, retention: retention{d}, sessions: sessions{d}, turns: turns{d},
		workflows: workflows{d},
	}
}

// Migrate has nothing to do.
func (s *Store) Migrate(ctx context.Context) ([]string, error) { return nil, ctx.Err() }

// Ping answers as long as ctx lives.
func (s *Store) Ping(ctx context.Context) error { return ctx.Err() }

// Describe returns "memory".
func (s *Store) Describe() string { return "memory" }

// Close keeps the data, so that a test can read it afterwards.
func (s *Store) Close() error { return nil }
