package shard

import (
	"context"
	"maps"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// history is what a session has executed, said, been asked and kept.
type history struct{ *homes }

// Executions reads a session's executions.
func (s history) Executions(ctx context.Context, session string, q store.HistoryQuery) ([]store.Execution, error) {
	return inHome(ctx, s.homes, session, func(st store.Store) ([]store.Execution, error) { return st.Executions(ctx, session, q) })
}

// RecentExecutions reads executions of sessions, of those of one database together.
func (s history) RecentExecutions(ctx context.Context, of []store.ExecutionsBefore, limit int) (map[string][]store.Execution, error) {
	groups, lost := group(ctx, s.homes, of, func(o *store.ExecutionsBefore) string { return o.Session })
	if err := anyOf(lost); err != nil {
		return nil, err
	}
	lists, err := allOrError(askGroups(ctx, groups, func(st store.Store, rows []store.ExecutionsBefore) (map[string][]store.Execution, error) {
		return st.RecentExecutions(ctx, rows, limit)
	}))
	if err != nil {
		return nil, err
	}
	all := make(map[string][]store.Execution, len(of))
	for _, list := range lists {
		maps.Copy(all, list)
	}
	return all, nil
}

// Messages reads a session's chat.
func (s history) Messages(ctx context.Context, session string, q store.HistoryQuery) ([]function.Message, error) {
	return inHome(ctx, s.homes, session, func(st store.Store) ([]function.Message, error) { return st.Messages(ctx, session, q) })
}

// Blobs reads a session's large texts.
func (s history) Blobs(ctx context.Context, session string, hashes []string) (map[string][]byte, error) {
	return inHome(ctx, s.homes, session, func(st store.Store) (map[string][]byte, error) { return st.Blobs(ctx, session, hashes) })
}

// Results reads the outputs of a container's rounds.
func (s history) Results(ctx context.Context, session, step string, visit int) ([]store.StoredResult, error) {
	return inHome(ctx, s.homes, session, func(st store.Store) ([]store.StoredResult, error) { return st.Results(ctx, session, step, visit) })
}

// AllRequests reads a session's requests.
func (s history) AllRequests(ctx context.Context, session string, q store.HistoryQuery) ([]store.Request, error) {
	return inHome(ctx, s.homes, session, func(st store.Store) ([]store.Request, error) { return st.AllRequests(ctx, session, q) })
}
