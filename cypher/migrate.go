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
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/engine/store"
)

//go:embed migrations/*.cypher
var migrationFiles embed.FS

// A migration is one numbered file. Its statements are all such that running them again
// changes nothing (IF NOT EXISTS): a run that was cut off is simply made again.
type migration struct {
	version    int64
	name       string // 001_unique
	oldest     int64  // see store.Migration
	checksum   string
	statements []string
}

// asStored is what is compared with the database's migrations.
func (m *migration) asStored() store.Migration {
	return store.Migration{Number: m.version, Name: m.name, Oldest: m.oldest}
}

func allAsStored(list []migration) []store.Migration {
	var all []store.Migration
	for i := range list {
		all = append(all, list[i].asStored())
	}
	return all
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
		list = append(list, migration{version, name, store.OldestEngine(string(text)), hex.EncodeToString(sum[:8]), statements})
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
// that call it at the same time take turns. It returns the names of what it applied. Where nothing
// is to be applied it only reads, so that an engine may run as a user who cannot change the schema.
func (s schema) Migrate(ctx context.Context) ([]string, error) {
	wanted, err := migrations()
	if err != nil {
		return nil, fmt.Errorf("neo4j: %w", err)
	}
	slow := *s.db
	slow.options.TransactionTimeout = time.Hour // a constraint on a large store takes its time
	slow.options.CallTimeout = time.Hour
	names, err := schema{&slow}.migrate(ctx, wanted)
	if s.gate.Note(err) != nil {
		return nil, err
	}
	return names, nil
}

func (s schema) migrate(ctx context.Context, wanted []migration) ([]string, error) {
	var missing []migration
	err := s.again(ctx, queryMigrations.name, func(ctx context.Context) (err error) {
		missing, err = s.missing(ctx, wanted)
		return s.mapTimeout(ctx, err, settled)
	})
	var names []string
	if err == nil && len(missing) > 0 {
		names, err = s.applyMissing(ctx, wanted)
		err = s.explainRefused(ctx, wanted, err)
	}
	if err != nil {
		return nil, err
	}
	_, err = s.read(ctx, queryIndexesAwait, params{"seconds": 300})
	return names, err
}

// applyMissing applies what is missing under a lock. Schema changes cannot share a transaction with
// data, so the lock is one transaction and each change another; an engine that dies lets go of the
// lock with its connection.
func (s schema) applyMissing(ctx context.Context, wanted []migration) (names []string, err error) {
	if err := s.prepareTurns(ctx, wanted[0]); err != nil {
		return nil, err
	}
	err = s.transact(ctx, "migrate", true, func(t transaction) error {
		names = nil
		if _, err := t.query(ctx, queryMigrationsLock, nil); err != nil {
			return err
		}
		missing, err := s.missing(ctx, wanted)
		if err != nil {
			return err
		}
		for _, m := range missing {
			if err := s.apply(ctx, m); err != nil {
				return err
			}
			names = append(names, m.name)
		}
		return nil
	})
	return names, err
}

// explainRefused names the migrations in the way of a user who may not change the schema.
func (s schema) explainRefused(ctx context.Context, wanted []migration, err error) error {
	var answer *neo4j.Neo4jError
	if !errors.As(err, &answer) || answer.Code != "Neo.ClientError.Security.Forbidden" {
		return err
	}
	return errors.Join(s.checkSchema(ctx, wanted), fmt.Errorf("this user may not: %w", err))
}

// missing returns those of the migrations that the database has not.
func (s schema) missing(ctx context.Context, wanted []migration) ([]migration, error) {
	rows, err := s.attempt(ctx, queryMigrations, nil)
	if err != nil {
		return nil, err
	}
	list, err := store.CompareSchema(allAsStored(wanted), asApplied(rows))
	if err != nil {
		return nil, err
	}
	var missing []migration
	for _, m := range wanted {
		if slices.Contains(list, m.asStored()) {
			missing = append(missing, m)
		}
		for _, r := range rows {
			if sum := r.text("checksum"); r.number("version") == m.version && sum != m.checksum {
				return nil, fmt.Errorf("migration %s was changed after it had been applied (checksum %s, now %s): add a new file instead", m.name, sum, m.checksum)
			}
		}
	}
	return missing, nil
}

// asApplied reads the rows of queryMigrations.
func asApplied(rows []row) []store.Migration {
	var list []store.Migration
	for _, r := range rows {
		list = append(list, store.Migration{Number: r.number("version"), Name: r.text("name"), Oldest: r.number("oldest")})
	}
	return list
}

// checkSchema compares the database's migrations with those of this version; see store.Schema.Ping.
func (s schema) checkSchema(ctx context.Context, known []migration) error {
	rows, err := s.read(ctx, queryMigrations, nil)
	if err != nil {
		return err
	}
	return s.gate.Note(store.CheckSchema(allAsStored(known), asApplied(rows)))
}

// prepareTurns makes what the lock itself rests on. Several engines may do so at the same
// moment: then all but one get the error that it exists.
func (s schema) prepareTurns(ctx context.Context, m migration) error {
	for _, text := range m.statements {
		_, err := s.send(ctx, statement{m.name, text}, nil)
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

func (s schema) apply(ctx context.Context, m migration) error {
	for _, text := range m.statements {
		if _, err := s.attempt(ctx, statement{m.name, text}, nil); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, s.explain(ctx, text, err))
		}
	}
	_, err := s.attempt(ctx, queryMigrationApplied, params{"version": m.version, "name": m.name, "checksum": m.checksum, "oldest": m.oldest})
	return err
}

// constrained finds label and property of one of our constraints.
var constrained = regexp.MustCompile(`FOR \(\w+:(\w+)\) REQUIRE \w+\.(\w+) IS UNIQUE`)

// explain adds to the error of a constraint which data violates it and what to do.
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
