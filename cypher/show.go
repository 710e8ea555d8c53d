package cypher

import (
	"context"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/engine/store"
)

// show is read for what is shown: a follower answers it where there is one. Where none answers in
// time, the leader does.
func (s *db) show(ctx context.Context, q statement, p params) ([]row, error) {
	if !store.IsShown(ctx) || !s.followers.askable() {
		return s.read(ctx, q, p)
	}
	rows, err := s.atFollower(ctx, q, p)
	if err == nil {
		return rows, nil
	}
	s.log.Debug("followers are not asked for a while", "query", q.name, "error", err)
	s.followers.restFor(restAfterFault)
	return s.read(ctx, q, p)
}

func (s *db) atFollower(ctx context.Context, q statement, p params) ([]row, error) {
	ctx, cancel := context.WithTimeout(ctx, s.followers.timeout)
	defer cancel()
	leader, err := s.newest(ctx)
	if err != nil {
		return nil, err
	}
	rows, follower, err := s.at(ctx, neo4j.AccessModeRead, q, p)
	if err == nil && follower == leader {
		s.followers.restFor(restAlone)
	}
	return rows, err
}

// newest takes the bookmark of the leader's last commit to the manager, and returns the leader's address.
func (s *db) newest(ctx context.Context) (leader string, err error) {
	_, leader, err = s.at(ctx, neo4j.AccessModeWrite, queryPing, nil)
	return leader, err
}

// at sends one statement once, and returns the address of the server that has answered.
func (s *db) at(ctx context.Context, mode neo4j.AccessMode, q statement, p params) ([]row, string, error) {
	config := s.session
	config.AccessMode = mode
	session := s.link.session(ctx, config)
	defer closeQuietly(ctx, session)
	result, err := session.Run(ctx, q.text, parameters(p), s.transaction(q.name))
	if err != nil {
		return nil, "", err
	}
	rows, err := collect(ctx, result)
	if err != nil {
		return nil, "", err
	}
	summary, err := result.Consume(ctx)
	if err != nil {
		return nil, "", err
	}
	return rows, summary.Server().Address(), nil
}
