package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	lib "modernc.org/sqlite/lib"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A writer is the one connection of a Store that writes. SQLite has one write lock for a file, so
// a second connection could only wait for it, by polling and without an order; here callers wait in
// the process. turn holds a token while no transaction writes: a channel and not a mutex, so that a
// caller whose context ends stops waiting.
//
// It keeps its prepared statements for as long as its connection lives. A fault that leaves the
// connection in doubt closes it, and the next write opens another.
type writer struct {
	db         *sql.DB
	now        func() time.Time
	turn       chan struct{}
	closed     chan struct{} // closed by close, which keeps the turn for good
	conn       *sql.Conn     // nil after a fault that left it in doubt; the next write opens another
	statements map[string]*sql.Stmt
	direct     map[string]directStatement
	args       []driver.NamedValue // of the statement under way
	full       atomic.Bool         // the newest write found the disk full
	schema     *store.SchemaGate
}

// A directStatement is one of the driver, called without database/sql: that locks, copies and checks
// what only the holder of the turn can touch, which took a fifth of the time of a commit.
type directStatement interface {
	driver.Stmt
	driver.StmtExecContext
}

func newWriter(ctx context.Context, address string, now func() time.Time, schema *store.SchemaGate) (*writer, error) {
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	w := &writer{db: db, now: now, turn: make(chan struct{}, 1), closed: make(chan struct{}), schema: schema}
	if err := w.connect(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	w.turn <- struct{}{}
	return w, nil
}

func (w *writer) connect(ctx context.Context) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	w.conn, w.statements, w.direct = conn, make(map[string]*sql.Stmt, len(queries)), make(map[string]directStatement, len(queries))
	return nil
}

var errClosed = errors.New("the store is closed")

// closeWithin is how long the write under way and the last copy of the log may take.
const closeWithin = 10 * time.Second

// close waits for the write under way, for at most closeWithin, and closes the file. A second call
// does nothing.
func (w *writer) close() error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), closeWithin, fmt.Errorf("a write took longer than %s", closeWithin))
	defer cancel()
	if err := w.wait(ctx); err != nil {
		if errors.Is(err, errClosed) {
			return nil
		}
		return fmt.Errorf("close: %w", err)
	}
	close(w.closed)
	var err error
	if w.conn != nil {
		w.closeDirect()
		// Copied back here, the log is empty on disk; another process may keep it busy, then
		// it is copied back later. Either way nothing is lost.
		_, _ = w.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		err = w.conn.Close()
	}
	return errors.Join(err, w.db.Close())
}

// wait waits for the caller's turn.
func (w *writer) wait(ctx context.Context) error {
	select {
	case <-w.turn:
		return nil
	case <-w.closed:
		return errClosed
	case <-ctx.Done():
		return fmt.Errorf("wait for the writer: %w (%w)", ctx.Err(), context.Cause(ctx))
	}
}

// A tx is a write transaction that holds the file's write lock. now is the store's clock,
// read after the lock was taken, in microseconds.
type tx struct {
	w   *writer
	now int64
}

// time is now as a time.
func (t *tx) time() time.Time { return time.UnixMicro(t.now).UTC() }

