package memory

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// execution finds an execution number: its index, or where to insert it, and whether it exists.
func (x *session) execution(seq int64) (int, bool) {
	return slices.BinarySearchFunc(x.executions, seq, func(e store.Execution, seq int64) int { return cmp.Compare(e.Seq, seq) })
}

// message does the same for a message number.
func (x *session) message(n int64) (int, bool) {
	return slices.BinarySearchFunc(x.messages, n, func(m function.Message, n int64) int { return cmp.Compare(m.N, n) })
}

// page returns the part of an ordered list that q selects. Nothing is copied.
func page[T any](list []T, q store.HistoryQuery, number func(*T) int64, keep func(*T) bool) []T {
	var in []T
	for i := range list {
		n := number(&list[i])
		if n > q.After && (q.Before <= 0 || n < q.Before) && keep(&list[i]) {
			in = append(in, list[i])
		}
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	limit = min(limit, len(in))
	if q.Newest {
		return in[len(in)-limit:]
	}
	return in[:limit]
}

// history is what a session has executed, said, been asked and kept.
type history struct{ *data }

// Executions returns a page in seq order.
func (s history) Executions(ctx context.Context, id string, q store.HistoryQuery) ([]store.Execution, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		return nil, nil
	}
	list := page(x.executions, q,
		func(e *store.Execution) int64 { return e.Seq },
		func(e *store.Execution) bool { return q.Step == "" || e.Step == q.Step })
	for i := range list {
		list[i] = cloneExecution(list[i])
		if !q.Lineage {
			list[i].Reads, list[i].Took = nil, nil
		}
	}
	return list, nil
}

// RecentExecutions returns the newest executions of sessions.
func (s history) RecentExecutions(ctx context.Context, of []store.ExecutionsBefore, limit int) (map[string][]store.Execution, error) {
	found := make(map[string][]store.Execution, len(of))
	for _, o := range of {
		list, err := s.Executions(ctx, o.Session, store.HistoryQuery{Before: o.Before, Newest: true, Limit: limit})
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			found[o.Session] = list
		}
	}
	return found, nil
}

// related returns the relations whose other end exists.
func (x *session) related(list []store.Lineage) []store.Lineage {
	return slices.DeleteFunc(list, func(l store.Lineage) bool {
		return !x.has(l.Execution)
	})
}

// has reports whether an execution of this session exists, by its id session/seq.
func (x *session) has(id string) bool {
	at := strings.LastIndexByte(id, '/')
	seq, err := strconv.ParseInt(id[at+1:], 10, 64)
	if err != nil {
		return false
	}
	i, found := x.execution(seq)
	return found && x.executions[i].ID == id
}

// Messages returns a page of the chat.
func (s history) Messages(ctx context.Context, id string, q store.HistoryQuery) ([]function.Message, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		return nil, nil
	}
	return page(x.messages, q, func(m *function.Message) int64 { return m.N }, func(*function.Message) bool { return true }), nil
}

// AllRequests returns a page of the inbox.
func (s history) AllRequests(ctx context.Context, id string, q store.HistoryQuery) ([]store.Request, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		return nil, nil
	}
	list := page(x.requests, q, func(r *store.Request) int64 { return r.N }, func(*store.Request) bool { return true })
	for i := range list {
		list[i] = cloneRequest(list[i])
	}
	return list, nil
}

// Blobs returns the texts that are there.
func (s history) Blobs(ctx context.Context, id string, hashes []string) (map[string][]byte, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	out := make(map[string][]byte)
	x := s.sessions[id]
	if x == nil {
		return out, nil
	}
	for _, h := range hashes {
		if text, ok := x.blobs[h]; ok {
			out[h] = slices.Clone(text)
		}
	}
	return out, nil
}

// Results returns the rounds of one visit in index order.
func (s history) Results(ctx context.Context, id, step string, visit int) ([]store.StoredResult, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		return nil, nil
	}
	var out []store.StoredResult
	for r, output := range x.results {
		if r.step == step && r.visit == visit {
			out = append(out, store.StoredResult{Session: id, Step: step, Visit: visit, Index: r.index, Output: slices.Clone(output)})
		}
	}
	sorting.By(out, func(a, b *store.StoredResult) int { return cmp.Compare(a.Index, b.Index) })
	return out, nil
}
