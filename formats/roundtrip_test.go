package formats_test

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/memory"
)

// randomWorkflows is how many are made in one run of the test.
const randomWorkflows = 2000 / slower

// TestRandomWorkflowsComeBack: what is written and loaded again is the same graph, to every
// property; loading it changes nothing, once or twice.
func TestRandomWorkflowsComeBack(t *testing.T) {
	first := rand.Uint64()
	for i := range uint64(randomWorkflows) {
		for format, outside := range map[string]bool{"cypher": false, "json": true, "yaml": true} {
			comesBack(t, newMaker(first+i).workflow(outside), format)
			if t.Failed() {
				t.Fatalf("format %s, seed %d", format, first+i)
			}
		}
	}
}

// TestFixturesComeBack: so does every workflow that was compiled from another system's file.
func TestFixturesComeBack(t *testing.T) {
	for _, format := range formats.All() {
		if format.Name() == "stepgraph" || format.Name() == "yaml" {
			continue
		}
		workflows := 0
		for _, file := range fixtureFiles(t, format.Name()) {
			text := fixtures.Text(t, file)
			if !format.Recognise(filepath.Base(file), text) {
				continue // what is wanted of a flow, or recorded of it
			}
			l, err := formats.Load(filepath.Base(file), text)
			if err != nil {
				continue // a case that has to be refused
			}
			for i := range l.Workflows {
				workflows++
				l.Workflows[i].Problems = nil
				comesBack(t, &l.Workflows[i], "cypher")
				comesBack(t, &l.Workflows[i], "json")
			}
		}
		checkSome(t, format.Name(), workflows)
	}
}

// checkSome fails a format of which no file was tried. Flowise's only files are its templates,
// which are other people's.
func checkSome(t *testing.T, format string, tried int) {
	t.Helper()
	switch {
	case tried > 0:
	case format == "flowise" && !fixtures.Complete():
		t.Skip("fixtures/flowise/templates is not part of the repository; set STEPGRAPH_SHARED to a folder that has it")
	default:
		t.Errorf("no workflow of %s", format)
	}
}

// fixtureFiles are the recorded files of a format. Those of cypher are LUNA's.
func fixtureFiles(t *testing.T, format string) []string {
	system := format
	if system == "cypher" {
		system = "luna"
	}
	folder := fixtures.Folder(t, system)
	var all []string
	for _, pattern := range []string{"*.*", "*/*.*"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	return all
}

func comesBack(t *testing.T, w *engine.Workflow, format string) {
	t.Helper()
	file, err := formats.Export(w, format)
	if err != nil {
		t.Errorf("workflow %q: %v", w.ID, err)
		return
	}
	l, err := formats.Load("file"+file.Ending, file.Text)
	if err != nil || len(l.Workflows) != 1 {
		t.Errorf("workflow %q: %v, %d workflows in\n%.2000s", w.ID, err, len(l.Workflows), file.Text)
		return
	}
	again := &l.Workflows[0]
	if problems := l.Problems(); len(problems) > 0 {
		t.Errorf("workflow %q: %v in\n%.2000s", w.ID, problems, file.Text)
	}
	same(t, w, again)
	if w.ETag() != again.ETag() {
		t.Errorf("workflow %q: another ETag", w.ID)
	}
	changesNothing(t, w, again)
	if twice, err := formats.Export(again, format); err != nil || string(twice.Text) != string(file.Text) {
		t.Errorf("workflow %q is written otherwise the second time: %v", w.ID, err)
	}
}

// same compares step by step and path by path, so that the one that differs is named.
func same(t *testing.T, want, got *engine.Workflow) {
	t.Helper()
	if want.ID != got.ID || want.Name != got.Name || want.Description != got.Description || !reflect.DeepEqual(want.Settings, got.Settings) || !reflect.DeepEqual(want.Extra, got.Extra) {
		t.Errorf("got the workflow %q %q %q %v %#v\nwant %q %q %q %v %#v", got.ID, got.Name, got.Description, got.Settings, got.Extra, want.ID, want.Name, want.Description, want.Settings, want.Extra)
	}
	if len(want.Steps) != len(got.Steps) || len(want.Paths) != len(got.Paths) {
		t.Errorf("workflow %q: %d steps and %d paths, want %d and %d", want.ID, len(got.Steps), len(got.Paths), len(want.Steps), len(want.Paths))
		return
	}
	for i := range want.Steps {
		a, b := want.Steps[i], got.Steps[i]
		if a.Workflow, b.Workflow = "", ""; !reflect.DeepEqual(a, b) {
			t.Errorf("got the step %#v\nwant %#v", b, a)
		}
	}
	for i := range want.Paths {
		a, b := want.Paths[i], got.Paths[i]
		if a.Ref, b.Ref = "", ""; !reflect.DeepEqual(a, b) {
			t.Errorf("got the path %#v\nwant %#v", b, a)
		}
	}
}

// changesNothing stores a workflow and then, twice, what was read from its file.
func changesNothing(t *testing.T, w, again *engine.Workflow) {
	t.Helper()
	e := engine.New(memory.New(memory.Options{}), engine.NewRegistry(), engine.Options{})
	for _, other := range beside(w) {
		if _, err := e.Put(t.Context(), other, engine.PutOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := e.Put(t.Context(), w, engine.PutOptions{Force: true})
	if err != nil {
		t.Errorf("workflow %q: %v", w.ID, err)
		return
	}
	for range 2 {
		diff, err := e.Put(t.Context(), again, engine.PutOptions{Force: true})
		if err != nil || !diff.Empty() || diff.ETag != first.ETag {
			t.Errorf("workflow %q: loading it changed %+v, %v", w.ID, diff, err)
			return
		}
	}
}

// beside are the other workflows that paths lead into.
func beside(w *engine.Workflow) map[string]*engine.Workflow {
	others := map[string]*engine.Workflow{}
	for _, p := range w.Paths {
		if p.TargetWorkflow == "" {
			continue
		}
		if others[p.TargetWorkflow] == nil {
			others[p.TargetWorkflow] = &engine.Workflow{ID: p.TargetWorkflow}
		}
		if other := others[p.TargetWorkflow]; other.Step(p.Target) == nil {
			other.Steps = append(other.Steps, engine.Step{ID: p.Target})
		}
	}
	return others
}