// write is transact for a file whose schema fits this version; another is not written to.
func (w *writer) write(ctx context.Context, what string, fn func(*tx) error) error {
	if err := w.schema.Refusal(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return w.transact(ctx, what, fn)
}

// transact runs fn in a transaction and commits it; an error of fn undoes all. ctx counts
// until the lock is taken: a write that has begun is short, and stopping it in the middle
// would only make its outcome unknown.
func (w *writer) transact(ctx context.Context, what string, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := w.wait(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer func() { w.turn <- struct{}{} }()
	if w.conn == nil {
		if err := w.connect(ctx); err != nil {
			return fault(what, err)
		}
	}
	if err := w.begin(ctx); err != nil {
		return fault(what, err)
	}
	t := &tx{w: w, now: w.now().UnixMicro()}
	done := false
	defer func() {
		if !done { // fn panicked: the lock must not stay
			w.rollback()
		}
	}()
	err := fn(t)
	if err == nil {
		err = w.commit(what)
	} else {
		w.rollback()
	}
	done = true
	err = fault(what, err)
	w.noteFull(err)
	return err
}

// noteFull remembers whether the newest write found the disk full.
func (w *writer) noteFull(err error) {
	if err == nil || errors.Is(err, store.ErrDiskFull) {
		w.full.Store(err != nil)
	}
}

// touch writes and changes nothing. The table needs a page that the file may not have.
func (t *tx) touch() error {
	_, err := t.w.conn.ExecContext(context.Background(), "CREATE TABLE room_probe (x); DROP TABLE room_probe")
	return err
}

func (w *writer) begin(ctx context.Context) error {
	s, err := w.prepared(beginText)
	if err == nil {
		_, err = s.ExecContext(ctx, nil)
	}
	if err != nil {
		w.rollback() // a context that ends at the wrong moment can leave it open
	}
	return err
}

// commit ends the transaction. Busy means that nothing was written; after any other fault
// the pages may or may not be on the disk.
func (w *writer) commit(what string) error {
	t := &tx{w: w}
	_, err := t.exec(commitText)
	if err == nil {
		return nil
	}
	w.rollback()
	if isBusy(err) || code(err) == lib.SQLITE_FULL {
		return err // nothing of it is in the log
	}
	return fmt.Errorf("%s: commit: %w: %w", what, store.ErrUnknownOutcome, err)
}

// rollback undoes the transaction. SQLite has done so itself after some faults; where it
// cannot be done the connection is thrown away, which undoes it too.
func (w *writer) rollback() {
	_, err := w.conn.ExecContext(context.Background(), "ROLLBACK")
	if err == nil || strings.Contains(err.Error(), "no transaction is active") {
		return
	}
	w.closeDirect()
	// Raw reports the very error it is given; the pool then drops the connection.
	_ = w.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = w.conn.Close()
	w.conn = nil
}

// closeDirect closes the statements that database/sql does not know of.
func (w *writer) closeDirect() {
	for _, s := range w.direct {
		_ = s.Close()
	}
	w.direct = nil
}

// statement returns a compiled query, by the name of its file.
func (t *tx) statement(name string) (*sql.Stmt, error) {
	if s := t.w.statements[name]; s != nil {
		return s, nil
	}
	s, err := t.w.conn.PrepareContext(context.Background(), query(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.w.statements[name] = s
	return s, nil
}

// Statements that are their own names.
const (
	beginText  = "BEGIN IMMEDIATE"
	commitText = "COMMIT"
)

// prepared returns a compiled statement, by the name of its file or as text.
func (w *writer) prepared(name string) (directStatement, error) {
	if s := w.direct[name]; s != nil {
		return s, nil
	}
	text := name
	if name != beginText && name != commitText {
		text = query(name)
	}
	var s directStatement
	err := w.conn.Raw(func(conn any) error {
		prepared, err := conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), text)
		if err != nil {
			return err
		}
		s = prepared.(directStatement)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	w.direct[name] = s
	return s, nil
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(name string, args ...any) (int64, error) {
	s, err := t.w.prepared(name)
	if err != nil {
		return 0, err
	}
	values := t.w.args[:0]
	for i, arg := range args {
		v, err := value(arg)
		if err != nil {
			return 0, fmt.Errorf("%s: parameter %d: %w", name, i+1, err)
		}
		values = append(values, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	t.w.args = values
	r, err := s.ExecContext(context.Background(), values)
	clear(values)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return r.RowsAffected()
}

// value is an argument as the driver takes it.
func value(arg any) (driver.Value, error) {
	switch v := arg.(type) {
	case nil, int64, string, bool:
		return v, nil
	case int:
		return int64(v), nil
	}
	return driver.DefaultParameterConverter.ConvertValue(arg)
}

// row runs a query for one row; scan gives sql.ErrNoRows when there is none.
func (t *tx) row(name string, scan func(scanner) error, args ...any) error {
	s, err := t.statement(name)
	if err != nil {
		return err
	}
	return scan(s.QueryRowContext(context.Background(), args...))
}

// each runs a query and calls scan for each row.
func (t *tx) each(name string, scan func(scanner) error, args ...any) error {
	s, err := t.statement(name)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	return eachRow(name, rows, err, scan)
}

// scanner is a row, alone or of many.
type scanner interface{ Scan(dest ...any) error }

func eachRow(name string, rows *sql.Rows, err error, scan func(scanner) error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return rows.Err()
}
