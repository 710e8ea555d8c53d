package api

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// TestGenerated keeps what is checked in equal to what the code gives.
func TestGenerated(t *testing.T) {
	_, s := build(engine.New(memory.New(memory.Options{}), engine.NewRegistry(), engine.Options{}), Options{})
	for file, want := range map[string]string{
		"openapi.json":        string(openAPI(s.api.OpenAPI())),
		"../docs/problems.md": problemsPage(),
	} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what the code gives: run go test ./api -update", file)
		}
	}
}

type documented struct {
	Summary, OperationID string
	Tags                 []string
	Parameters           []parameter
	Responses            map[string]struct {
		Ref     string `json:"$ref"`
		Content map[string]struct{ Examples map[string]any }
	}
}

type parameter struct{ Name string }

func TestOpenAPIIsServedAndComplete(t *testing.T) {
	w := newWorld(t, Options{})
	got := w.do("GET", "/openapi.json", nil).want(200)
	checkedIn, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if got.text != string(checkedIn) || got.header.Get("Content-Type") != "application/openapi+json" {
		t.Error("served document is not the one checked in")
	}
	var document struct {
		OpenAPI    string
		Paths      map[string]map[string]documented
		Components struct{ Responses, Examples map[string]any }
	}
	if err := json.Unmarshal([]byte(got.text), &document); err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" {
		t.Errorf("version %s", document.OpenAPI)
	}
	seen := 0
	for path, item := range document.Paths {
		for method, op := range item {
			seen++
			if op.Summary == "" || op.OperationID == "" || len(op.Tags) == 0 {
				t.Errorf("%s %s: no summary, id or tag", method, path)
			}
			problems := 0
			for status, r := range op.Responses {
				if status[0] < '4' {
					continue
				}
				problems++
				name := strings.TrimPrefix(r.Ref, "#/components/responses/")
				if r.Ref != "" && document.Components.Responses[name] == nil {
					t.Errorf("%s %s: %s refers to nothing", method, path, status)
				}
				for slug := range r.Content[problemJSON].Examples {
					if document.Components.Examples[slug] == nil || strconv.Itoa(problemRowOf(slug).Status) != status {
						t.Errorf("%s %s: %s has example %s", method, path, status, slug)
					}
				}
			}
			if problems < 3 {
				t.Errorf("%s %s: documents %d problems", method, path, problems)
			}
			if method == "post" && !slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.Name == keyHeader }) {
				t.Errorf("%s %s: takes no key", method, path)
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d operations", seen)
	}
}
