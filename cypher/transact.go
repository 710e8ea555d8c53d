package cypher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// A db runs statements and transactions: what all parts of a Store share.
type db struct {
	link    *link
	reader  *link // of queries of workflows; link where there is no second user
	session neo4j.SessionConfig
	// followers answer reads that are shown, in a cluster.
	followers *followers
	options   Options
	log       *slog.Logger
	gate      *store.SchemaGate
	// refused is set from a write that was refused because the database is read-only, until one
	// succeeds: reads do not show it.
	refused *atomic.Bool
}

// read asks something that changes nothing, again where that may help.
func (s *db) read(ctx context.Context, q statement, p params) ([]row, error) {
	c := chain{db: s}
	return c.read(ctx, q, p)
}

// write sends one statement as a transaction of its own, which saves the round trips of
// an explicit one. The statement must be one that may be sent twice: where its answer was
// lost, it is sent again.
//
// A database whose schema does not fit this version is not written to.
func (s *db) write(ctx context.Context, q statement, p params) ([]row, error) {
	if err := s.gate.Refusal(); err != nil {
		return nil, fmt.Errorf("neo4j: %s: %w", q.name, err)
	}
	return s.send(ctx, q, p)
}

// send is write for the schema itself.
func (s *db) send(ctx context.Context, q statement, p params) ([]row, error) {
	var rows []row
	err := s.again(ctx, q.name, func(ctx context.Context) error {
		var err error
		rows, err = s.attempt(ctx, q, p)
		return s.wrote(s.mapTimeout(ctx, err, sent))
	})
	return rows, err
}

// attempt sends one statement once.
func (s *db) attempt(ctx context.Context, q statement, p params) ([]row, error) {
	session := s.link.session(ctx, s.session)
	defer closeQuietly(ctx, session)
	return s.run(ctx, session, q, p)
}

// run sends one statement as a transaction of its own.
func (s *db) run(ctx context.Context, session neo4j.SessionWithContext, q statement, p params) ([]row, error) {
	result, err := session.Run(ctx, q.text, parameters(p), s.transaction(q.name))
	if err != nil {
		return nil, err
	}
	return collect(ctx, result)
}

// transaction names the transaction for SHOW TRANSACTIONS and bounds it.
func (s *db) transaction(name string) func(*neo4j.TransactionConfig) {
	return func(c *neo4j.TransactionConfig) {
		c.Timeout = s.options.TransactionTimeout
		c.Metadata = map[string]any{"app": "stepgraph", "query": name}
	}
}

// transaction is several statements that are kept together or not at all.
type transaction struct {
	tx neo4j.ExplicitTransaction
}

// ask runs one statement in the transaction.
func (t transaction) query(ctx context.Context, q statement, p params) ([]row, error) {
	result, err := t.tx.Run(ctx, q.text, parameters(p))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.name, err)
	}
	rows, err := collect(ctx, result)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.name, err)
	}
	return rows, nil
}

// together does work in one transaction and commits it when work returns nil. With
// repeatable, the transaction is made again where its outcome is unknown: work must then
// recognise what it has written before. It may be called several times in any case.
func (s *db) together(ctx context.Context, name string, repeatable bool, work func(transaction) error) error {
	if err := s.gate.Refusal(); err != nil {
		return fmt.Errorf("neo4j: %s: %w", name, err)
	}
	return s.transact(ctx, name, repeatable, work)
}

// transact is together for the schema itself, and for reads that take locks.
func (s *db) transact(ctx context.Context, name string, repeatable bool, work func(transaction) error) error {
	return s.again(ctx, name, func(ctx context.Context) error {
		err := s.attemptTogether(ctx, name, work)
		if !repeatable && errors.Is(err, store.ErrUnknownOutcome) {
			return final{err}
		}
		return err
	})
}

func (s *db) attemptTogether(ctx context.Context, name string, work func(transaction) error) error {
	session := s.link.session(ctx, s.session)
	defer closeQuietly(ctx, session)
	tx, err := session.BeginTransaction(ctx, s.transaction(name))
	if err != nil {
		return s.mapTimeout(ctx, err, settled)
	}
	if err := work(transaction{tx}); err != nil {
		// The transaction is rolled back when the session closes.
		return s.wrote(s.mapTimeout(ctx, err, settled))
	}
	return s.wrote(s.mapTimeout(ctx, tx.Commit(ctx), sent))
}

// wrote notes what the outcome of a write says of the database.
func (s *db) wrote(err error) error {
	if readOnly := errors.Is(err, store.ErrReadOnly); err == nil || readOnly {
		s.refused.Store(readOnly)
	}
	return err
}

