package sqlite

import (
	"slices"
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

// sessionFilter builds the filter of a query, without its page. Columns are named with
// their table: json_each, which a count joins, has an id and a root too.
func sessionFilter(q engine.SessionQuery) *filter {
	f := &filter{}
	f.questions(q)
	f.status(q)
	if q.IDs != nil {
		f.add("session.id IN (SELECT value FROM json_each(?))", list(q.IDs))
	}
	if q.Workflow != "" {
		f.workflow(q)
	}
	if len(q.Workflows) > 0 {
		f.add(`EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE session.workflow = wanted.value
    OR substr(wanted.value, -1) = '*' AND substr(session.workflow, 1, length(wanted.value) - 1) = substr(wanted.value, 1, length(wanted.value) - 1))`, list(q.Workflows))
	}
	if q.Text != "" {
		f.add("instr(session.state, ?) > 0", q.Text)
	}
	if len(q.Labels) > 0 {
		f.add(`NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS
    (SELECT 1 FROM json_each(session.labels) AS has WHERE has.key = wanted.key AND has.value = wanted.value))`, labels(q.Labels))
	}
	if q.Root != "" {
		f.add("session.root = ?", q.Root)
	}
	if !q.CreatedBefore.IsZero() {
		f.add("session.created_at < ?", q.CreatedBefore.UnixMicro())
	}
	if !q.CreatedAfter.IsZero() {
		f.add("session.created_at > ?", q.CreatedAfter.UnixMicro())
	}
	return f
}

// awaitingList is the column as JSON that can be read, whatever is in it.
const awaitingList = "CASE WHEN json_valid(session.awaiting) THEN session.awaiting END"

// questions asks for open questions. Few sessions of an old database have one: in another
// order than that of their index they are found first and sorted then, as otherwise the
// last page would look at every session there is.
func (f *filter) questions(q engine.SessionQuery) {
	if q.OldestWaiting {
		f.add("session.awaiting_since IS NOT NULL")
	} else if q.Awaiting || q.Step != "" {
		f.add("session.rowid IN (SELECT rowid FROM session WHERE awaiting_since IS NOT NULL)")
	}
	if !q.WaitingBefore.IsZero() {
		f.add("session.awaiting_since < ?", q.WaitingBefore.UnixMicro())
	}
	if q.Step != "" {
		f.add("EXISTS (SELECT 1 FROM json_each("+awaitingList+") WHERE value ->> 'step' = ?)", q.Step)
	}
}

// workflow asks for a workflow. The plus keeps SQLite from its index where another filter
// finds fewer sessions, or gives the order.
func (f *filter) workflow(q engine.SessionQuery) {
	if q.OldestWaiting || q.Awaiting || q.Step != "" || rare(q.Status) {
		f.add("+session.workflow = ?", q.Workflow)
		return
	}
	f.add("session.workflow = ?", q.Workflow)
}

// rare tells whether statuses are asked for that few sessions of an old database have:
// most are complete or cancelled, and a page of those is soon full in any order.
func rare(statuses []string) bool {
	return len(statuses) > 0 && !slices.Contains(statuses, engine.StatusComplete) && !slices.Contains(statuses, engine.StatusCancelled)
}

// status asks for statuses. Rare ones are found through the index on workflow and status,
// workflow by workflow.
func (f *filter) status(q engine.SessionQuery) {
	switch {
	case len(q.Status) == 0:
	case !rare(q.Status) || q.OldestWaiting:
		f.add("session.status IN (SELECT value FROM json_each(?))", list(q.Status))
	case q.Workflow != "":
		f.add(`session.rowid IN (SELECT rowid FROM session WHERE workflow = ? AND status IN (SELECT value FROM json_each(?)))`,
			q.Workflow, list(q.Status))
	default:
		f.add(`session.rowid IN (
    WITH RECURSIVE known (id) AS (
      SELECT min(workflow) FROM session
      UNION ALL
      SELECT (SELECT min(workflow) FROM session WHERE workflow > known.id) FROM known WHERE known.id IS NOT NULL
    )
    SELECT few.rowid FROM known CROSS JOIN session AS few
      ON few.workflow = known.id AND few.status IN (SELECT value FROM json_each(?)))`, list(q.Status))
	}
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
