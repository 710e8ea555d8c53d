package source_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

const text = "{\n  \"nodes\": [\n    {\"id\": \"a\"},\n    {\"id\": \"é\", \"x/y\": 1}\n  ]\n}"

func TestLocate(t *testing.T) {
	for pointer, want := range map[string][2]int{
		"":               {1, 1},
		"/nodes":         {2, 12},
		"/nodes/1":       {4, 5},
		"/nodes/1/id":    {4, 12},
		"/nodes/1/x~1y":  {4, 24},
		"/nodes/7":       {2, 12},
		"/nodes/0/none":  {3, 5},
		"/edges/0/label": {1, 1},
	} {
		line, column := source.Locate([]byte(text), pointer)
		if got := [2]int{line, column}; got != want {
			t.Errorf("Locate(%q) = %v, want %v", pointer, got, want)
		}
	}
}

func TestFaultsNameEachPlace(t *testing.T) {
	f := source.Faults{Name: "f.json", Src: []byte(text)}
	if f.Err() != nil {
		t.Fatal("no fault is an error")
	}
	f.Add("/nodes/0", "one", "first")
	f.AddFor([]string{"é"}, "/nodes/1", "two", "node %q", "é")
	want := "f.json:3:5: first (one)\nf.json:4:5: node \"é\" (two)"
	if got := f.Err().Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFaultsAsProblems(t *testing.T) {
	f := source.Faults{Name: "f.json", Src: []byte(text)}
	f.Add("", "whole", "all")
	f.AddFor([]string{"a", "b"}, "/nodes/1/id", "step", "two")
	f.AddFor([]string{"e", "a"}, "/subflows/x/edges/3/source", "path", "three")
	f.AddFor([]string{"a", "b"}, "/edges", "circle", "four")
	want := []engine.Problem{
		{Level: "error", Line: 1, Code: "whole", Message: "all"},
		{Level: "error", Step: "a", Line: 4, Code: "step", Message: "two"},
		{Level: "error", Path: "e", Line: 1, Code: "path", Message: "three"},
		{Level: "error", Step: "a", Line: 1, Code: "circle", Message: "four"},
	}
	if got := f.Problems(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDecodeNamesThePlace(t *testing.T) {
	var into struct{ Nodes []struct{ ID int } }
	err := source.Decode("f.json", []byte(text), &into)
	if err == nil || !strings.HasPrefix(err.Error(), "f.json:3:") || !strings.Contains(err.Error(), "want a number, got a text") {
		t.Errorf("type: %v", err)
	}
	if err := source.Decode("f.json", []byte("{\n \"a\": x}"), &into); err == nil || !strings.HasPrefix(err.Error(), "f.json:2:7: ") {
		t.Errorf("syntax: %v", err)
	}
}

// A value of another type is reported with its place and the JSON type that is wanted, not with a
// type of Go.
func TestDecodeNamesTypes(t *testing.T) {
	type place struct{ X float64 }
	var into struct {
		Nodes []struct {
			ID   string
			At   *place
			Tags map[string]bool
			Any  any
		} `json:"nodes"`
	}
	for src, want := range map[string]string{
		`[1]`:                            "f.json:1:1: want an object, got a list",
		`{"nodes": {}}`:                  "f.json:1:11: nodes: want a list, got an object",
		`{"nodes": [{"id": 5}]}`:         "f.json:1:19: nodes.ID: want a text, got a number",
		`{"nodes": [{"at": "x"}]}`:       "f.json:1:21: nodes.At: want an object, got a text",
		`{"nodes": [{"at":{"x":true}}]}`: "f.json:1:26: nodes.At.X: want a number, got true or false",
		`{"nodes": [{"tags":{"a":""}}]}`: "f.json:1:26: nodes.Tags: want true or false, got a text",
	} {
		if err := source.Decode("f.json", []byte(src), &into); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", src, err, want)
		}
	}
}

// Errors name JSON's types: clients do not know Go's.
func TestErrorsAreInWords(t *testing.T) {
	var into struct {
		Name  string
		Parts []struct{ Size int }
	}
	for text, want := range map[string]string{
		`{"name": true}`:               "name: want a text, got true or false",
		`{"parts": {}}`:                "parts: want a list, got an object",
		`{"parts": [{"size": "12"}]}`:  "parts.size: want a number, got a text",
		`{"parts": [{"size": 1e999}]}`: "parts.size: want a number, got number 1e999",
		`[]`:                           "want an object, got a list",
		`{`:                            "unexpected end of JSON input",
	} {
		if got := source.InWords(json.Unmarshal([]byte(text), &into)).Error(); !strings.EqualFold(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
