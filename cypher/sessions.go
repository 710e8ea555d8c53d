package cypher

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// sessions are created, read, listed, counted and deleted.
type sessions struct {
	*db
	counts *largeCounts
	few    int // see narrow
}

// Session returns one session with its state.
func (s sessions) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	list, err := s.SessionsByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %s", store.ErrSessionNotFound, id)
	}
	return &list[0], nil
}

// SessionsByID returns the sessions that exist, with their states.
func (s sessions) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.consistent(ctx, distinct(ids))
}

// consistent reads sessions until each is of one version.
func (s sessions) consistent(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	rows, err := s.read(ctx, querySessions, params{"ids": ids})
	if err != nil {
		return nil, err
	}
	list, torn := splitConsistent(nil, rows)
	if len(torn) == 0 {
		return list, nil
	}
	if rows, err = s.read(ctx, querySessions, params{"ids": torn}); err != nil {
		return nil, err
	}
	if list, torn = splitConsistent(list, rows); len(torn) == 0 {
		return list, nil
	}
	rows, err = s.locked(ctx, querySessionsLocked, params{"ids": distinct(torn)}) // in the order of those who lock several
	return append(list, sessionsFrom(rows)...), err
}

func distinct(ids []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

// Children returns the ids of a session's children.
func (s sessions) Children(ctx context.Context, parent string) ([]string, error) {
	rows, err := s.read(ctx, queryChildren, params{"id": parent})
	return textsOf(rows, "id"), err
}

// ListSessions returns one page, by the index that fits the query best.
func (s sessions) ListSessions(ctx context.Context, q store.SessionQuery) ([]store.SessionRecord, error) {
	q, err := narrowByIndex(ctx, s.db, s.few, q)
	if err != nil {
		return nil, err
	}
	return s.page(ctx, q, false)
}

// page reads one page; bare rows have what a cursor is made of and nothing else.
func (s sessions) page(ctx context.Context, q store.SessionQuery, bare bool) ([]store.SessionRecord, error) {
	p := filters(q)
	p["bare"] = bare
	limit := q.Limit
	if limit <= 0 {
		limit = 50
	}
	p["limit"], p["with_state"] = limit, q.WithState
	p["after_at"], p["after_id"] = stamp(q.After.At), q.After.ID
	if q.After.ID != "" && q.After.At.IsZero() { // after a session without created_at
		p["after_at"] = stamp(time.Unix(0, 0))
	}
	if before := q.CreatedBefore; !before.IsZero() && !q.OldestWaiting && (q.After.ID == "" || q.After.At.After(before)) {
		p["after_at"], p["after_id"] = stamp(before), "" // the page begins there: what is newer is not read
	}
	rows, err := s.show(ctx, pageOf(q), p)
	return sessionsFrom(rows), err
}

// Candidates reads the index in whose order the page would be read.
func (s sessions) Candidates(ctx context.Context, q store.SessionQuery, count string) ([]store.Cursor, bool, error) {
	begins := q.After == store.Cursor{}
	c := indexed(q)
	switch {
	case q.IDs != nil, count == "" && (q.Root != "" || slices.Contains(q.Status, "") || reflect.DeepEqual(c, q)),
		count != "" && begins && (q.Root != "" || slices.Contains(q.Status, "") || counted(q) || count == "step" && questionsOnly(q)):
		return nil, true, nil
	case count == "" || begins: // a count that goes on is of what comes after
		few, err := narrowByIndex(ctx, s.db, s.few, q)
		if err != nil || few.IDs != nil {
			return nil, true, err
		}
	}
	rows, err := s.page(ctx, c, true)
	found := make([]store.Cursor, len(rows))
	for i := range rows {
		found[i] = rows[i].Cursor(q.OldestWaiting)
	}
	return found, false, err
}

// indexed is what an index has of a query that names no ids, in the order of the page.
func indexed(q store.SessionQuery) store.SessionQuery {
	c := store.SessionQuery{Workflow: q.Workflow, CreatedBefore: q.CreatedBefore, CreatedAfter: q.CreatedAfter, After: q.After, Limit: q.Limit}
	switch {
	case q.OldestWaiting:
		c.CreatedBefore, c.CreatedAfter = time.Time{}, time.Time{}
		c.OldestWaiting, c.Awaiting, c.WaitingBefore = true, q.Awaiting, q.WaitingBefore
	case len(q.Status) > 0:
		c.Status = q.Status
	default: // sessions that wait are walked to by the server: a page of them is soon full
		c.Awaiting = q.Awaiting || q.Step != ""
	}
	c.WithState = q.WithState
	return c
}

// questionsOnly reports whether the open questions of all sessions, or of those of a workflow, are asked for.
func questionsOnly(q store.SessionQuery) bool {
	q.Awaiting = false
	return len(q.Status) == 0 && counted(q)
}

// pageOf chooses the statement. The index on created_at gives the order for nothing, but walks
// past all that does not fit; statuses have indexes in that order of their own.
func pageOf(q store.SessionQuery) statement {
	switch {
	case q.OldestWaiting && q.IDs != nil:
		return querySessionsWaitingOfIDs
	case q.OldestWaiting && q.Root != "":
		return querySessionsWaitingOfRoot
	case q.OldestWaiting && q.Workflow != "":
		return querySessionsWaitingOfWorkflow
	case q.OldestWaiting:
		return querySessionsWaiting
	case q.IDs != nil:
		return querySessionsOfIDs
	case slices.Contains(q.Status, ""):
		return querySessionsUnadopted
	case q.Root != "":
		return querySessionsOfRoot
	case len(q.Status) > 0 && q.Workflow != "":
		return querySessionsOfWorkflowStatus
	case len(q.Status) > 0 && len(q.Workflows) == 0:
		return querySessionsOfStatus
	case q.Workflow != "" && q.Step == "" && !q.Awaiting:
		return querySessionsOfWorkflow
	}
	return querySessionsNewest
}

// filters are the parameters that all lists and counts share.
func filters(q store.SessionQuery) params {
	p := params{
		"ids": nil, "workflow": optional(q.Workflow), "statuses": nil, "awaiting": q.Awaiting, "step": optional(q.Step),
		"root": optional(q.Root), "created_before": stamp(q.CreatedBefore), "created_after": stamp(q.CreatedAfter),
		"waiting_before": stamp(q.WaitingBefore), "labels": labelTexts(q.Labels), "text": optional(q.Text),
	}
	if q.IDs != nil {
		p["ids"] = distinct(q.IDs)
	}
	p["workflows"], p["prefixes"] = workflowPatterns(q.Workflows)
	if len(q.Status) > 0 {
		p["statuses"] = distinct(q.Status)
	}
	return p
}

// workflowPatterns are ids and prefixes of workflows; nil and nil for no filter.
func workflowPatterns(patterns []string) (ids, prefixes any) {
	if len(patterns) == 0 {
		return nil, nil
	}
	exact, begin := []string{}, []string{}
	for _, pattern := range patterns {
		exact = append(exact, pattern)
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			begin = append(begin, prefix)
			exact = exact[:len(exact)-1]
		}
	}
	return exact, begin
}

