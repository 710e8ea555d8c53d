package api

import (
	"context"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stepgraph/stepgraph/engine"
)

// A Function is what a step may call.
type Function struct {
	Name         string   `json:"name" example:"utils.request.request"`
	Aliases      []string `json:"aliases,omitempty"`
	Description  string   `json:"description,omitempty"`
	Effects      bool     `json:"effects" doc:"it does something besides giving an output"`
	Limit        int      `json:"limit,omitempty" doc:"calls at once"`
	TimeoutMS    int64    `json:"timeout_ms,omitempty" doc:"of one attempt, where the step sets none"`
	Program      []string `json:"program,omitempty" doc:"input fields that hold program text: references in them are bound, not pasted"`
	Allowed      bool     `json:"allowed" doc:"whether steps may call it here"`
	Disabled     string   `json:"disabled,omitempty" doc:"why not, and what to do about it"`
	InputSchema  any      `json:"input_schema,omitempty" doc:"JSON Schema"`
	OutputSchema any      `json:"output_schema,omitempty" doc:"JSON Schema"`
}

func (r *operatingRoutes) registerFunctions() {
	register(r.routeTable, operation{id: "listFunctions", method: http.MethodGet, path: "/api/v1/functions", tag: tagWorkflows,
		summary: "List the functions steps can call, with their schemas"}, r.functions)
}

func (r *operatingRoutes) functions(context.Context, *empty) (*pageOut[Function], error) {
	specs := r.e.Registry().Specs()
	items := make([]Function, len(specs))
	for i, f := range specs {
		items[i] = functionOf(f)
	}
	return pageOf(items, ""), nil
}

func functionOf(f *engine.Spec) Function {
	return Function{Name: f.Name, Aliases: f.Aliases, Description: f.Description, Effects: f.Effects, Limit: f.Limit,
		TimeoutMS: f.Timeout.Milliseconds(), Program: f.Program, Allowed: f.Disabled == "", Disabled: f.Disabled,
		InputSchema: schemaOf(f.Input), OutputSchema: schemaOf(f.Output)}
}

// schemaOf keeps an absent schema absent: a nil pointer in an any is not nil.
func schemaOf(s *jsonschema.Schema) any {
	if s == nil {
		return nil
	}
	return s
}
