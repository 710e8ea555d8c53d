package memory

import (
	"context"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// Options of a Store. The zero value works.
type Options struct {
	// Now is the store's clock; nil means time.Now.
	Now func() time.Time
}

// A Store is an engine.Store in memory. Its methods return no other errors than those of
// the contract and the context's: memory is never unavailable.
type Store struct {
	clock func() time.Time

	mu       sync.Mutex
	sessions map[string]*session
	due      map[string]*session // those that have a due_at
	pending  map[string]*session // those whose status is pending
	starts   map[string]*session // by the key they were started with

	workflows   map[string]*workflow
	refs        int // the last Ref given
	definitions map[string]engine.StoredDefinition

	engines   []engine.Announcement
	audit     []engine.AuditEntry // by At, then ID
	batches   map[string]*batch
	batchKeys map[string]string // ids of batches by their idempotency key
	duties    map[string]duty   // by name
	turns     map[string]*turn  // of sessions of limited workflows
	lanes     map[string]*lane
}

var _ engine.Store = (*Store)(nil)

// New returns an empty store.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{
		clock:       o.Now,
		sessions:    make(map[string]*session),
		due:         make(map[string]*session),
		pending:     make(map[string]*session),
		starts:      make(map[string]*session),
		workflows:   make(map[string]*workflow),
		definitions: make(map[string]engine.StoredDefinition),
		batches:     make(map[string]*batch),
		batchKeys:   make(map[string]string),
		duties:      make(map[string]duty),
		turns:       make(map[string]*turn),
		lanes:       make(map[string]*lane),
	}
}

// begin starts a transaction: it takes the mutex unless ctx has ended. The caller
// unlocks when there was no error.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	return nil
}

func (s *Store) now() time.Time { return utc(s.clock()) }

// Migrate has nothing to do.
func (s *Store) Migrate(ctx context.Context) ([]string, error) { return nil, ctx.Err() }

// Ping answers as long as ctx lives.
func (s *Store) Ping(ctx context.Context) error { return ctx.Err() }

// Now is the clock of the options.
func (s *Store) Now(ctx context.Context) (time.Time, error) { return s.now(), ctx.Err() }

// Describe returns "memory".
func (s *Store) Describe() string { return "memory" }

// Close keeps the data, so that a test can read it afterwards.
func (s *Store) Close() error { return nil }