// CountSessions counts by status, workflow, "workflow,status" or step.
func (s sessions) CountSessions(ctx context.Context, q store.SessionQuery, by string) (map[string]int64, error) {
	q, err := narrowByIndex(ctx, s.db, s.few, q)
	if err != nil {
		return nil, err
	}
	statement, key, err := countOf(q, by)
	if err != nil {
		return nil, err
	}
	q.Awaiting = q.Awaiting && by != "step" // an open question is what is counted: the count is kept either way
	read := func(ctx context.Context) (map[string]int64, error) {
		rows, err := s.show(ctx, statement, filters(q))
		if err != nil {
			return nil, err
		}
		counts := map[string]int64{}
		for _, r := range rows {
			if by != "step" && len(q.Status) > 0 && !slices.Contains(q.Status, r.text("status")) {
				continue // the counts of all statuses of a workflow are one read of an index
			}
			counts[key(r)] += r.number("sessions") + r.number("questions")
		}
		return counts, nil
	}
	if !counted(q) || by == "step" && len(q.Status) > 0 {
		return read(ctx)
	}
	return s.counts.get(ctx, strings.Join(append([]string{by, q.Workflow}, q.Status...), "\x00"), read)
}

func countOf(q store.SessionQuery, by string) (statement, func(row) string, error) {
	var key func(row) string
	switch by {
	case "status":
		key = func(r row) string { return r.text("status") }
	case "workflow":
		key = func(r row) string { return r.text("workflow") }
	case "workflow,status":
		key = func(r row) string { return r.text("workflow") + "," + r.text("status") }
	case "step":
		key = func(r row) string { return r.text("workflow") + "/" + r.text("step") }
		switch {
		case q.IDs != nil:
			return queryCountQuestionsOfIDs, key, nil
		case q.Root != "":
			return queryCountQuestionsOfRoot, key, nil
		case q.Workflow != "":
			return queryCountQuestionsWorkflow, key, nil
		}
		return queryCountQuestions, key, nil
	default:
		return statement{}, nil, fmt.Errorf("%w: count by %q: want status, workflow, workflow,status or step", store.ErrBadRequest, by)
	}
	switch {
	case q.IDs != nil:
		return queryCountOfIDs, key, nil
	case q.Root != "" && !slices.Contains(q.Status, ""):
		return queryCountOfRoot, key, nil
	case !counted(q):
		return queryCount, key, nil
	case q.Workflow != "":
		return queryCountWorkflow, key, nil
	default:
		return queryCountAll, key, nil
	}
}

// counted reports whether the index on workflow and status has all that a query asks for.
func counted(q store.SessionQuery) bool {
	return q.IDs == nil && !slices.Contains(q.Status, "") && len(q.Workflows) == 0 && !q.Awaiting && q.Step == "" && q.Text == "" && len(q.Labels) == 0 &&
		q.Root == "" && q.CreatedBefore.IsZero() && q.CreatedAfter.IsZero() && q.WaitingBefore.IsZero()
}
