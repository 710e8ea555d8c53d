package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A reader is a small pool of connections that cannot write. In WAL mode each read sees
// the newest commit and neither waits for the writer nor holds it up.
type reader struct {
	db         *sql.DB
	mu         sync.RWMutex
	statements map[string]*sql.Stmt
	schema     *store.SchemaGate
}

func newReader(address string, connections int, schema *store.SchemaGate) (*reader, error) {
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return &reader{db: db, statements: make(map[string]*sql.Stmt), schema: schema}, nil
}

func (r *reader) close() error { return r.db.Close() }

// statement returns a statement that database/sql compiles once for each connection.
func (r *reader) statement(ctx context.Context, name string) (*sql.Stmt, error) {
	r.mu.RLock()
	s := r.statements[name]
	r.mu.RUnlock()
	if s != nil {
		return s, nil
	}
	s, err := r.db.PrepareContext(ctx, query(name))
	if refusal := r.schema.Refusal(); err != nil && refusal != nil { // a table or column is missing
		return nil, fmt.Errorf("%s: %w", name, refusal)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.statements[name]; first != nil { // another was faster
		_ = s.Close()
		return first, nil
	}
	r.statements[name] = s
	return s, nil
}

// row runs a query for one row; scan gives sql.ErrNoRows when there is none.
func (r *reader) row(ctx context.Context, name string, scan func(scanner) error, args ...any) error {
	s, err := r.statement(ctx, name)
	if err != nil {
		return err
	}
	return scan(s.QueryRowContext(ctx, args...))
}

// each runs a query and calls scan for each row.
func (r *reader) each(ctx context.Context, name string, scan func(scanner) error, args ...any) error {
	s, err := r.statement(ctx, name)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	return eachRow(name, rows, err, scan)
}

// snapshot runs fn in one read transaction: all its queries see the same commit. They are those of
// names, which are compiled before: a transaction that waited for a second connection to compile
// them could wait for ever.
func (r *reader) snapshot(ctx context.Context, names []string, fn func(*snapshot) error) error {
	prepared := make(map[string]*sql.Stmt, len(names))
	for _, name := range names {
		var err error
		if prepared[name], err = r.statement(ctx, name); err != nil {
			return err
		}
	}
	t, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer t.Rollback() // nothing was written; there is nothing to keep
	return fn(&snapshot{ctx: ctx, tx: t, prepared: prepared})
}

// A snapshot is a read transaction.
type snapshot struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
}

// each runs a query and calls scan for each row.
func (s *snapshot) each(name string, scan func(scanner) error, args ...any) error {
	rows, err := s.tx.StmtContext(s.ctx, s.prepared[name]).QueryContext(s.ctx, args...)
	return eachRow(name, rows, err, scan)
}
