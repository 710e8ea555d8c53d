package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A listing is the statement for one page of sessions. Its cost depends on the rows of the page,
// not on the number of sessions: for each workflow and status (or workflow and step) that the
// query allows, an arm reads the first rows of an index in the order of the page, and the arms are
// merged. Filters without an index (text, a second label) are checked on each row.
type listing struct {
	q     store.SessionQuery
	rest  store.SessionQuery // the filters that the arms do not cover
	limit int
	arms  []arm
	empty bool // no session can be in the page
}

// An arm reads one range of an index: the table to begin with, and its conditions.
type arm struct {
	from  string // "session", or another table that is joined with it
	given []any  // arguments of from
	order [2]string
	where string
	args  []any
}

// mostArms limits the merge; SQLite allows 500 terms. A query that needs more is read in the order
// of the page, and every filter is checked on each row.
const mostArms = 400

var (
	newest = [2]string{"session.created_at", "session.id"}
	oldest = [2]string{"session.awaiting_since", "session.id"}
)

// choose finds the arms of the query.
func (l *listing) choose(ctx context.Context, db *sql.Tx) error {
	q := &l.q
	l.rest = *q
	if q.IDs != nil || q.Root != "" {
		l.plain() // few sessions, found by their own index
		return nil
	}
	if few, err := l.chooseWaiting(ctx, db); few || err != nil {
		return err
	}
	switch {
	case q.Step != "", q.Awaiting && !q.OldestWaiting:
		return l.chooseQuestions(ctx, db)
	case q.OldestWaiting && q.Workflow == "" && len(q.Workflows) == 0:
		l.plain()
		return nil
	case q.OldestWaiting:
		return l.chooseWorkflows(ctx, db, "session.awaiting_since IS NOT NULL", oldest)
	}
	if rare, err := l.chooseLabel(ctx, db); rare || err != nil {
		return err
	}
	if len(q.Status) > 0 {
		return l.chooseStatuses(ctx, db)
	}
	if q.Workflow != "" || len(q.Workflows) > 0 {
		return l.chooseWorkflows(ctx, db, "", newest)
	}
	l.plain()
	return nil
}

// plain replaces the arms by a single one, which reads all sessions in the order of the page; every
// filter is checked on each row.
func (l *listing) plain() {
	l.rest = l.q
	a := arm{from: "session", order: newest, where: "true"}
	if l.q.OldestWaiting {
		a.order = oldest
	}
	if l.q.IDs != nil {
		a.from, l.rest.IDs = sessionsOfIDs, nil
		a.given = []any{list(l.q.IDs)}
	}
	l.arms = []arm{a}
}

// sessionsOfIDs begins with the ids: an index on a workflow or a status may look better to the planner.
const sessionsOfIDs = "json_each(?) AS wanted CROSS JOIN session ON session.id = wanted.value"

func (l *listing) add(a arm) { l.arms = append(l.arms, a) }

// settle uses plain when there are too many arms, and marks the listing empty when there are none.
func (l *listing) settle() {
	if l.empty = len(l.arms) == 0; len(l.arms) > mostArms {
		l.plain()
	}
}

// chooseStatuses has an arm for each workflow and status that has sessions.
func (l *listing) chooseStatuses(ctx context.Context, db *sql.Tx) error {
	l.rest.Workflow, l.rest.Workflows, l.rest.Status = "", nil, nil
	err := eachTally(ctx, db, "status", l.q, func(workflow, status string, _ int64) {
		l.add(arm{from: "session", order: newest, where: "session.workflow = ? AND session.status = ?", args: []any{workflow, status}})
	})
	l.settle()
	return err
}

// chooseWorkflows has an arm for each workflow that has sessions.
func (l *listing) chooseWorkflows(ctx context.Context, db *sql.Tx, where string, order [2]string) error {
	if where != "" {
		where = " AND " + where
	}
	l.rest.Workflow, l.rest.Workflows = "", nil
	q, last := l.q, ""
	q.Status = nil
	err := eachTally(ctx, db, "status", q, func(workflow, _ string, _ int64) {
		if workflow == last && len(l.arms) > 0 {
			return
		}
		last = workflow
		l.add(arm{from: "session", order: order, where: "session.workflow = ?" + where, args: []any{workflow}})
	})
	l.settle()
	return err
}

