package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// TestKnownWorkflowsAreCurrent: every change of a workflow, by whoever makes it, is seen by the next
// read of a store that has read the workflow before.
func TestKnownWorkflowsAreCurrent(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "known.db")
	s := openBare(t, file)
	if _, err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	other := openBare(t, file) // as another process, or somebody with an SQLite shell
	read := func() *graph.Workflow {
		t.Helper()
		found, err := s.Workflows(ctx, []string{"w", "w"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch len(found) {
		case 0:
			return nil
		case 1:
			return found[0]
		}
		t.Fatalf("%d workflows", len(found))
		return nil
	}
	change := func(text string) {
		t.Helper()
		err := other.writer.write(ctx, "change", func(tx *tx) error {
			_, err := tx.w.conn.ExecContext(ctx, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read() != nil {
		t.Fatal("a workflow is there before it was made")
	}
	for _, c := range []struct {
		text string
		want func(w *graph.Workflow) bool
	}{
		{`INSERT INTO workflow (id, name) VALUES ('w', 'one')`, func(w *graph.Workflow) bool { return w.Name == "one" }},
		{`UPDATE workflow SET name = 'two' WHERE id = 'w'`, func(w *graph.Workflow) bool { return w.Name == "two" }},
		{`INSERT INTO step (workflow, id, properties) VALUES ('w', 'root', '{"name": "a"}')`, func(w *graph.Workflow) bool { return w.Step("root") != nil }},
		{`UPDATE step SET properties = '{"name": "b"}' WHERE workflow = 'w'`, func(w *graph.Workflow) bool { return w.Step("root").Name == "b" }},
		{`INSERT INTO path (workflow, kind, source, target, properties) VALUES ('w', 'NEXT', 'root', 'root', '{}')`, func(w *graph.Workflow) bool { return len(w.Paths) == 1 }},
		{`UPDATE path SET properties = '{"label": "again"}'`, func(w *graph.Workflow) bool { return w.Paths[0].Label == "again" }},
		{`DELETE FROM path`, func(w *graph.Workflow) bool { return len(w.Paths) == 0 }},
		{`UPDATE step SET workflow = 'v'`, func(w *graph.Workflow) bool { return len(w.Steps) == 0 }},
		{`UPDATE step SET workflow = 'w'`, func(w *graph.Workflow) bool { return len(w.Steps) == 1 }},
		{`DELETE FROM step`, func(w *graph.Workflow) bool { return len(w.Steps) == 0 }},
		{`DELETE FROM workflow`, func(w *graph.Workflow) bool { return w == nil }},
		{`INSERT INTO workflow (id, name) VALUES ('w', 'three')`, func(w *graph.Workflow) bool { return w.Name == "three" }},
	} {
		change(c.text)
		for range 2 { // the second time from memory
			if !c.want(read()) {
				t.Errorf("after %s a read gives %+v", c.text, read())
			}
		}
	}
}
