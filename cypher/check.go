package cypher

import (
	"context"
	"fmt"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/engine/store"
)

// checks looks for faults of the database.
type checks struct{ *db }

// Check looks for what only this store can have: migrations to be applied, indexes that
// do not answer, nodes left behind by sessions that are gone, deletions cut off in the
// middle. It scans, and changes nothing.
func (s checks) Check(ctx context.Context) ([]store.Finding, error) {
	slow := *s.db
	slow.options.CallTimeout = 5 * time.Minute // it may scan
	s = checks{&slow}
	var findings []store.Finding
	for _, check := range []func(context.Context) ([]store.Finding, error){s.checkMigrations, s.checkCluster, s.checkIndexes, s.checkOrphans, s.checkDeleting, s.checkReader} {
		found, err := check(ctx)
		if err != nil {
			return findings, err
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// checkReader says with whose rights the queries of workflows run.
func (s checks) checkReader(ctx context.Context) ([]store.Finding, error) {
	rows, err := s.read(ctx, queryEdition, nil)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	edition, second := rows[0].text("edition"), s.reader != s.link
	f := store.Finding{Level: "ok", Code: "reader"}
	switch {
	case edition == "community" && second:
		f.Message = "graph.query runs as " + s.options.ReaderUsername + ", who may do everything: Neo4j Community has no roles. What keeps queries from writing are the checks of the text and of the plan, and the access mode"
	case edition == "community":
		f.Message = "graph.query runs as the engine's own user: Neo4j Community has no roles. What keeps queries from writing are the checks of the text and of the plan, and the access mode"
	case second:
		f.Message = "graph.query runs as " + s.options.ReaderUsername
	default:
		f.Level, f.Message = "warning", "graph.query runs as the engine's own user, who may write"
		f.Mend = "make a user with the role reader and give it as $NEO4J_READER_USERNAME and $NEO4J_READER_PASSWORD"
	}
	return []store.Finding{f}, nil
}

func (s checks) checkMigrations(ctx context.Context) ([]store.Finding, error) {
	wanted, err := migrations()
	if err != nil {
		return nil, err
	}
	rows, err := s.read(ctx, queryMigrations, nil)
	if err != nil {
		return nil, err
	}
	return store.SchemaFindings(allAsStored(wanted), asApplied(rows)), nil
}

// checkCluster says which servers of a cluster answer.
func (s checks) checkCluster(ctx context.Context) ([]store.Finding, error) {
	if !s.followers.routed {
		return nil, nil
	}
	leader, err := s.newest(ctx)
	if err != nil {
		return nil, s.mapTimeout(ctx, err, settled)
	}
	short, cancel := context.WithTimeout(ctx, s.followers.timeout)
	defer cancel()
	_, follower, err := s.at(short, neo4j.AccessModeRead, queryPing, nil)
	switch {
	case err != nil:
		return []store.Finding{{Level: "warning", Code: "cluster", Mend: "check that the followers run, and that engines reach the addresses that the cluster gives out (server.bolt.advertised_address)",
			Message: fmt.Sprintf("%s takes writes, and no follower answers, so lists are read there, too: %v", leader, err)}}, nil
	case follower == leader:
		return []store.Finding{{Level: "ok", Code: "cluster", Message: leader + " takes writes and answers lists: there is no follower"}}, nil
	}
	return []store.Finding{{Level: "ok", Code: "cluster", Message: leader + " takes writes, lists are read from followers such as " + follower}}, nil
}

func (s checks) checkIndexes(ctx context.Context) ([]store.Finding, error) {
	rows, err := s.read(ctx, queryCheckIndexes, nil)
	var findings []store.Finding
	for _, r := range rows {
		findings = append(findings, store.Finding{Level: "error", Code: "index",
			Message: fmt.Sprintf("index %s is %s: what is looked for by it is slow, or missing", r.text("name"), r.text("state")),
			Mend:    "wait while it is POPULATING; if it FAILED, drop it in Neo4j Browser (DROP INDEX " + r.text("name") + ") and make it again as its migration file says"})
	}
	return findings, err
}

func (s checks) checkOrphans(ctx context.Context) ([]store.Finding, error) {
	ties, err := s.read(ctx, queryCountTies, nil)
	if err != nil {
		return nil, err
	}
	labels := []string{"BLOB", "RESULT"} // which sessions have without a relation
	for _, r := range ties {
		if r.number("nodes") > r.number("ties") {
			labels = append(labels, r.text("label"))
		}
	}
	rows, err := s.read(ctx, queryCheckOrphans, params{"labels": labels})
	var findings []store.Finding
	for _, r := range rows {
		if n := r.number("orphans"); n > 0 {
			findings = append(findings, store.Finding{Level: "warning", Code: "orphans",
				Message: fmt.Sprintf("%d %s nodes belong to sessions that are gone, such as %s", n, r.text("label"), r.text("session")),
				Mend: fmt.Sprintf("in Neo4j Browser: MATCH (x:%s) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) } CALL (x) { DETACH DELETE x } IN TRANSACTIONS",
					r.text("label"))})
		}
	}
	return findings, err
}

func (s checks) checkDeleting(ctx context.Context) ([]store.Finding, error) {
	rows, err := s.read(ctx, queryCheckDeleting, nil)
	var findings []store.Finding
	for _, r := range rows {
		findings = append(findings, store.Finding{Level: "warning", Code: "half_deleted", Mend: "stepgraph session delete " + r.text("id"),
			Message: fmt.Sprintf("the deletion of session %s was cut off: part of its history is gone", r.text("id"))})
	}
	return findings, err
}
