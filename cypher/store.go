package cypher

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/notifications"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A Store is an engine.Store on a Neo4j database. It reconnects after an outage of the server;
// calls during the outage return engine.ErrUnavailable. Its methods are those of its parts, one
// for each noun of the contract; the parts share the connections.
//
// Open makes it, Migrate creates or updates the schema, Close ends its connections. Any number of
// goroutines, engines and processes may use one database. A write locks the nodes of its sessions,
// in the order of their ids, and checks version and lease token under the lock. A write whose
// outcome is unknown is repeated only where the repetition is recognised.
type Store struct {
	*db
	auditTrail
	batches
	checks
	commits
	definitions
	engines
	history
	inbox
	leases
	queries
	retention
	schema
	sessions
	turns
	workflows
}

var (
	_ store.Store   = (*Store)(nil)
	_ store.Checker = (*Store)(nil)
)

// newStore puts the parts together.
func newStore(d *db) *Store {
	return &Store{
		db: d, auditTrail: auditTrail{d}, batches: batches{d}, checks: checks{d}, commits: commits{d}, definitions: definitions{d},
		engines: engines{d}, history: history{d}, inbox: inbox{d}, leases: leases{d}, queries: queries{d}, retention: retention{d},
		schema: schema{d}, sessions: sessions{d, newLargeCounts(), fewSessions}, turns: turns{d}, workflows: workflows{d, newKnownWorkflows()},
	}
}

// Open connects and makes sure that the database answers. When it does not, the error
// (engine.ErrUnavailable where trying again may help) names the address and what to
// check. Open changes nothing; see Migrate.
func Open(ctx context.Context, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	link, err := newLink(func() (neo4j.DriverWithContext, error) {
		return neo4j.NewDriverWithContext(o.URI, o.token(), o.configure)
	})
	if err != nil {
		return nil, fmt.Errorf("neo4j %s: %w: want neo4j://, neo4j+s://, bolt:// or bolt+s://, host and port", o.URI, err)
	}
	reader := link
	if o.ReaderUsername != "" {
		reader, err = newLink(func() (neo4j.DriverWithContext, error) {
			return neo4j.NewDriverWithContext(o.URI, neo4j.BasicAuth(o.ReaderUsername, o.ReaderPassword, ""), o.configure)
		})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("neo4j %s: %w", o.URI, err), link.close(ctx))
		}
	}
	s := newStore(&db{link: link, reader: reader, options: o, log: o.Log, gate: &store.SchemaGate{}, followers: newFollowers(o.URI), refused: &atomic.Bool{}, session: neo4j.SessionConfig{
		// Reads go where writes go, too, except those of show: an engine must read what it
		// has just written.
		AccessMode:   neo4j.AccessModeWrite,
		DatabaseName: o.Database,
		FetchSize:    neo4j.FetchAll,
	}})
	if s.followers.routed {
		s.session.BookmarkManager = s.followers.marks
	}
	deadline, cancel := context.WithTimeoutCause(ctx, o.OpenTimeout, fmt.Errorf("no answer within %s", o.OpenTimeout))
	defer cancel()
	if err := errors.Join(s.verify(deadline), s.verifyReader(deadline)); err != nil {
		_ = s.Close() // the other error says more
		return nil, err
	}
	if o.Migrate == nil || *o.Migrate {
		if _, err := s.Migrate(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("neo4j %s: %w", s.Describe(), err), s.Close())
		}
	}
	return s, nil
}

func (o *Options) token() neo4j.AuthToken {
	if o.Username == "" {
		return neo4j.NoAuth()
	}
	return neo4j.BasicAuth(o.Username, o.Password, "")
}

func (o *Options) configure(c *config.Config) {
	c.MaxConnectionPoolSize = o.Connections
	c.ConnectionAcquisitionTimeout = o.AcquireTimeout
	c.SocketConnectTimeout = o.ConnectTimeout
	c.ConnectionLivenessCheckTimeout = 30 * time.Second
	c.MaxTransactionRetryTime = time.Second
	c.UserAgent = "stepgraph/" + o.Version
	c.TelemetryDisabled = true
	c.FetchSize = neo4j.FetchAll
	c.NotificationsMinSeverity = notifications.WarningLevel
	// Neo4j warns of property names that no node has yet; that is expected here.
	c.NotificationsDisabledCategories = notifications.DisableCategories(notifications.Unrecognized)
}

// verify asks the database for an answer and explains its absence. The driver (5.28) also
// needs it: it sets itself up with its first connection, and not for several at once.
func (s *Store) verify(ctx context.Context) error {
	_, err := s.attempt(ctx, queryPing, nil)
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = fmt.Errorf("%w: %w: %w", store.ErrUnavailable, cause, err)
	} else {
		err = mapped(err, settled)
	}
	return fmt.Errorf("neo4j %s: %w: %s", s.options.URI, err, advice(err))
}

// verifyReader signs the second user in, if there is one: its credentials are to be found wrong
// when the engine starts, not when the first query runs.
func (s *Store) verifyReader(ctx context.Context) error {
	if s.reader == s.link {
		return nil
	}
	if err := (*s.reader.driver.Load()).VerifyConnectivity(ctx); err != nil {
		err = mapped(err, settled)
		return fmt.Errorf("neo4j %s: user %s of graph.query: %w: %s", s.options.URI, s.options.ReaderUsername, err, advice(err))
	}
	return nil
}

// Ping returns nil if the database answers and has the migrations of this version. The error is
// store.ErrReadOnly after a write that was refused because of it, until one succeeds, and
// store.ErrNoLeader where only followers of a cluster answer.
func (s *Store) Ping(ctx context.Context) error {
	known, err := migrations()
	if err != nil {
		return err
	}
	if s.followers.routed {
		err = s.pingCluster(ctx, known)
	} else {
		err = s.checkSchema(ctx, known)
	}
	if err == nil && s.refused.Load() {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, store.ErrReadOnly)
	}
	return err
}

// pingCluster asks the leader, then a follower. During an election the driver waits for a leader for as
// long as it may, so a part of the time is left for the follower.
func (s *Store) pingCluster(ctx context.Context, known []migration) error {
	leader := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		leader, cancel = context.WithTimeout(ctx, time.Until(deadline)*2/3)
		defer cancel()
	}
	err := s.checkSchema(leader, known)
	if err == nil || errors.Is(err, store.ErrSchema) {
		return err
	}
	if _, follower, fault := s.at(ctx, neo4j.AccessModeRead, queryPing, nil); fault == nil {
		return fmt.Errorf("%w: %w: %s answers as a follower: %w", store.ErrUnavailable, store.ErrNoLeader, follower, err)
	}
	return err
}

// Describe names the store for people, without the password.
func (s *Store) Describe() string {
	if s.options.Database == "" {
		return s.options.URI
	}
	return s.options.URI + "/" + s.options.Database
}

// closeWithin is how long connections have to say goodbye.
const closeWithin = 5 * time.Second

// Close ends all use of the store and closes its connections.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	s.counts.close()
	err := s.link.close(ctx)
	if s.reader != s.link {
		err = errors.Join(err, s.reader.close(ctx))
	}
	return err
}
