package refit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/tidwall/gjson"
)

// A system is what this test must know of a format: steps that it can say, which read a step that
// leads to them.
type system struct {
	name   string
	parse  func(string, []byte) (source.File, error)
	export func(*engine.Workflow) ([]byte, []engine.Problem, error)
	files  string
	kind   engine.PathKind
	steps  []func(id, reads string) engine.Step
	from   func(s *engine.Step) bool // whether an added step may follow a step of the file
}

func made(function, input string) func(id, reads string) engine.Step {
	return func(id, reads string) engine.Step {
		x, y := 11.0, 22.0
		return engine.Step{ID: id, Name: "Added " + id, Function: function, Input: strings.ReplaceAll(input, "READS", "@{SESSION_ID}."+reads+".text"), X: &x, Y: &y}
	}
}

func functionIn(names ...string) func(*engine.Step) bool {
	return func(s *engine.Step) bool {
		for _, name := range names {
			if s.Function == name {
				return s.Config != "" && !strings.Contains(s.Config, `"type":"if-else"`)
			}
		}
		return false
	}
}

var systems = []system{
	{"flowise", flowise.Parse, flowise.Export, "flowise/*.json", engine.Next, []func(id, reads string) engine.Step{
		made("template", `{"template": "Well: READS!", "say": true}`), made("api", `{"url": "https://example.com", "method": "POST", "body": {"a": "READS"}}`),
		made("code", `{"language": "javascript", "code": "return $a", "variables": {"$a": "READS"}}`), made("confirm", `{"prompt": "Send READS?"}`),
		made("subflow", `{"workflow": "other", "inputs": {"question": "READS"}}`), made("agent", `{"system": "Be brief.", "prompt": "READS", "temperature": 0.5}`)},
		functionIn("agent", "template", "api", "code")},
	{"nebulaflow", nebulaflow.Parse, nebulaflow.Export, "nebulaflow/*.workflow.json", engine.Next, []func(id, reads string) engine.Step{
		made("template", `{"template": "Well: READS!"}`), made("agent", `{"prompt": "Sum up READS", "system": "Be brief.", "model": "openai/gpt-5.1"}`),
		made("shell", `{"command": ["@text"]}`), made("shell", `{"script": "cat"}`), made("variable", `{"text": "READS", "globals": {"var-x": "READS"}}`)},
		functionIn("agent", "template", "shell", "variable")},
	{"agentzero", agentzero.Parse, agentzero.Export, "agentzero/*.flow.json", engine.Next, []func(id, reads string) engine.Step{
		made("agent", `{"prompt": "Be brief.\n\nREADS"}`), made("agent", `{"prompt": "READS", "profile": "writer", "model": "gpt-4o"}`)},
		functionIn("agent")},
	{"callcentre", callcentre.Parse, callcentre.Export, "callcentre/*.graph.json", engine.Tool, []func(id, reads string) engine.Step{
		made("agent", `{"system": "You know the spa."}`), made("integration", `{}`)}, functionIn("agent")},
}

// Steps that a format can say, added in any number behind any nodes, are written without a
// problem; the file loaded again has them, and is written as the same file. A file that nobody
// has edited stays as it is.
func TestAddedStepsOfAllFormats(t *testing.T) {
	for _, sys := range systems {
		t.Run(sys.name, func(t *testing.T) {
			files, _ := filepath.Glob(filepath.Join(fixtures.Folder(t, filepath.Dir(sys.files)), filepath.Base(sys.files)))
			tried := 0
			for i, name := range files {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				file, err := sys.parse(name, flowOf(text))
				if err != nil || len(file.Workflows) != 1 {
					continue
				}
				tried++
				grow(t, sys, filepath.Base(name), &file.Workflows[0], rand.New(rand.NewPCG(uint64(i), 7)))
			}
			if tried == 0 {
				t.Error("no file was tried")
			}
		})
	}
}

// flowOf is the flow of a recorded case, or the file itself.
func flowOf(text []byte) []byte {
	if flow := gjson.GetBytes(text, "flow"); flow.IsObject() {
		return []byte(flow.Raw)
	}
	return text
}

func grow(t *testing.T, sys system, name string, w *engine.Workflow, r *rand.Rand) {
	before, problems, err := sys.export(w)
	if err != nil || len(problems) > 0 {
		t.Errorf("%s: unedited: %v %v", name, err, problems)
		return
	}
	var sources []string
	for i := range w.Steps {
		if sys.from(&w.Steps[i]) && !looped(w, w.Steps[i].ID) {
			sources = append(sources, w.Steps[i].ID)
		}
	}
	if len(sources) == 0 {
		return
	}
	var added []engine.Step
	for i := range 1 + r.IntN(3) {
		from := sources[r.IntN(len(sources))]
		s := sys.steps[r.IntN(len(sys.steps))](fmt.Sprintf("added-%d", i), from)
		if strings.Contains(s.Input, "@text") { // a command with a value
			s.Input = `{"command": {"@text": ["echo ", "@{SESSION_ID}.` + from + `.text"]}}`
		}
		w.Steps, added = append(w.Steps, s), append(added, s)
		p := engine.Path{ID: "path-" + s.ID, Kind: sys.kind, Source: from, Target: s.ID}
		w.Paths = append(w.Paths, p)
	}
	w.Normalize()
	text, problems, err := sys.export(w)
	if err != nil || len(problems) > 0 {
		t.Errorf("%s: %v: %v %v", name, added, err, problems)
		return
	}
	if bytes.Equal(text, before) {
		t.Errorf("%s: nothing was written", name)
	}
	again, err := sys.parse(name, text)
	if err != nil {
		t.Errorf("%s: the written file is refused: %v\n%s", name, err, text)
		return
	}
	for _, s := range added {
		if got := again.Workflows[0].Step(s.ID); got == nil || !strings.HasPrefix(got.Function+".", s.Function+".") || got.Name != s.Name || *got.X != *s.X {
			t.Errorf("%s: step %s is %+v, want %+v", name, s.ID, got, s)
		}
	}
	second, problems, err := sys.export(&again.Workflows[0])
	if err != nil || len(problems) > 0 || !bytes.Equal(second, text) {
		t.Errorf("%s: written again: %v %v\n%s\nwas\n%s", name, err, problems, second, text)
	}
}

// looped reports whether a step runs in a container, whose ends are its own affair, or is one
// whose answer is chosen.
func looped(w *engine.Workflow, id string) bool {
	for i := range w.Paths {
		if p := &w.Paths[i]; p.Kind == engine.Contains && p.Target == id {
			return true
		}
	}
	return false
}
