package cypher

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// QueryTexts gives the tests the text of each loaded query by its file's name.
func QueryTexts() map[string]string {
	texts := map[string]string{}
	for _, s := range loadedStatements {
		texts[s.name] = s.text
	}
	return texts
}

// QueryFile gives the tests a query file as it is written, comments too.
func QueryFile(name string) (string, error) {
	b, err := queryFiles.ReadFile("queries/" + name + ".cypher")
	return string(b), err
}

// QueryFiles names all query files there are.
func QueryFiles() ([]string, error) {
	entries, err := queryFiles.ReadDir("queries")
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// PlanOf judges a query by the server's plan alone.
func (s *Store) PlanOf(ctx context.Context, query string) error {
	session := s.link.session(ctx, s.session)
	defer closeQuietly(ctx, session)
	return s.plan(ctx, session, query, nil)
}

// WorkflowsLocked reads workflows as Workflows does once they have changed too often.
func (s *Store) WorkflowsLocked(ctx context.Context, ids []string) (map[string]*graph.Workflow, error) {
	return s.lockedWorkflows(ctx, ids, nil)
}

// Undeclared names the migrations above a number that do not say which engines work beside them.
func Undeclared(above int64) (names []string, err error) {
	all, err := migrations()
	for _, m := range all {
		if m.version > above && m.oldest == 0 {
			names = append(names, m.name)
		}
	}
	return names, err
}

// PageStatement is the text of the query that reads a page.
func PageStatement(q store.SessionQuery) string { return pageOf(q).text }

// CountStatement is the text of the query that counts.
func CountStatement(q store.SessionQuery, by string) string {
	statement, _, err := countOf(q, by)
	if err != nil {
		panic(err)
	}
	return statement.text
}

// LookOneByOne sets how many sessions lists and counts look up one by one at most.
func (s *Store) LookOneByOne(n int) { s.sessions.few = n }

// MigrationStatements gives the tests the statements of a migration.
func MigrationStatements(name string) []string {
	list, err := migrations()
	if err != nil {
		return nil
	}
	for _, m := range list {
		if m.name == name {
			return m.statements
		}
	}
	return nil
}

// WaitForFollowers sets how long a follower has to answer.
func (s *Store) WaitForFollowers(d time.Duration) { s.followers.timeout = d }
