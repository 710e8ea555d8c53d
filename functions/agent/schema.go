package agent

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// schema returns the schema of generate's input extended by the agent's own fields.
func schema() *jsonschema.Schema {
	whole, own := input.Schema[generate.Input](), input.Schema[Input]()
	for name, property := range own.Properties {
		whole.Properties[name] = property
	}
	return whole
}
