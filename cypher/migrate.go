package cypher

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

//go:embed migrations/*.cypher
var migrationFiles embed.FS

// A migration is one numbered file. Its statements are all such that running them again
// changes nothing (IF NOT EXISTS): a run that was cut off is simply made again.
type migration struct {
	version    int64
	name       string // 001_unique
	checksum   string
	statements []string
}

// migrations reads the files in order.
func migrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.cypher")
	if err != nil {
		return nil, err
	}
	var list []migration
	for _, file := range names { // Glob gives them in order
		text, err := migrationFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(path.Base(file), ".cypher")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("migration %s: a name begins with a number and _", name)
		}
		statements := statementsOf(string(text))
		sum := sha256.Sum256([]byte(strings.Join(statements, ";")))
		list = append(list, migration{version, name, hex.EncodeToString(sum[:8]), statements})
	}
	return list, nil
}

// statementsOf splits a migration at semicolons. Migrations are our own files: no text in
// them holds one.
func statementsOf(text string) []string {
	var list []string
	for part := range strings.SplitSeq(withoutComments(text), ";") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// schema holds constraints and indexes.
type schema struct{ *db }

// Migrate brings constraints and indexes up to date and waits until they answer. Engines
// that call it at the same time take turns. It returns the names of what it applied.
func (s schema) Migrate(ctx context.Context) ([]string, error) {
	wanted, err := migrations()
	if err != nil {
		return nil, fmt.Errorf("neo4j: %w", err)
	}
	patient := *s.db
	patient.options.TransactionTimeout = time.Hour // a constraint on a large store takes its time
	patient.options.CallTimeout = time.Hour
	return schema{&patient}.migrate(ctx, wanted)
}

func (s schema) migrate(ctx context.Context, wanted []migration) ([]string, error) {
	if err := s.prepareTurns(ctx, wanted[0]); err != nil {
		return nil, err
	}
	var names []string
	// Schema changes cannot share a transaction with data, so the lock is one transaction
	// and each change another; an engine that dies lets go of the lock with its connection.
	err := s.together(ctx, "migrate", true, func(t transaction) error {
		names = nil
		if _, err := t.query(ctx, queryMigrationsLock, nil); err != nil {
			return err
		}
		applied, err := s.applied(ctx)
		if err != nil {
			return err
		}
		for _, m := range wanted {
			sum, done := applied[m.version]
			if done && sum != m.checksum {
				return fmt.Errorf("migration %s was changed after it had been applied (checksum %s, now %s): add a new file instead", m.name, sum, m.checksum)
			}
			if done {
				continue
			}
			if err := s.apply(ctx, m); err != nil {
				return err
			}
			names = append(names, m.name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, err = s.read(ctx, queryIndexesAwait, params{"seconds": 300})
	return names, err
}

// prepareTurns makes what the lock itself rests on. Several engines may do so at the same
// moment: then all but one are told that it is there.
func (s schema) prepareTurns(ctx context.Context, m migration) error {
	for _, text := range m.statements {
		_, err := s.write(ctx, statement{m.name, text}, nil)
		var answer *neo4j.Neo4jError
		if err != nil && !(errors.As(err, &answer) && schemaIsThere[answer.Code]) {
			return err
		}
	}
	return nil
}

var schemaIsThere = map[string]bool{
	"Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists": true,
	"Neo.ClientError.Schema.ConstraintAlreadyExists":           true,
	"Neo.ClientError.Schema.IndexAlreadyExists":                true,
	"Neo.ClientError.Schema.ConstraintWithNameAlreadyExists":   true,
}

func (s schema) applied(ctx context.Context) (map[int64]string, error) {
	rows, err := s.attempt(ctx, queryMigrations, nil)
	if err != nil {
		return nil, err
	}
	applied := make(map[int64]string, len(rows))
	for _, r := range rows {
		applied[r.number("version")] = r.text("checksum")
	}
	return applied, nil
}

func (s schema) apply(ctx context.Context, m migration) error {
	for _, text := range m.statements {
		if _, err := s.attempt(ctx, statement{m.name, text}, nil); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, s.explain(ctx, text, err))
		}
	}
	_, err := s.attempt(ctx, queryMigrationApplied, params{"version": m.version, "name": m.name, "checksum": m.checksum})
	return err
}

// constrained finds label and property of one of our constraints.
var constrained = regexp.MustCompile(`FOR \(\w+:(\w+)\) REQUIRE \w+\.(\w+) IS UNIQUE`)

// explain adds to the error of a constraint what stands in its way and what to do.
func (s schema) explain(ctx context.Context, text string, cause error) error {
	var answer *neo4j.Neo4jError
	found := constrained.FindStringSubmatch(text)
	if found == nil || !errors.As(cause, &answer) ||
		(answer.Code != codeConstraint && answer.Code != "Neo.DatabaseError.Schema.ConstraintCreationFailed") {
		return cause
	}
	label, property := found[1], found[2]
	rows, err := s.attempt(ctx, queryDuplicates, params{"label": label, "property": property})
	if err != nil || len(rows) == 0 {
		return cause
	}
	var list []string
	for _, r := range rows {
		list = append(list, fmt.Sprintf("%s %q (%d nodes)", property, r.text("value"), len(r.list("nodes"))))
	}
	return fmt.Errorf("several %s nodes share one %s: %s; rename or delete all but one of each in Neo4j Browser, then migrate again: %w",
		label, property, strings.Join(list, ", "), cause)
}
