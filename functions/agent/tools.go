package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
	"github.com/stepgraph/stepgraph/models"
)

// propertyOnRequest marks a TOOL path whose tool is offered only if the profile or the step
// names it: Agent Zero gives agents that name no tools only the tools without side effects.
const propertyOnRequest = "on_request"

// setTools selects the tools that the agent may call: those that its step names, else those
// that its profile allows, by name, step or function of the tool. A profile may allow tools
// that this agent does not have. A name in the step that matches none of the agent's tools is
// an error, because otherwise it would be noticed only when the model needs the tool.
func (r *round) setTools(allowed []string) error {
	r.tools = r.call.Tools
	if r.in.Tools == nil {
		r.tools = slices.DeleteFunc(slices.Clone(r.tools), func(t function.ToolInfo) bool {
			if len(allowed) == 0 {
				return t.Properties[propertyOnRequest] == true
			}
			return !slices.ContainsFunc([]string{t.Name, t.Step, t.Function}, func(name string) bool { return slices.Contains(allowed, name) })
		})
		return nil
	}
	var names []string
	if err := json.Unmarshal(r.in.Tools, &names); err != nil {
		return input.Bad("tools: want a list of names")
	}
	r.tools = nil
	for _, name := range names {
		found := false
		for _, t := range r.call.Tools {
			if t.Name == name || t.Step == name {
				r.tools, found = append(r.tools, t), true
			}
		}
		if !found {
			return input.Bad("tools: there is no tool %q; there are %s", name, r.names(r.call.Tools))
		}
	}
	return nil
}

func (r *round) names(list []function.ToolInfo) string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (r *round) tool(name string) *function.ToolInfo {
	for i := range r.tools {
		if r.tools[i].Name == name {
			return &r.tools[i]
		}
	}
	return nil
}

// refuse returns why a call cannot be made, "" when it can. The model gets the text and
// usually corrects its call.
func (r *round) refuse(c models.ToolCall) string {
	t := r.tool(c.Name)
	if t == nil {
		return fmt.Sprintf("there is no tool %q; there are %s", c.Name, r.names(r.tools))
	}
	if len(c.Arguments) == 0 || c.Arguments[0] != '{' {
		return "the arguments are not a JSON object"
	}
	if r.in.CheckArguments != nil && !bool(*r.in.CheckArguments) {
		return ""
	}
	schema, err := schemacheck.Compile(t.Parameters)
	if err != nil {
		return "" // an error in the workflow, which validate reports; the tool decides
	}
	var faults []string
	for _, f := range schema.Check(c.Arguments) {
		faults = append(faults, f.String())
	}
	if len(faults) > 0 {
		return "the arguments do not fit: " + strings.Join(faults, "; ")
	}
	return ""
}

// refusedKind returns the kind of the error that a model gets for a call that was not made.
func (r *round) refusedKind(tool string) string {
	if r.in.UnknownToolError != "" && r.tool(tool) == nil {
		return string(r.in.UnknownToolError)
	}
	return function.KindBadInput
}
