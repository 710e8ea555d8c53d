package cypherfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

func mustParse(t *testing.T, src string) *File {
	t.Helper()
	f, err := Parse("x.cypher", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestStepsPathsAndLines(t *testing.T) {
	f := mustParse(t, `// a loop
CREATE (root:STEP {id: 'root'})-[:NEXT]->(ask:STEP {
  id: 'ask', function: 'request', input: '{"prompt": "it\'s?"}',
  x: 12, y: 3.5, colour: "red"
});
MATCH (a:STEP {id: 'ask'}), (r:STEP {id: 'root'})
CREATE (a)-[:NEXT {condition: ["@{SESSION_ID}.ask.response"], priority: 2, back: true}]->(r);
`)
	if len(f.Workflows) != 1 || len(f.Notes) != 0 {
		t.Fatalf("%+v", f)
	}
	x, y, two := 12.0, 3.5, 2.0
	want := engine.Workflow{
		Steps: []engine.Step{
			{ID: "ask", Function: "request", Input: `{"prompt": "it's?"}`, X: &x, Y: &y, Extra: map[string]any{"colour": "red"}},
			{ID: "root"},
		},
		Paths: []engine.Path{
			{ID: "ask>root", Kind: engine.Next, Source: "ask", Target: "root", Condition: []any{"@{SESSION_ID}.ask.response"}, Priority: &two, Back: true},
			{ID: "root>ask", Kind: engine.Next, Source: "root", Target: "ask"},
		},
	}
	if !reflect.DeepEqual(f.Workflows[0], want) {
		t.Errorf("got  %+v\nwant %+v", f.Workflows[0], want)
	}
	lines := Lines{Steps: map[string]int{"root": 2, "ask": 2}, Paths: map[string]int{"root>ask": 2, "ask>root": 7}}
	if !reflect.DeepEqual(f.Lines[0], lines) {
		t.Errorf("lines %+v", f.Lines[0])
	}
}

func TestSeveralWorkflows(t *testing.T) {
	f := mustParse(t, `
CREATE (:WORKFLOW {id: 'b', name: 'Bee', description: 'hums', settings: '{"max_steps": 9}', owner: 'me'}), (:WORKFLOW {id: 'c'});
CREATE (x:STEP {id: 'x', workflow: 'b'})-[:NEXT]->(y:STEP {id: 'y'}), (z:STEP {id: 'x', workflow: 'a'})-[:TOOL]->(x), (x)-[:CONTAINS]->(:STEP {id: 'w', workflow: 'b'})`)
	var got []string
	for _, w := range f.Workflows {
		line := fmt.Sprintf("%s %q %d", w.ID, w.Name, len(w.Steps))
		for _, p := range w.Paths {
			line += fmt.Sprintf(" %s@%s", p.ID, p.TargetWorkflow)
		}
		got = append(got, line)
	}
	want := []string{` "" 1`, `a "" 1 x>x:TOOL@b`, `b "Bee" 2 x>y@default x>w:CONTAINS@`, `c "" 0`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if b := f.Workflows[2]; b.Description != "hums" || b.Settings.MaxSteps != 9 || b.Extra["owner"] != "me" {
		t.Errorf("%+v", b)
	}
}

func TestTheOnlyWorkflowNodeNamesTheSteps(t *testing.T) {
	f := mustParse(t, `CREATE (:WORKFLOW {id: 'shop', name: 'Shop'}), (:STEP {id: 'root'})`)
	if len(f.Workflows) != 1 || f.Workflows[0].ID != "shop" || f.Workflows[0].Name != "Shop" || len(f.Workflows[0].Steps) != 1 {
		t.Errorf("%+v", f.Workflows)
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"CREATE (a:STEP {id: 'a'})\nCREATE (b:STEP {id: 'b'})\nCREATE (a)-[:NEXT]->(c)", "warning a  3 unlabelled_target"},
		{"CREATE (a:STEP {id: 'a'}), (m:STEP {id: 'b'})\nCREATE (a)-[:NEXT]->(b)", "warning a  2 unlabelled_target"},
		{"CREATE (a:STEP {id: 'a'}),\n (:Note {text: 'x'})", "warning   2 other_node"},
		{"CREATE (a:Step {id: 'a'})", "warning   1 label_case"},
		{"CREATE (a {id: 'a'})", "warning   1 unlabelled_node"},
		{"CREATE (a:STEP {id: 'a'})-[:next]->(a)", "warning a  1 other_relationship"},
		{"CREATE (a:STEP {id: 'a'})-[:NEXT]->(:Note)", "warning a  1 other_relationship,warning   1 other_node"},
		{"CREATE (a:STEP:Hot {id: 'a'})", "warning a  1 extra_label"},
		{"CREATE (a:STEP {name: 'a'})", "error   1 step_without_id"},
		{"CREATE (a:STEP {id: 'a'});\nCREATE (a:STEP {id: 'a'})", "error a  2 duplicate_step"},
		{"CREATE (a:STEP {id: 'a', input: ['x']})", "error a  1 property_type"},
		{"CREATE (a:STEP {id: 'a'})\nCREATE (a)-[:NEXT {id: 'p', priority: 'high'}]->(a)", "error a p 2 property_type"},
		{"CREATE (:WORKFLOW {id: 'a', settings: '{'})", "error   1 settings_unreadable"},
		{"CREATE (:WORKFLOW {id: 'a'}),\n(:WORKFLOW {id: 'a'})", "error   2 duplicate_workflow"},
		{"CREATE CONSTRAINT c IF NOT EXISTS FOR (s:STEP) REQUIRE s.id IS UNIQUE; DROP INDEX i", "warning   1 schema_left_out,warning   1 schema_left_out"},
		{"CREATE RANGE INDEX FOR (n:STEP) ON (n.id)", "warning   1 schema_left_out"},
	} {
		f := mustParse(t, c.src)
		var got []string
		for _, w := range f.Workflows {
			for _, p := range w.Problems {
				got = append(got, fmt.Sprintf("%s %s %s %d %s", p.Level, p.Step, p.Path, p.Line, p.Code))
			}
		}
		for _, p := range f.Notes {
			got = append(got, fmt.Sprintf("%s %s %s %d %s", p.Level, p.Step, p.Path, p.Line, p.Code))
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, strings.Join(got, ","), c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "errors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(strings.TrimSpace(string(b)), "\n====\n") {
		src, want, _ := strings.Cut(block, "\n----\n")
		_, err := Parse("x.cypher", []byte(src))
		if err == nil || err.Error() != "x.cypher:"+want {
			t.Errorf("%s\ngot  %v\nwant x.cypher:%s", src, err, want)
		}
	}
}

func TestDeleteLooksAtTheEndOfTheStatement(t *testing.T) {
	mustParse(t, "CREATE (a)-[r:R]->(b) DELETE a, r, b")
	if _, err := Parse("x", []byte("CREATE (a)-[r:R]->(b)\nDELETE a")); err == nil || !strings.HasPrefix(err.Error(), "x:2:1: ") {
		t.Errorf("got %v", err)
	}
}

func TestBounds(t *testing.T) {
	for name, src := range map[string]string{
		"lists":      "CREATE ({x: " + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5) + "})",
		"brackets":   "CREATE ({x: " + strings.Repeat("(", 1e5) + "1" + strings.Repeat(")", 1e5) + "})",
		"not":        "CREATE ({x: " + strings.Repeat("NOT ", 1e5) + "true})",
		"sums":       "CREATE ({x: 1" + strings.Repeat("+1", 1e5) + "})",
		"properties": "CREATE (a) SET a.x = a" + strings.Repeat(".x", 1e5),
		"calls":      "RETURN " + strings.Repeat("f(", 1e5),
		"product":    "CREATE " + strings.Repeat("(), ", 1000) + "(); MATCH (a), (b), (c) SET a.x = 1",
		"doubling":   "WITH 'x' AS x " + strings.Repeat("WITH x + x AS x ", 60) + "CREATE ({x: x})",
		"long merge": "MERGE ()" + strings.Repeat("-[:R]->()", 5000),
		"size":       "//" + strings.Repeat("x", 17<<20),
	} {
		_, err := Parse("x", []byte(src))
		var place *Error
		if !errors.As(err, &place) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A file that names what it means costs a constant amount for each line, however long it is.
func TestWorkGrowsWithTheFile(t *testing.T) {
	cost := func(n int) int {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "MERGE (a:STEP {id: 's%d'});\n", i)
			fmt.Fprintf(&b, "MATCH (a:STEP {id: 's%d'}), (b:STEP {id: 's%d'}) CREATE (a)-[:NEXT]->(b);\n", i/2, i)
		}
		s, err := newSource("x", []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		statements, err := prepare(s)
		if err != nil {
			t.Fatal(err)
		}
		g, err := evaluate(statements)
		if err != nil {
			t.Fatal(err)
		}
		return g.work
	}
	if small, large := cost(500), cost(5000); large > 11*small {
		t.Errorf("500 steps cost %d, 5000 cost %d", small, large)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range []string{"same.txt", "refused.txt"} {
		b, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			f.Fatal(err)
		}
		for _, src := range strings.Split(string(b), "\n====\n") {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse("x", []byte(src))
		if err != nil {
			var place *Error
			if !errors.As(err, &place) || place.Line < 1 || place.Col < 1 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		for i := range file.Workflows {
			w := &file.Workflows[i]
			written, err := Write(w)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Parse("y", written)
			if err != nil {
				t.Fatalf("%v\n%s", err, written)
			}
			if len(w.Steps) > 0 && len(again.Workflows[0].Steps) != len(w.Steps) {
				t.Fatalf("steps are lost\n%s", written)
			}
		}
	})
}
