package sqlite

import (
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
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
// their table: what a list or a count is joined with has an id and a workflow too.
func sessionFilter(q store.SessionQuery) *filter {
	f := &filter{}
	f.questions(q)
	if len(q.Status) > 0 {
		f.add("session.status IN (SELECT value FROM json_each(?))", list(q.Status))
	}
	if q.IDs != nil {
		f.add("session.id IN (SELECT value FROM json_each(?))", list(q.IDs))
	}
	if q.Workflow != "" {
		f.add("session.workflow = ?", q.Workflow)
	}
	f.workflows("session", q.Workflows)
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

// workflows asks for one of these workflows; an id that ends in * is a prefix.
func (f *filter) workflows(table string, patterns []string) {
	if len(patterns) == 0 {
		return
	}
	f.add("EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE "+table+`.workflow = wanted.value
    OR substr(wanted.value, -1) = '*' AND substr(`+table+".workflow, 1, length(wanted.value) - 1) = substr(wanted.value, 1, length(wanted.value) - 1))", list(patterns))
}

// waitsAt filters sessions with an open question at a step.
func (f *filter) waitsAt(step string) {
	f.add("EXISTS (SELECT 1 FROM question WHERE question.session = session.id AND question.step = ?)", step)
}

// questions filters sessions with an open question.
func (f *filter) questions(q store.SessionQuery) {
	if q.OldestWaiting || q.Awaiting || q.Step != "" {
		f.add("session.awaiting_since IS NOT NULL")
	}
	if !q.WaitingBefore.IsZero() {
		f.add("session.awaiting_since < ?", q.WaitingBefore.UnixMicro())
	}
	if q.Step != "" {
		f.waitsAt(q.Step)
	}
}
