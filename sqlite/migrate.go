package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

const migrationTable = `CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, at INTEGER NOT NULL, oldest INTEGER) WITHOUT ROWID`

// schema is the tables: their migrations and whether they fit this version.
type schema struct{ *db }

// Migrate applies the numbered files that the database has not seen, all in one
// transaction, and returns their names. A database of a newer version is an error unless
// its migrations say that this version works beside them.
func (s schema) Migrate(ctx context.Context) ([]string, error) {
	return s.migrate(ctx, migrations)
}

func (s schema) migrate(ctx context.Context, files fs.FS) ([]string, error) {
	known, err := knownMigrations(files)
	if err != nil {
		return nil, err
	}
	var applied []string
	err = s.writer.transact(ctx, "migrate "+s.Describe(), func(t *tx) error {
		applied = nil
		there, err := t.prepareMigrations()
		if err != nil {
			return err
		}
		missing, err := store.CompareSchema(known, there)
		if err != nil {
			return err
		}
		for _, m := range missing {
			if err := t.apply(files, m); err != nil {
				return err
			}
			applied = append(applied, m.Name)
		}
		return nil
	})
	if s.gate.Note(err) != nil {
		return nil, err
	}
	return applied, nil
}

// knownMigrations are the migrations of files, in order.
func knownMigrations(files fs.FS) ([]store.Migration, error) {
	paths, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var known []store.Migration
	for _, path := range paths {
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		name := migrationName(path)
		known = append(known, store.Migration{Number: migrationNumber(name), Name: name, Oldest: store.OldestEngine(string(text))})
	}
	return known, nil
}

func migrationName(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
}

func migrationPath(name string) string { return "migrations/" + name + ".sql" }

// migrationNumber is 9 for 0009_turns. A name without a number is a fault in our own files.
func migrationNumber(name string) int64 {
	digits, _, _ := strings.Cut(name, "_")
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// checkSchema compares the file's migrations with those of this version; see store.Schema.Ping.
func (s schema) checkSchema(ctx context.Context) error {
	known, err := knownMigrations(migrations)
	if err != nil {
		return err
	}
	there, err := appliedMigrations(ctx, s.reader.db)
	if err != nil {
		return fault("read migrations", err)
	}
	return s.gate.Note(store.CheckSchema(known, there))
}

// Check says what is wrong with the file's migrations.
func (s schema) Check(ctx context.Context) ([]store.Finding, error) {
	known, err := knownMigrations(migrations)
	if err != nil {
		return nil, err
	}
	there, err := appliedMigrations(ctx, s.reader.db)
	if err != nil {
		return nil, fault("read migrations", err)
	}
	return store.SchemaFindings(known, there), nil
}

// A querier is a connection, or a pool of them.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// appliedMigrations returns what was applied before. Statements of a migration run once, so they
// are not kept compiled.
func appliedMigrations(ctx context.Context, q querier) ([]store.Migration, error) {
	columns, err := migrationColumns(ctx, q)
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	oldest := "0"
	if slices.Contains(columns, "oldest") {
		oldest = "ifnull(oldest, 0)"
	}
	rows, err := q.QueryContext(ctx, "SELECT name, "+oldest+" FROM migration ORDER BY name")
	var there []store.Migration
	err = eachRow("migration", rows, err, func(row scanner) error {
		var m store.Migration
		err := row.Scan(&m.Name, &m.Oldest)
		m.Number = migrationNumber(m.Name)
		there = append(there, m)
		return err
	})
	return there, err
}

// migrationColumns are the columns of the table of migrations, none if it does not exist. The column
// oldest came later than the table.
func migrationColumns(ctx context.Context, q querier) ([]string, error) {
	var names []string
	rows, err := q.QueryContext(ctx, "SELECT name FROM pragma_table_info('migration')")
	err = eachRow("columns of migration", rows, err, func(row scanner) error {
		var name string
		err := row.Scan(&name)
		names = append(names, name)
		return err
	})
	return names, err
}

// prepareMigrations makes the table of migrations complete and returns its rows.
func (t *tx) prepareMigrations() ([]store.Migration, error) {
	ctx := context.Background()
	if _, err := t.w.conn.ExecContext(ctx, migrationTable); err != nil {
		return nil, err
	}
	columns, err := migrationColumns(ctx, t.w.conn)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(columns, "oldest") {
		if _, err := t.w.conn.ExecContext(ctx, "ALTER TABLE migration ADD COLUMN oldest INTEGER"); err != nil {
			return nil, err
		}
	}
	return appliedMigrations(ctx, t.w.conn)
}

func (t *tx) apply(files fs.FS, m store.Migration) error {
	text, err := fs.ReadFile(files, migrationPath(m.Name))
	if err != nil {
		return err
	}
	ctx := context.Background()
	if _, err := t.w.conn.ExecContext(ctx, string(text)); err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	_, err = t.w.conn.ExecContext(ctx, "INSERT INTO migration (name, at, oldest) VALUES (?, ?, nullif(?, 0))", m.Name, t.now, m.Oldest)
	return err
}