// chooseQuestions has an arm for each workflow in which something waits at the step, or for
// each such step where none is asked for. A session that waits at two of them is in both arms.
func (l *listing) chooseQuestions(ctx context.Context, db *sql.Tx) error {
	order := [2]string{"question.created_at", "question.session"}
	if l.q.OldestWaiting {
		order[0] = "question.awaiting_since"
	}
	l.rest.Workflow, l.rest.Workflows, l.rest.Step, l.rest.Awaiting = "", nil, "", false
	err := eachTally(ctx, db, "step", l.q, func(workflow, step string, _ int64) {
		l.add(arm{from: "question CROSS JOIN session ON session.id = question.session", order: order,
			where: "question.workflow = ? AND question.step = ?", args: []any{workflow, step}})
	})
	l.settle()
	return err
}

// fewLabelled is how many sessions with one label are few enough to begin with them.
const fewLabelled = 10_000

// chooseLabel begins with a label that few sessions have, if the query asks for one.
func (l *listing) chooseLabel(ctx context.Context, db *sql.Tx) (bool, error) {
	for key, value := range l.q.Labels {
		var n int
		err := db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM label WHERE key = ? AND value = ? LIMIT ?)", key, value, fewLabelled).Scan(&n)
		if err != nil {
			return false, err
		}
		if n < fewLabelled {
			l.add(arm{from: "label CROSS JOIN session ON session.id = label.session", order: [2]string{"label.created_at", "label.session"},
				where: "label.key = ? AND label.value = ?", args: []any{key, value}})
			l.rest.Labels = maps.Clone(l.q.Labels)
			delete(l.rest.Labels, key)
			return true, nil
		}
	}
	return false, nil
}

// fewWaiting is how many sessions that wait since before a time are few enough to be sorted: the indexes that have
// the time of the question do not have the order of the page.
const fewWaiting = 2000

// chooseWaiting begins with the sessions that wait since before a time, if the query asks for them and they are few.
func (l *listing) chooseWaiting(ctx context.Context, db *sql.Tx) (bool, error) {
	if l.q.WaitingBefore.IsZero() || l.q.OldestWaiting { // the order of which is that time
		return false, nil
	}
	from, args := "FROM session AS waiting WHERE waiting.awaiting_since < ?", []any{l.q.WaitingBefore.UnixMicro()}
	if l.q.Workflow != "" {
		from += " AND waiting.workflow = ?"
		args = append(args, l.q.Workflow)
	}
	var n int
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 "+from+" LIMIT ?)", append(args, fewWaiting)...).Scan(&n)
	if err != nil || n >= fewWaiting {
		return false, err
	}
	l.add(arm{from: "(SELECT waiting.rowid AS row " + from + ") AS found CROSS JOIN session ON session.rowid = found.row", given: args, order: newest, where: "true"})
	l.rest.Workflow, l.rest.WaitingBefore = "", time.Time{}
	return true, nil
}

// statement is the merge of the arms, with the columns of the sessions that are in the page.
func (l *listing) statement() (string, []any) {
	merged, args := l.merged(sessionFilter(l.rest))
	state := "NULL"
	if l.q.WithState {
		state = "state"
	}
	return sessionScalars + state + "\nFROM (" + merged + ") AS page CROSS JOIN session ON session.rowid = page.row" + l.order(), args
}

// order is the order of the page.
func (l *listing) order() string {
	if l.q.OldestWaiting {
		return "\nORDER BY at, name"
	}
	return "\nORDER BY at DESC, name DESC"
}