// errCallTimeout is the cause with which a call that has taken too long ends.
var errCallTimeout = errors.New("the server did not answer in time")

// mapTimeout is mapped, for a call that may have come to its own deadline: that is the store's
// trouble and not the caller's, so it may be tried again, on fresh connections.
func (s *db) mapTimeout(ctx context.Context, err error, at stage) error {
	if isBookmark(err) {
		s.followers.marks.forget()
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	err = mapped(err, at)
	if err == nil || context.Cause(ctx) != errCallTimeout {
		return err
	}
	s.followers.marks.forget() // the server may have waited for a commit that it will never have
	s.link.renew()
	if s.reader != s.link {
		s.reader.renew()
	}
	if !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnknownOutcome) {
		err = fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return fmt.Errorf("%w: %w (%s)", store.ErrStoreSlow, err, s.options.CallTimeout)
}

// final marks an error that must not be tried again.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// again calls attempt until it succeeds, fails for good or has been called
// Options.Attempts times, with pauses that grow and differ between callers. Once an
// outcome was unknown it stays so, unless a later attempt settles it.
func (s *db) again(ctx context.Context, name string, attempt func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err // nothing was sent, so this says nothing of outcomes
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.CallTimeout, errCallTimeout)
	defer cancel()
	unknown := false
	for n := 1; ; n++ {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		unknown = unknown || errors.Is(err, store.ErrUnknownOutcome)
		var stop final
		repeat := errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome)
		if errors.As(err, &stop) || !repeat || n == s.options.Attempts || !pause(ctx, n) {
			return named(name, err, unknown)
		}
		s.log.Debug("repeat", "query", name, "attempt", n, "error", err)
	}
}

// named adds the query to the error, and the doubt where an earlier attempt left one.
func named(name string, err error, unknown bool) error {
	var stop final
	if errors.As(err, &stop) {
		err = stop.error
	}
	if unknown && errors.Is(err, store.ErrUnavailable) {
		return fmt.Errorf("neo4j: %s: %w: %w", name, store.ErrUnknownOutcome, unwrapped{err})
	}
	return fmt.Errorf("neo4j: %s: %w", name, err)
}

// unwrapped keeps the text of an error without what it wraps: a call whose outcome is
// unknown is not one that may be called failed.
type unwrapped struct{ error }

// pause waits before attempt n+1: up to 20 ms after the first, doubling, at most 400 ms.
// It reports whether the caller still wants to wait.
func pause(ctx context.Context, n int) bool {
	longest := min(20*time.Millisecond<<(n-1), 400*time.Millisecond)
	return sleep.For(ctx, longest/4+rand.N(longest)) == nil
}

// Now is the database's clock.
func (s *db) Now(ctx context.Context) (time.Time, error) {
	rows, err := s.read(ctx, queryNow, nil)
	if err != nil {
		return time.Time{}, err
	}
	return rows[0].time("now"), nil
}

// closeQuietly gives the connection back, also when ctx has ended. Errors of the close
// add nothing to what the statement said.
func closeQuietly(ctx context.Context, session neo4j.SessionWithContext) {
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = session.Close(deadline)
}

// errOnlyLooked ends a transaction that must leave nothing behind.
var errOnlyLooked = errors.New("only looked")

// locked asks a statement that takes the locks of what it returns and writes nothing else.
func (s *db) locked(ctx context.Context, q statement, p params) (rows []row, err error) {
	err = s.transact(ctx, q.name, true, func(t transaction) error {
		if rows, err = t.query(ctx, q, p); err != nil {
			return err
		}
		return errOnlyLooked
	})
	if errors.Is(err, errOnlyLooked) {
		err = nil
	}
	return rows, err
}

// A chain is reads one after another. Each waits until the server has applied every commit
// that the read before it could have seen in part: the bookmark of a read names the last
// commit that was written to the log, and the server begins the next read when that is applied.
type chain struct {
	db    *db
	after neo4j.Bookmarks
}

// read asks something that changes nothing, again where that may help.
func (c *chain) read(ctx context.Context, q statement, p params) ([]row, error) {
	var rows []row
	err := c.db.again(ctx, q.name, func(ctx context.Context) error {
		config := c.db.session
		config.Bookmarks = c.after
		session := c.db.link.session(ctx, config)
		defer closeQuietly(ctx, session)
		var err error
		if rows, err = c.db.run(ctx, session, q, p); err == nil {
			c.after = session.LastBookmarks()
		}
		return c.db.mapTimeout(ctx, err, settled)
	})
	return rows, err
}
