package formats_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stepgraph/stepgraph/formats"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestLoadFS(t *testing.T) {
	files := fstest.MapFS{
		"a.yaml":             file("format: stepgraph\nversion: 1\nsteps: [{id: root}]\n"),
		"b.cypher":           file("CREATE (:STEP {id: 'root'})"),
		"docker-compose.yml": file("services: {}\n"),
		"notes.md":           file("# CREATE\n"),
		"below/c.yaml":       file("format: stepgraph\nversion: 1\nsteps: [{id: root}]\n"),
	}
	for want, patterns := range map[string][]string{"a b": nil, "c": {"below/*"}, "a c": {"*.yaml", "below/*.yaml", "a*"}} {
		got, err := formats.LoadFS(files, patterns...)
		var ids []string
		for _, w := range got {
			ids = append(ids, w.ID)
		}
		if err != nil || strings.Join(ids, " ") != want {
			t.Errorf("%v: %v, %v; want %s", patterns, ids, err, want)
		}
	}
	files["x.yaml"] = file("format: stepgraph\nversion: 1\nstep: []\n")
	files["y.json"] = file(`{"format": "stepgraph", "version": 2}`)
	files["z.yaml"] = file("format: stepgraph\nversion: 1\nid: a\nsteps: [{id: root}]\n")
	_, err := formats.LoadFS(files)
	for _, want := range []string{"x.yaml:3:7: /step: unknown key", "y.json:1:36: /version", `z.yaml:1:1: workflow "a" is in a.yaml already`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if _, err := formats.LoadFS(files, "nothing*"); err == nil {
		t.Error("no file fits, and no error")
	}
}
