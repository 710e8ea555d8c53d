package sqlite

import (
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// A filter is the WHERE of a list of sessions. It is joined from the fixed texts below,
// because SQLite chooses an index by the text alone: `? IS NULL OR …` would scan always.
type filter struct {
	texts []string
	args  []any
}

func (f *filter) add(text string, args ...any) {
	f.texts = append(f.texts, text)
	f.args = append(f.args, args...)
}

// where returns the filter as the end of a FROM.
func (f *filter) where() string {
	if len(f.texts) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(f.texts, "\n  AND ")
}

// sessionFilter builds the filter of a query, without its page.
func sessionFilter(q engine.SessionQuery) *filter {
	f := &filter{}
	if q.IDs != nil {
		f.add("id IN (SELECT value FROM json_each(?))", list(q.IDs))
	}
	if len(q.Status) > 0 {
		f.status(q.Status)
	}
	if q.Workflow != "" {
		if q.OldestWaiting {
			f.add("+workflow = ?", q.Workflow) // the plus keeps the index on awaiting_since, which gives the order
		} else {
			f.add("workflow = ?", q.Workflow)
		}
	}
	if q.Awaiting || q.OldestWaiting {
		f.add("awaiting_since IS NOT NULL")
	}
	if !q.WaitingBefore.IsZero() {
		f.add("awaiting_since < ?", q.WaitingBefore.UnixMicro())
	}
	if q.Step != "" {
		f.add("awaiting_since IS NOT NULL")
		f.add("EXISTS (SELECT 1 FROM json_each("+awaitingList+") WHERE value ->> 'step' = ?)", q.Step)
	}
	if q.Text != "" {
		f.add("instr(state, ?) > 0", q.Text)
	}
	if len(q.Labels) > 0 {
		f.add(`NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS
    (SELECT 1 FROM json_each(labels) AS has WHERE has.key = wanted.key AND has.value = wanted.value))`, labels(q.Labels))
	}
	if q.Root != "" {
		f.add("root = ?", q.Root)
	}
	if !q.CreatedBefore.IsZero() {
		f.add("created_at < ?", q.CreatedBefore.UnixMicro())
	}
	if !q.CreatedAfter.IsZero() {
		f.add("created_at > ?", q.CreatedAfter.UnixMicro())
	}
	return f
}

// awaitingList is the column as JSON that can be read, whatever is in it.
const awaitingList = "CASE WHEN json_valid(awaiting) THEN awaiting END"

// status asks for statuses. Most sessions of an old database are complete or cancelled,
// so a page of those is soon full in the order of creation. The others are few: they are
// found through the index on workflow and status, workflow by workflow, as otherwise the
// last page would look at every session there is.
func (f *filter) status(statuses []string) {
	for _, s := range statuses {
		if s == engine.StatusComplete || s == engine.StatusCancelled {
			f.add("status IN (SELECT value FROM json_each(?))", list(statuses))
			return
		}
	}
	f.add(`session.rowid IN (
    WITH RECURSIVE known (id) AS (
      SELECT min(workflow) FROM session
      UNION ALL
      SELECT (SELECT min(workflow) FROM session WHERE workflow > known.id) FROM known WHERE known.id IS NOT NULL
    )
    SELECT few.rowid FROM known CROSS JOIN session AS few
      ON few.workflow = known.id AND few.status IN (SELECT value FROM json_each(?)))`, list(statuses))
}

// page adds the order, the row to go on after, and the limit.
func (f *filter) page(q engine.SessionQuery) string {
	order := "created_at DESC, id DESC"
	if q.OldestWaiting {
		order = "awaiting_since, id"
	}
	if !q.After.At.IsZero() || q.After.ID != "" {
		if q.OldestWaiting {
			f.add("(awaiting_since, id) > (?, ?)", q.After.At.UnixMicro(), q.After.ID)
		} else {
			f.add("(created_at, id) < (?, ?)", q.After.At.UnixMicro(), q.After.ID)
		}
	}
	where := f.where()
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	f.args = append(f.args, limit)
	return where + "\nORDER BY " + order + " LIMIT ?"
}

// defaultPage is how many rows a page has when nothing is said.
const defaultPage = 50
