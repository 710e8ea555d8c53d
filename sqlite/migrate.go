package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed migrations/*.sql
var migrations embed.FS

const migrationTable = `CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID`

// Migrate applies the numbered files that the database has not seen, all in one
// transaction, and returns their names. A database of a newer version is an error: this
// version does not know what its tables mean.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	return s.migrate(ctx, migrations)
}

func (s *Store) migrate(ctx context.Context, files fs.FS) ([]string, error) {
	known, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(known)
	var applied []string
	err = s.writer.write(ctx, "migrate "+s.Describe(), func(t *tx) error {
		applied = nil
		there, err := t.migrationsThere()
		if err != nil {
			return err
		}
		for _, path := range known {
			name := migrationName(path)
			if there[name] {
				delete(there, name)
				continue
			}
			text, err := fs.ReadFile(files, path)
			if err != nil {
				return err
			}
			if err := t.apply(name, string(text)); err != nil {
				return err
			}
			applied = append(applied, name)
		}
		for name := range there {
			return fmt.Errorf("the file has the migration %s, which this version does not know: use the version that made it, or a newer one", name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return applied, nil
}

func migrationName(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
}

// migrationsThere returns the names of what was applied before. Statements of a
// migration run once, so they are not kept compiled.
func (t *tx) migrationsThere() (map[string]bool, error) {
	ctx := context.Background()
	if _, err := t.w.conn.ExecContext(ctx, migrationTable); err != nil {
		return nil, err
	}
	rows, err := t.w.conn.QueryContext(ctx, "SELECT name FROM migration")
	there := make(map[string]bool)
	err = eachRow("migration", rows, err, func(row scanner) error {
		var name string
		err := row.Scan(&name)
		there[name] = true
		return err
	})
	return there, err
}

func (t *tx) apply(name, text string) error {
	ctx := context.Background()
	if _, err := t.w.conn.ExecContext(ctx, text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err := t.w.conn.ExecContext(ctx, "INSERT INTO migration (name, at) VALUES (?, ?)", name, t.now)
	return err
}
