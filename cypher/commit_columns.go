package cypher

import (
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// This file has the rows of commit.cypher, which knows columns by their place.

func checkpointRow(c *store.Checkpoint) []any {
	var question params
	if len(c.Awaiting) > 0 || !c.AwaitingSince.IsZero() {
		question = params{}
		questionProperties(question, c.Awaiting, c.AwaitingSince)
	}
	// Of one value, or of none, which leaves what is stored.
	var state, counters, released, extended []any
	if c.State != nil {
		state = []any{string(c.State)}
	}
	if c.Counters != nil {
		counters = []any{string(c.Counters)}
	}
	switch {
	case c.Release:
		released = []any{stamp(c.DueAt)}
	case c.LeaseFor != 0:
		extended = []any{milliseconds(c.LeaseFor)}
	}
	return []any{
		c.Session, c.Version, c.Lease, c.Closing, c.Seen, // 0 to 4: the guard
		c.Transition, optional(c.Status), checkpointSeal(c), state, counters, optional(c.Tried), // 5 to 10
		question["awaiting"], question["awaiting_since"], question["awaiting_steps"], question["awaiting_step"], // 11 to 14
		released, extended, messageRows(c), appliedRows(c), executionRows(c), // 15 to 19
	}
}

func executionRows(c *store.Checkpoint) []any {
	rows := make([]any, len(c.Executions))
	for i := range c.Executions {
		e := &c.Executions[i]
		rows[i] = []any{
			executionID(e, c.Session), e.Seq, e.Workflow, e.Step, e.Visit, e.Attempt, e.Status, // 0 to 6
			optional(e.Function), optional(e.Input), optional(e.Output), optional(e.Error), optional(e.Paths), // 7 to 11
			optional(e.Usage), optional(e.Parent), optional(e.Definition), stamp(e.StartedAt), stamp(e.FinishedAt), linkRows(e), // 12 to 17
		}
	}
	return rows
}

func executionID(e *store.Execution, session string) string {
	if e.ID != "" {
		return e.ID
	}
	return session + "/" + strconv.FormatInt(e.Seq, 10)
}

// linkRows are the relations of an execution, one row for each execution at their other end,
// which is looked up once: its id, the labels of READ, which leads from the execution to what
// it read, and those of TOOK, which leads to the execution from the one a path left.
func linkRows(e *store.Execution) []any {
	if len(e.Reads)+len(e.Took) == 0 {
		return nil
	}
	rows := make([]any, 0, len(e.Reads)+len(e.Took))
	at := map[string][]any{}
	add := func(lineage []store.Lineage, column int) {
		for _, l := range lineage {
			row := at[l.Execution]
			if row == nil {
				row = []any{l.Execution, []string(nil), []string(nil)}
				at[l.Execution], rows = row, append(rows, row)
			}
			row[column] = append(row[column].([]string), l.Label)
		}
	}
	add(e.Reads, 1)
	add(e.Took, 2)
	return rows
}

func messageRows(c *store.Checkpoint) []any {
	rows := make([]any, len(c.Messages))
	for i := range c.Messages {
		m := &c.Messages[i]
		p := params{"id": m.ID, "session": c.Session, "n": m.N, "role": m.Role, "content": m.Content}
		if m.ID == "" {
			p["id"] = c.Session + "/" + strconv.FormatInt(m.N, 10)
		}
		setText(p, "step", m.Step)
		if m.At != 0 {
			p["at"] = stamp(time.UnixMilli(m.At))
		}
		rows[i] = p
	}
	return rows
}

// setText leaves out what is empty: it need not travel.
func setText[T ~string | ~[]byte](p params, name string, text T) {
	if len(text) > 0 {
		p[name] = string(text)
	}
}

func appliedRows(c *store.Checkpoint) []any {
	rows := make([]any, len(c.Applied))
	for i, a := range c.Applied {
		rows[i] = []any{a.ID, optional(a.Outcome)}
	}
	return rows
}
