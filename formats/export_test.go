package formats_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
)

// flow is a small flow of Agent Zero.
const flow = `{"name": "Small", "nodes": [
  {"id": "in", "type": "input", "position": {"x": 0, "y": 0}, "data": {"label": "In"}},
  {"id": "a", "type": "agent", "position": {"x": 1, "y": 0}, "data": {"label": "A"}},
  {"id": "out", "type": "output", "position": {"x": 2, "y": 0}, "data": {"label": "Out"}}],
 "edges": [{"id": "e1", "source": "in", "target": "a"}, {"id": "e2", "source": "a", "target": "out"}]}`

func loadOne(t *testing.T, name, text string) *engine.Workflow {
	t.Helper()
	l, err := formats.Load(name, []byte(text))
	if err != nil || len(l.Workflows) != 1 {
		t.Fatalf("%s: %v, %d workflows", name, err, len(l.Workflows))
	}
	return &l.Workflows[0]
}

// TestExportIsRecognised: what is written is a file of the format it was asked for.
func TestExportIsRecognised(t *testing.T) {
	w := loadOne(t, "small.json", flow)
	for format, want := range map[string]string{"cypher": "cypher", "json": "stepgraph", "agentzero": "agentzero", formats.SourceFormat: "agentzero"} {
		file, err := formats.Export(w, format)
		if err != nil || len(file.Notes) > 0 {
			t.Errorf("%s: %v %v", format, err, file.Notes)
			continue
		}
		again, err := formats.Load("small"+file.Ending, file.Text)
		if err != nil || again.Format != want || len(again.Workflows[0].Steps) != len(w.Steps) {
			t.Fatalf("%s: read back as %s, %v", format, again.Format, err)
		}
		if same, err := formats.Export(&again.Workflows[0], format); err != nil || string(same.Text) != string(file.Text) {
			t.Errorf("%s: written again it is\n%s\nnot\n%s", format, same.Text, file.Text)
		}
		if json := strings.HasPrefix(file.MediaType, "application/json"); json != (file.Ending == ".json") {
			t.Errorf("%s: %s with ending %s", format, file.MediaType, file.Ending)
		}
	}
}

func TestExportNamesWhatDoesNotFit(t *testing.T) {
	w := loadOne(t, "small.json", flow)
	w.Steps = append(w.Steps, engine.Step{ID: "wait", Function: "wait"})
	w.Paths = append(w.Paths, engine.Path{ID: "mine", Stored: true, Kind: engine.Next, Source: "a", Target: "wait", Condition: "x"})
	_, err := formats.Export(w, formats.SourceFormat)
	var misfit *formats.MisfitError
	if !errors.As(err, &misfit) {
		t.Fatalf("got %v", err)
	}
	if misfit.Format != "agentzero" || !strings.HasPrefix(err.Error(), `workflow "small" does not fit the format agentzero any more`) {
		t.Errorf("got %s of %s", err, misfit.Format)
	}
	onPath := func(p engine.Problem) bool { return p.Path == "mine" && p.Level == "error" && p.Code == "unknown_node" }
	if !slices.ContainsFunc(misfit.Problems, onPath) {
		t.Errorf("got %+v", misfit.Problems)
	}
	w.Paths = w.Paths[:len(w.Paths)-1]
	if _, err = formats.Export(w, formats.SourceFormat); !errors.As(err, &misfit) {
		t.Fatalf("got %v", err)
	}
	onStep := func(p engine.Problem) bool { return p.Step == "wait" && p.Level == "error" && p.Code == "does_not_fit" }
	if !slices.ContainsFunc(misfit.Problems, onStep) {
		t.Errorf("got %+v", misfit.Problems)
	}
}

func TestExportRefusesOtherFormats(t *testing.T) {
	foreign := loadOne(t, "small.json", flow)
	own := &engine.Workflow{ID: "own", Steps: []engine.Step{{ID: "root"}}}
	strange := &engine.Workflow{ID: "strange", Extra: map[string]any{formats.PropertySource: "zapper"}}
	for _, c := range []struct {
		w      *engine.Workflow
		format string
		err    error
		text   string
	}{
		{own, "source", formats.ErrOtherSource, "did not come from a file of another system"},
		{own, "callcentre", formats.ErrOtherSource, "only what was loaded from a callcentre file"},
		{foreign, "callcentre", formats.ErrOtherSource, "it is from agentzero, not from callcentre"},
		{own, "visio", formats.ErrUnknownExport, "want cypher, json, "},
		{strange, "source", formats.ErrUnknownExport, `"zapper"`},
	} {
		if _, err := formats.Export(c.w, c.format); !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s as %s: got %v, want %q in it", c.w.ID, c.format, err, c.text)
		}
	}
}

// TestCypherWarnsOfPathsItLeavesOut: a path into another workflow has no place in a file of
// one.
func TestCypherWarnsOfPathsItLeavesOut(t *testing.T) {
	w := &engine.Workflow{ID: "shop", Steps: []engine.Step{{ID: "root"}}, Paths: []engine.Path{
		{Kind: engine.Next, Source: "root", Target: "far", TargetWorkflow: "market"}}}
	w.Normalize()
	file, err := formats.Export(w, "cypher")
	if err != nil || len(file.Notes) != 1 {
		t.Fatalf("got %+v, %v", file.Notes, err)
	}
	if n := file.Notes[0]; n.Level != "warning" || n.Path != "root>far" || n.Code != "path_left_out" {
		t.Errorf("got %+v", n)
	}
}

// TestDrawings: they are written of any workflow, and are no workflow files themselves.
func TestDrawings(t *testing.T) {
	for format, begins := range map[string]string{"mermaid": "---\ntitle: \"Small\"\n---\nflowchart TD\n", "dot": "digraph workflow {\n"} {
		file, err := formats.Export(loadOne(t, "small.json", flow), format)
		if err != nil || !strings.HasPrefix(string(file.Text), begins) || !strings.HasPrefix(file.MediaType, "text/plain") {
			t.Errorf("%s: %v, %s\n%s", format, err, file.MediaType, file.Text)
		}
		if _, err := formats.Load("small"+file.Ending, file.Text); !errors.Is(err, formats.ErrUnknownFormat) {
			t.Errorf("%s is loaded: %v", format, err)
		}
	}
}