// merged is the merge of the arms: for each session of the page its row, and its place in the order.
func (l *listing) merged(f *filter) (string, []any) {
	var text strings.Builder
	var args []any
	direction, compare := " DESC", "<"
	if l.q.OldestWaiting {
		direction, compare = "", ">"
	}
	for i, a := range l.arms {
		if i > 0 {
			text.WriteString("\nUNION\n")
		}
		where := a.where
		args = append(append(args, a.given...), a.args...)
		if l.q.After.ID != "" || !l.q.After.At.IsZero() {
			where += " AND (" + a.order[0] + ", " + a.order[1] + ") " + compare + " (?, ?)"
			args = append(args, l.q.After.At.UnixMicro(), l.q.After.ID)
		}
		for _, more := range f.texts {
			where += "\n  AND " + more
		}
		args = append(append(args, f.args...), l.limit)
		text.WriteString("SELECT * FROM (SELECT DISTINCT session.rowid AS row, " + a.order[0] + " AS at, " + a.order[1] + " AS name FROM " + a.from +
			"\n  WHERE " + where + "\n  ORDER BY " + a.order[0] + direction + ", " + a.order[1] + direction + " LIMIT ?)")
	}
	return text.String() + l.order() + " LIMIT ?", append(args, l.limit)
}

// bounds are the filters of the rest that bound what an arm reads.
func (l *listing) bounds() store.SessionQuery {
	b := store.SessionQuery{Root: l.rest.Root, CreatedBefore: l.rest.CreatedBefore, CreatedAfter: l.rest.CreatedAfter, OldestWaiting: l.rest.OldestWaiting}
	if l.rest.OldestWaiting {
		b.WaitingBefore = l.rest.WaitingBefore
	}
	return b
}

// covered reports whether the arms read only what fits.
func (l *listing) covered() bool {
	return len(sessionFilter(l.rest).texts) == len(sessionFilter(l.bounds()).texts)
}

// eachTally visits the tallies of a kind that are not zero, for what the query allows, in the order of workflows.
func eachTally(ctx context.Context, db *sql.Tx, kind string, q store.SessionQuery, visit func(workflow, name string, n int64)) error {
	f := &filter{}
	f.add("tally.kind = ?", kind)
	f.add("tally.n > 0")
	if q.Workflow != "" {
		f.add("tally.workflow = ?", q.Workflow)
	}
	f.workflows("tally", q.Workflows)
	if kind == "status" && len(q.Status) > 0 {
		f.add("tally.name IN (SELECT value FROM json_each(?))", list(q.Status))
	}
	if kind == "step" && q.Step != "" {
		f.add("tally.name = ?", q.Step)
	}
	rows, err := db.QueryContext(ctx, "SELECT workflow, name, n FROM tally"+f.where()+"\nORDER BY workflow, name", f.args...)
	return eachRow("tally", rows, err, func(row scanner) error {
		var workflow, name string
		var n int64
		err := row.Scan(&workflow, &name, &n)
		if err == nil {
			visit(workflow, name, n)
		}
		return err
	})
}

// tallied reports whether the kept counts answer a query: it asks for workflows, for statuses
// or for steps, and for nothing else.
func tallied(q store.SessionQuery, by string) bool {
	plain := q.IDs == nil && q.Text == "" && len(q.Labels) == 0 && q.Root == "" && q.CreatedBefore.IsZero() && q.CreatedAfter.IsZero() && q.WaitingBefore.IsZero() && !q.OldestWaiting
	if by == "step" {
		return plain && len(q.Status) == 0 && q.Step == ""
	}
	return plain && !q.Awaiting && q.Step == ""
}

// tally counts from the kept counts.
func (s sessions) tally(ctx context.Context, q store.SessionQuery, by string) (map[string]int64, error) {
	kind := "status"
	if by == "step" {
		kind = "step"
	}
	counted := make(map[string]int64)
	tx, err := s.reader.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fault("count sessions", err)
	}
	defer tx.Rollback()
	err = eachTally(ctx, tx, kind, q, func(workflow, name string, n int64) {
		switch by {
		case "status":
			counted[name] += n
		case "workflow":
			counted[workflow] += n
		case "workflow,status":
			counted[workflow+","+name] += n
		case "step":
			counted[workflow+"/"+name] += n
		}
	})
	if err != nil {
		return nil, fault("count sessions", err)
	}
	return counted, nil
}
