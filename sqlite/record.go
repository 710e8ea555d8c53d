package sqlite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A checkpointTx writes checkpoints with what they carry.
type checkpointTx struct{ *tx }

// record writes what a checkpoint carries besides its session's row.
func (t checkpointTx) record(c *store.Checkpoint) error {
	for i := range c.Executions {
		if err := t.execution(c.Session, &c.Executions[i]); err != nil {
			return err
		}
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		if _, err := t.exec("message_create", c.Session, m.N, m.Role, m.Step, m.At, m.Content); err != nil {
			return err
		}
	}
	for _, a := range c.Applied {
		if _, err := t.exec("request_apply", c.Session, strings.TrimPrefix(a.ID, c.Session+"/"), a.Outcome); err != nil {
			return err
		}
	}
	if err := t.children(c); err != nil { // before the outputs, which may be theirs
		return err
	}
	return t.outputs(c)
}

func (t checkpointTx) execution(session string, e *store.Execution) error {
	session = orElse(e.Session, session)
	_, err := t.exec("execution_create", session, e.Seq, e.Workflow, e.Step, e.Visit, e.Attempt, e.Status, e.Function,
		micros(e.StartedAt), micros(e.FinishedAt), e.Definition, e.Parent, text(e.Usage), text(e.Error), text(e.Paths), text(e.Input), text(e.Output),
		text(lineageText(session, e)))
	return err
}

// Kinds of lineage as stored.
const (
	kindRead = "READ"
	kindTook = "TOOK"
)

// lineageText is what an execution has read and taken, as the view lineage reads it.
func lineageText(session string, e *store.Execution) []byte {
	if len(e.Reads)+len(e.Took) == 0 {
		return nil
	}
	b := appendLineage(make([]byte, 0, 64*(len(e.Reads)+len(e.Took))), session, kindRead, e.Reads)
	if b = appendLineage(b, session, kindTook, e.Took); len(b) == 0 {
		return nil
	}
	b[0] = '[' // where the first comma is
	return append(b, ']')
}

// appendLineage appends a comma and a list for each relation to another execution of the session.
func appendLineage(b []byte, session, kind string, all []store.Lineage) []byte {
	for i, l := range all {
		other, ok := seqOf(session, l.Execution)
		if !ok || slices.Contains(all[:i], l) { // of another session: never there
			continue
		}
		b = append(append(append(b, `,["`...), kind...), `",`...)
		b = append(strconv.AppendInt(b, other, 10), ',')
		b = append(jsontext.AppendString(b, l.Label), ']')
	}
	return b
}

// seqOf takes session/seq apart.
func seqOf(session, execution string) (int64, bool) {
	digits, ok := strings.CutPrefix(execution, session+"/")
	if !ok {
		return 0, false
	}
	seq, err := strconv.ParseInt(digits, 10, 64)
	return seq, err == nil
}

// outputs writes blobs and results. Blobs are dropped first: a text may go and come back
// in one checkpoint.
func (t checkpointTx) outputs(c *store.Checkpoint) error {
	for _, hash := range c.DropBlobs {
		if _, err := t.exec("blob_drop", c.Session, hash); err != nil {
			return err
		}
	}
	for i := range c.Blobs {
		b := &c.Blobs[i]
		if _, err := t.exec("blob_create", orElse(b.Session, c.Session), b.Hash, string(b.Text)); err != nil {
			return err
		}
	}
	for i := range c.Results {
		r := &c.Results[i]
		if _, err := t.exec("result_create", orElse(r.Session, c.Session), r.Step, r.Visit, r.Index, string(r.Output)); err != nil {
			return err
		}
	}
	return nil
}

// children creates the sessions a checkpoint starts. One that is there already was
// started by an earlier attempt and stays as it is.
func (t checkpointTx) children(c *store.Checkpoint) error {
	for i := range c.Children {
		child := c.Children[i]
		child.Parent = orElse(child.Parent, c.Session)
		var rec store.SessionRecord
		if _, err := t.createRow(&child, &rec); err != nil {
			return fmt.Errorf("child %s: %w", child.ID, err)
		}
	}
	return nil
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
