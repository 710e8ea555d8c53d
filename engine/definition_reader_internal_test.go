package engine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// editedStore has one workflow, whose text is another at each read of an edit.
type editedStore struct {
	Store
	edits int
}

func (s *editedStore) Workflows(_ context.Context, ids []string, _ map[string][]string) ([]*Workflow, error) {
	if len(ids) == 1 && ids[0] == "w" {
		return []*Workflow{{ID: "w", Steps: []Step{{ID: "root", Input: fmt.Sprintf(`{"n": %d}`, s.edits)}}}}, nil
	}
	return nil, nil
}

func (s *editedStore) SaveDefinitions(context.Context, []graph.StoredDefinition) error { return nil }

// TestDefinitionReaderForgets: names that nobody has made a workflow of, and texts that were
// edited away, do not stay in memory.
func TestDefinitionReaderForgets(t *testing.T) {
	store := &editedStore{}
	d := newDefinitionReader(store)
	for i := range 3000 {
		def, err := d.Read(t.Context(), fmt.Sprintf("unknown-%d", i), "")
		if err != nil || !def.Absent {
			t.Fatalf("%+v, %v", def, err)
		}
		store.edits = i
		if _, err := d.Read(t.Context(), "w", ""); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.known) != 1 || len(d.saved) > 2*savedRoom {
		t.Errorf("%d workflows and %d texts are remembered after 3,000 unknown names and 3,000 edits", len(d.known), len(d.saved))
	}
}

// TestDueTimerKeepsNear: sessions that are due much later do not take the room of those due soon.
func TestDueTimerKeepsNear(t *testing.T) {
	d := newDueTimer()
	for range dueTimerRoom + 1 {
		d.add(time.Now().Add(time.Hour))
	}
	soon := time.Now().Add(time.Second)
	d.add(soon)
	if got := d.earliest(time.Now().Add(time.Minute)); !got.Equal(soon) {
		t.Errorf("the earliest is %s, want %s", got, soon)
	}
}
