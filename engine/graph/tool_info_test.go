package graph_test

import (
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
)

// A model's provider may refuse keywords that it does not know, so the groups of an input, which
// are comments of its schema, are not sent.
func TestToolParametersHaveNoComments(t *testing.T) {
	spec := &function.Spec{Name: "f", Input: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
		"a": {Type: "string", Comment: "prompt"},
	}}}
	got := string(graph.ToolParameters(&graph.Path{}, &graph.CompiledStep{Step: &graph.Step{}}, spec))
	if strings.Contains(got, "comment") || !strings.Contains(got, `"a"`) {
		t.Errorf("parameters are %s", got)
	}
	if spec.Input.Properties["a"].Comment != "prompt" {
		t.Error("the schema of the function was changed")
	}
}
