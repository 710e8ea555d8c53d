package formats_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/mcp"
	"github.com/stepgraph/stepgraph/seeds"
)

const schemaFile = "../docs/workflow.schema.json"

func standard() *engine.Registry {
	r := engine.NewRegistry()
	functions.Standard(r, functions.Options{})
	compat.Functions(r, functions.Options{})
	r.Add(mcp.Spec(mcp.NewPool(mcp.Options{})))
	return r
}

// TestSchemaIsCheckedIn: the file in docs is the schema of all functions there are.
func TestSchemaIsCheckedIn(t *testing.T) {
	got := formats.Schema(standard())
	if *update {
		if err := os.WriteFile(schemaFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the schema of the functions any more (%v); go test ./formats -run Schema -update writes it anew", schemaFile, err)
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(formats.Schema(standard())))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("workflow.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("workflow.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fits(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(document)
}

// TestSchemaAcceptsWhatRuns: every seed, the file that holds one of each, and every example of
// a function fit the schema.
func TestSchemaAcceptsWhatRuns(t *testing.T) {
	s := compiled(t)
	files, err := fs.Glob(seeds.FS, "*.cypher")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(seeds.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := formats.Load(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range loaded.Workflows {
			file, err := formats.Export(&loaded.Workflows[i], "json")
			if err != nil {
				t.Fatal(err)
			}
			if err := fits(t, s, file.Text); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	all, err := os.ReadFile("hostile/testdata/stepgraph.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := fits(t, s, all); err != nil {
		t.Error(err)
	}
	for _, spec := range standard().Specs() {
		for _, example := range spec.Examples {
			name, _ := json.Marshal(spec.Name)
			if err := fits(t, s, oneStep(`"function": `+string(name)+`, "input": `+string(example.Input))); err != nil {
				t.Errorf("%s, %s: %v", spec.Name, example.Title, err)
			}
		}
	}
}

func oneStep(fields string) []byte {
	return []byte(`{"$schema": "x", "format": "stepgraph", "version": 1, "steps": [{"id": "a", ` + fields + `}]}`)
}

func TestSchemaRefusesMistakes(t *testing.T) {
	s := compiled(t)
	for _, c := range []struct{ fields, where string }{
		{`"function": "requst"`, "/steps/0/function"},
		{`"functoin": "request"`, "'functoin' not allowed"},
		{`"function": "shell", "input": {"args": 7}`, "/steps/0/input/args"},
		{`"join": "some"`, "/steps/0/join"},
		{`"approval": "yes"`, "/steps/0/approval"},
		{`"retry": {"attempts": 3}`, "'attempts' not allowed"},
	} {
		err := fits(t, s, oneStep(c.fields))
		if err == nil || !strings.Contains(err.Error(), c.where) {
			t.Errorf("%s: want %s, got %v", c.fields, c.where, err)
		}
	}
	for _, fields := range []string{
		`"function": "request", "input": {"options": "@{SESSION_ID}.a.list"}`,
		`"function": "request", "input": {"prompt": {"@text": ["a"]}, "mine": 1}`,
		`"function": "request", "input": "{\"prompt\": \"x\"}"`,
		`"timeout": 30`,
	} {
		if err := fits(t, s, oneStep(fields)); err != nil {
			t.Errorf("%s: %v", fields, err)
		}
	}
}
