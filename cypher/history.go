package cypher

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// history holds what sessions did: executions, messages, requests and outputs.
type history struct{ *db }

// page asks for a page by number, forward or backward, and returns it in order.
func (s history) page(ctx context.Context, forward, backward statement, session string, q store.HistoryQuery) ([]row, error) {
	limit, statement := q.Limit, forward
	if limit <= 0 {
		limit = 50
	}
	if q.Newest {
		statement = backward
	}
	rows, err := s.show(ctx, statement, params{
		"session": session, "after": q.After, "before": belowOf(q.Before), "limit": limit, "step": optional(q.Step), "lineage": q.Lineage})
	if q.Newest {
		slices.Reverse(rows)
	}
	return rows, err
}

// Executions returns a page of a session's executions.
func (s history) Executions(ctx context.Context, session string, q store.HistoryQuery) ([]store.Execution, error) {
	rows, err := s.page(ctx, queryExecutionsForward, queryExecutionsBackward, session, q)
	list := make([]store.Execution, len(rows))
	for i, r := range rows {
		list[i] = executionFrom(r.properties("item"))
		list[i].Reads, list[i].Took = lineageFrom(r.list("reads")), lineageFrom(r.list("took"))
	}
	return list, err
}

// RecentExecutions returns the newest executions of sessions.
func (s history) RecentExecutions(ctx context.Context, of []store.ExecutionsBefore, limit int) (map[string][]store.Execution, error) {
	found := make(map[string][]store.Execution, len(of))
	if len(of) == 0 {
		return found, nil
	}
	wanted := make([]any, len(of))
	for i, o := range of {
		wanted[i] = params{"session": o.Session, "before": belowOf(o.Before)}
	}
	rows, err := s.show(ctx, queryExecutionsRecent, params{"rows": wanted, "limit": limit})
	for _, r := range rows {
		session := r.text("session")
		found[session] = append(found[session], store.Execution{Session: session, Seq: r.number("seq"), ID: r.text("id"), Step: r.text("step"), Status: r.text("status"),
			StartedAt: r.time("started_at"), FinishedAt: r.time("finished_at"), Usage: r.bytes("usage"), Paths: r.bytes("paths")})
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b store.Execution) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return found, err
}

// belowOf is the number below which a page ends; 0 says that it has no such end.
func belowOf(before int64) int64 {
	if before <= 0 {
		return math.MaxInt64
	}
	return before
}

func executionFrom(p properties) store.Execution {
	return store.Execution{
		ID: p.text("id"), Session: p.text("session"), Seq: p.number("seq"), Workflow: p.text("workflow"), Step: p.text("step"),
		Visit: int(p.number("visit")), Attempt: int(p.number("attempt")), Status: p.text("status"), Function: p.text("function"),
		Input: p.bytes("input"), Output: p.bytes("output"), Error: p.bytes("error"), Paths: p.bytes("paths"), Usage: p.bytes("usage"),
		Parent: p.text("parent"), StartedAt: p.time("started_at"), FinishedAt: p.time("finished_at"), Definition: p.text("definition"),
	}
}

// lineageFrom reads a list of [execution, label].
func lineageFrom(list []any) []store.Lineage {
	var lineage []store.Lineage
	for _, v := range list {
		if pair, _ := v.([]any); len(pair) == 2 {
			lineage = append(lineage, store.Lineage{Execution: asText(pair[0]), Label: asText(pair[1])})
		}
	}
	return lineage
}

// Messages returns a page of a session's chat.
func (s history) Messages(ctx context.Context, session string, q store.HistoryQuery) ([]function.Message, error) {
	rows, err := s.page(ctx, queryMessagesForward, queryMessagesBackward, session, q)
	list := make([]function.Message, len(rows))
	for i, r := range rows {
		p := r.properties("item")
		list[i] = function.Message{ID: p.text("id"), N: p.number("n"), Role: p.text("role"), Content: p.text("content"), Step: p.text("step")}
		if at := p.time("at"); !at.IsZero() {
			list[i].At = at.UnixMilli()
		}
	}
	return list, err
}

// AllRequests returns a page of a session's requests, applied or not.
func (s history) AllRequests(ctx context.Context, session string, q store.HistoryQuery) ([]store.Request, error) {
	rows, err := s.page(ctx, queryRequestsForward, queryRequestsBackward, session, q)
	list := make([]store.Request, len(rows))
	for i, r := range rows {
		list[i] = requestFrom(r.properties("item"))
	}
	return list, err
}

// Blobs returns the texts of the hashes a session has.
func (s history) Blobs(ctx context.Context, session string, hashes []string) (map[string][]byte, error) {
	found := make(map[string][]byte, len(hashes))
	if len(hashes) == 0 {
		return found, nil
	}
	ids := make([]string, len(hashes))
	for i, hash := range hashes {
		ids[i] = blobID(session, hash)
	}
	rows, err := s.read(ctx, queryBlobs, params{"ids": ids})
	for _, r := range rows {
		found[r.text("hash")] = []byte(r.text("text"))
	}
	return found, err
}

// Results returns the outputs of a container's rounds.
func (s history) Results(ctx context.Context, session, step string, visit int) ([]store.StoredResult, error) {
	rows, err := s.read(ctx, queryResults, params{"session": session, "step": step, "visit": visit})
	list := make([]store.StoredResult, len(rows))
	for i, r := range rows {
		list[i] = store.StoredResult{Session: session, Step: step, Visit: visit, Index: int(r.number("index")), Output: []byte(r.text("output"))}
	}
	return list, err
}
