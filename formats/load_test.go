package formats

import (
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/formats/cypherfile"
)

func TestLoadRecognises(t *testing.T) {
	for _, c := range []struct{ name, src, format, workflow string }{
		{"flows/greet.cypher", "CREATE (:STEP {id: 'root'})", "cypher", "greet"},
		{"greet.v2.CYPHER", "CREATE (:STEP {id: 'root'})", "cypher", "greet.v2"},
		{"greet.txt", "// a comment\n  merge (:STEP {id: 'root'})", "cypher", "greet"},
		{"greet.json", "\uFEFF{}", "", ""},
		{"shop.json", `{"format": "stepgraph", "version": 1, "steps": [{"id": "root"}]}`, "stepgraph", "shop"},
		{"shop.json", `{"format": "stepgraph", "version": 1, "id": "market", "steps": [{"id": "root"}]}`, "stepgraph", "market"},
		{"piped", `{"format": "stepgraph", "version": 1, "steps": [{"id": "root"}]}`, "stepgraph", "piped"},
	} {
		l, err := Load(c.name, []byte(c.src))
		if c.format == "" {
			if !errors.Is(err, ErrUnknownFormat) || !strings.Contains(err.Error(), "cypher, ") && !strings.Contains(err.Error(), "stepgraph") {
				t.Errorf("%s: got %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if l.Format != c.format || len(l.Workflows) != 1 || l.Workflows[0].ID != c.workflow || l.Workflows[0].Steps[0].Workflow != c.workflow {
			t.Errorf("%s: got %+v", c.name, l)
		}
		if l.Lines[0].Steps["root"] == 0 {
			t.Errorf("%s: no line of root: %+v", c.name, l.Lines)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a.cypher", "CREATE (", `a.cypher:1:9: unexpected the end of the file, expected ")"`},
		{"a.json", "{\n  \"nodes\": [}", "a.json:2:13: /nodes: invalid JSON: invalid character '}' looking for beginning of value"},
		{"a.json", `{"format": "stepgraph", "version": 3}`, "a.json:1:36: /version: this version of stepgraph reads documents with \"version\": 1"},
		{"a.md", "# Notes", "a.md:1:1: not a workflow file of a known format: known are " + strings.Join(Names(), ", ")},
	} {
		if _, err := Load(c.name, []byte(c.src)); err == nil || err.Error() != c.want {
			t.Errorf("%s: got  %v\nwant %s", c.name, err, c.want)
		}
	}
	var place *cypherfile.Error
	if _, err := Load("a.cypher", []byte("CREATE (")); !errors.As(err, &place) {
		t.Errorf("got %T", err)
	}
}

func TestStepsWithAndWithoutWorkflow(t *testing.T) {
	src := []byte(`CREATE (a:STEP {id: 'a', workflow: 'shop'})-[:NEXT]->(b:STEP {id: 'b'})`)
	l, err := Load("shop.cypher", src)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Workflows) != 1 || len(l.Workflows[0].Steps) != 2 || l.Workflows[0].Paths[0].TargetWorkflow != "" || l.Lines[0].Steps["b"] != 1 {
		t.Errorf("joined: %+v", l)
	}
	if l, err = Load("other.cypher", src); err != nil {
		t.Fatal(err)
	}
	if len(l.Workflows) != 2 || l.Workflows[0].ID != "other" || l.Workflows[1].ID != "shop" || l.Workflows[1].Paths[0].TargetWorkflow != "other" {
		t.Errorf("apart: %+v", l)
	}
}

func TestProblemsInOrderOfLines(t *testing.T) {
	l, err := Load("x.cypher", []byte("CREATE (a:STEP {id: 'a'})-[:NEXT]->(b);\nCREATE (:Note);\nCREATE (:STEP);"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range l.Problems() {
		got = append(got, p.Code)
	}
	if strings.Join(got, " ") != "unlabelled_target other_node step_without_id" {
		t.Errorf("got %v", got)
	}
}

// Files that hold a workflow inside a larger document are loaded like the workflow, with the
// lines of the file; several workflows in one file are named.
func TestLoadUnwraps(t *testing.T) {
	zero := `{"name": "Flow", "nodes": [{"id": "in", "type": "input", "data": {}}, {"id": "out", "type": "output", "data": {}}],
  "edges": [{"id": "e", "source": "in", "target": "out"}]}`
	quoted := `"` + strings.ReplaceAll(strings.ReplaceAll(zero, "\n", " "), `"`, `\"`) + `"`
	for _, c := range []struct {
		name, src string
		line      int
	}{
		{"object", "{\"é\": 1,\n\n \"flow\": " + zero + "}", 3},
		{"row", "{\"ok\": true, \"data\": [{\"flow\":\n" + zero + "}]}", 2},
		{"list", "[\n" + zero + "]", 2},
		{"text", `{"flow": ` + quoted + `}`, 1},
	} {
		l, err := Load(c.name+".json", []byte(c.src))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if l.Format != "agentzero" || len(l.Workflows) != 1 || l.Workflows[0].ID != c.name || l.Lines[0].Steps["in"] != c.line {
			t.Errorf("%s: got %s %v", c.name, l.Format, l.Lines)
		}
	}
	flowise := `{"nodes": [{"id": "startAgentflow_0", "type": "agentFlow", "data": {"name": "startAgentflow", "inputParams": [], "inputs": {"startInputType": "chatInput"}}}], "edges": []}`
	for name, src := range map[string]string{"list": "[\n" + flowise + "]", "rows": "[{\"id\": \"1\",\n\"flow\": " + flowise + "}]", "data": "{\"data\": [\n" + flowise + "]}"} {
		l, err := Load(name+".json", []byte(src))
		if err != nil || l.Format != "flowise" || l.Lines[0].Steps["startAgentflow_0"] != 2 {
			t.Errorf("a list of one Flowise flow, %s: %s %v %v", name, l.Format, l.Lines, err)
		}
	}
	_, err := Load("all.json", []byte("{\"flows\": [\n"+zero+",\n"+zero+"]}"))
	if want := "all.json:4:1: the file holds 2 workflows (/flows/0, /flows/1); save each in a file of its own"; err == nil || err.Error() != want {
		t.Errorf("several: got %v\nwant %s", err, want)
	}
	_, err = Load("bad.json", []byte("{\"flow\":\n"+strings.Replace(zero, `"target": "out"`, `"target": "nowhere"`, 1)+"}"))
	if err == nil || !strings.HasPrefix(err.Error(), "bad.json:3:") {
		t.Errorf("a fault inside: %v", err)
	}
}
