package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// history is what a session has executed, said, been asked and kept.
type history struct{ *db }

// pageOf reads a page of one of the numbered lists of a session: always in order, from
// the oldest or, with Newest, from the newest.
func pageOf(ctx context.Context, s history, table, session string, q store.HistoryQuery, add func(scanner) error, more ...any) error {
	below, limit, from := belowOf(q.Before), q.Limit, "_page_oldest"
	if limit <= 0 {
		limit = defaultPage
	}
	if q.Newest {
		from = "_page_newest"
	}
	args := append([]any{session, q.After, below, limit}, more...)
	return fault("read history of session "+session, s.reader.each(ctx, table+from, add, args...))
}

// Executions returns a page of a session's executions in seq order.
func (s history) Executions(ctx context.Context, session string, q store.HistoryQuery) ([]store.Execution, error) {
	var found []store.Execution
	err := pageOf(ctx, s, "execution", session, q, func(row scanner) error {
		var e store.Execution
		err := scanExecution(row, &e)
		found = append(found, e)
		return err
	}, q.Step)
	if err != nil {
		return nil, err
	}
	if q.Newest {
		slices.Reverse(found)
	}
	if q.Lineage && len(found) > 0 {
		err = s.addLineage(ctx, session, found)
	}
	return found, err
}

// RecentExecutions returns the newest executions of sessions.
func (s history) RecentExecutions(ctx context.Context, of []store.ExecutionsBefore, limit int) (map[string][]store.Execution, error) {
	found := make(map[string][]store.Execution, len(of))
	if len(of) == 0 {
		return found, nil
	}
	wanted := make([][2]any, len(of))
	for i, o := range of {
		wanted[i] = [2]any{o.Session, belowOf(o.Before)}
	}
	pairs, err := json.Marshal(wanted)
	if err != nil {
		return nil, err
	}
	err = s.reader.each(ctx, "executions_recent", func(row scanner) error {
		var e store.Execution
		var started, finished sql.NullInt64
		var usage, paths []byte
		err := row.Scan(&e.Session, &e.Seq, &e.Step, &e.Status, &started, &finished, &usage, &paths)
		e.ID, e.StartedAt, e.FinishedAt, e.Usage, e.Paths = numbered(e.Session, e.Seq), fromMicros(started), fromMicros(finished), usage, paths
		found[e.Session] = append(found[e.Session], e)
		return err
	}, string(pairs), limit)
	if err != nil {
		return nil, fault("read executions", err)
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b store.Execution) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return found, nil
}

// belowOf is the number below which a page ends; 0 says that it has no such end.
func belowOf(before int64) int64 {
	if before <= 0 {
		return math.MaxInt64
	}
	return before
}

func scanExecution(row scanner, e *store.Execution) error {
	var started, finished sql.NullInt64
	var usage, failure, paths, input, output []byte
	err := row.Scan(&e.Session, &e.Seq, &e.Workflow, &e.Step, &e.Visit, &e.Attempt, &e.Status, &e.Function, &started, &finished,
		&e.Definition, &e.Parent, &usage, &failure, &paths, &input, &output)
	if err != nil {
		return err
	}
	e.ID = numbered(e.Session, e.Seq)
	e.StartedAt, e.FinishedAt = fromMicros(started), fromMicros(finished)
	e.Usage, e.Error, e.Paths, e.Input, e.Output = usage, failure, paths, input, output
	return nil
}

// numbered is the id of an execution or a message: session/number.
func numbered(session string, n int64) string { return session + "/" + strconv.FormatInt(n, 10) }

// addLineage fills Reads and Took of executions in seq order.
func (s history) addLineage(ctx context.Context, session string, executions []store.Execution) error {
	bySeq := make(map[int64]*store.Execution, len(executions))
	for i := range executions {
		bySeq[executions[i].Seq] = &executions[i]
	}
	err := s.reader.each(ctx, "lineage", func(row scanner) error {
		var seq, other int64
		var kind string
		var l store.Lineage
		if err := row.Scan(&seq, &kind, &other, &l.Label); err != nil {
			return err
		}
		e := bySeq[seq]
		if e == nil { // of another step, which the page leaves out
			return nil
		}
		l.Execution = numbered(session, other)
		if kind == kindRead {
			e.Reads = append(e.Reads, l)
		} else {
			e.Took = append(e.Took, l)
		}
		return nil
	}, session, executions[0].Seq, executions[len(executions)-1].Seq)
	return fault("read lineage of session "+session, err)
}

// Messages returns a page of a session's chat in order.
func (s history) Messages(ctx context.Context, session string, q store.HistoryQuery) ([]function.Message, error) {
	var found []function.Message
	err := pageOf(ctx, s, "message", session, q, func(row scanner) error {
		var m function.Message
		err := row.Scan(&m.N, &m.Role, &m.Step, &m.At, &m.Content)
		m.ID = numbered(session, m.N)
		found = append(found, m)
		return err
	})
	if q.Newest {
		slices.Reverse(found)
	}
	return found, err
}

// AllRequests returns a page of a session's requests in order, applied or not.
func (s history) AllRequests(ctx context.Context, session string, q store.HistoryQuery) ([]store.Request, error) {
	var found []store.Request
	err := pageOf(ctx, s, "request", session, q, func(row scanner) error {
		var r store.Request
		err := scanRequest(row, &r)
		found = append(found, r)
		return err
	})
	if q.Newest {
		slices.Reverse(found)
	}
	return found, err
}

// Blobs returns the texts of the hashes a session has.
func (s history) Blobs(ctx context.Context, session string, hashes []string) (map[string][]byte, error) {
	found := make(map[string][]byte, len(hashes))
	err := s.reader.each(ctx, "blobs", func(row scanner) error {
		var hash string
		var text []byte
		err := row.Scan(&hash, &text)
		found[hash] = text
		return err
	}, session, list(hashes))
	if err != nil {
		return nil, fault("read blobs of session "+session, err)
	}
	return found, nil
}

// Results returns the outputs of a container's rounds in index order.
func (s history) Results(ctx context.Context, session, step string, visit int) ([]store.StoredResult, error) {
	var found []store.StoredResult
	err := s.reader.each(ctx, "results", func(row scanner) error {
		r := store.StoredResult{Session: session, Step: step, Visit: visit}
		err := row.Scan(&r.Index, &r.Output)
		found = append(found, r)
		return err
	}, session, step, visit)
	if err != nil {
		return nil, fault("read results of session "+session, err)
	}
	return found, nil
}
