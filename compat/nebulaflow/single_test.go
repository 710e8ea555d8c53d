package nebulaflow_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// singleDiffers are the recorded single nodes that are meant to give something else.
var singleDiffers = map[string]string{
	"if-else single with == is false":         "true",               // all four operators are read, in every mode
	"cli single: inserted text is not quoted": "a; echo INJECTED\n", // values are quoted in every mode
}

func TestSingleNodes(t *testing.T) {
	var fixture struct {
		Cases []struct {
			Title    string
			Request  nebulaflow.Single
			Observed observed
		}
	}
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "nebulaflow"), "23-single-node.expected.json"), &fixture)
	if len(fixture.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range fixture.Cases {
		t.Run(c.Title, func(t *testing.T) {
			w, q, err := c.Request.Workflow("one")
			var n struct{ ID string }
			_ = json.Unmarshal(c.Request.Node, &n)
			want := c.Observed.Final[n.ID]
			if err != nil {
				if want.Status != "error" || err.Error() != *want.Result {
					t.Errorf("got %v, want %+v", err, want)
				}
				return
			}
			if other, ok := singleDiffers[c.Title]; ok {
				want = done(other)
			}
			w.Normalize()
			play(t, recordedRun{}, []*engine.Workflow{w}, q).checkNode(t, n.ID, want, recordedRun{})
		})
	}
}
