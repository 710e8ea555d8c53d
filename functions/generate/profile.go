package generate

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A Profile is a set of default settings that the configuration stores under a name. A setting
// of the step takes precedence.
type Profile struct {
	Model           string          `json:"model,omitempty"`
	System          string          `json:"system,omitempty"`
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"top_p,omitempty"`
	MaxTokens       int             `json:"max_tokens,omitempty"`
	ReasoningEffort string          `json:"reasoning_effort,omitempty"`
	Schema          json.RawMessage `json:"schema,omitempty"`
	SchemaName      string          `json:"schema_name,omitempty"`
	Parameters      json.RawMessage `json:"parameters,omitempty"`
	Tools           []string        `json:"tools,omitempty"` // of an agent; all of its tools when empty
}

// ProfileName returns the name of the profile that the step uses, "" for none.
func (in Input) ProfileName() string {
	if in.Profile != "" {
		return string(in.Profile)
	}
	return string(in.Agent)
}

func (f stepFunction) profile(name string) (Profile, error) {
	if name == "" {
		return Profile{}, nil
	}
	var known map[string]Profile
	if f.options.Profiles != nil {
		known = f.options.Profiles()
	}
	if p, ok := known[name]; ok {
		return p, nil
	}
	return Profile{}, input.Bad("profile: there is no profile %q; %s", name, listed("profiles", slices.Sorted(maps.Keys(known))))
}

// schema returns the text of the schema that applies, nil for none, and its name.
func (f stepFunction) schema(in Input, p Profile) (json.RawMessage, string, error) {
	name := string(in.SchemaName)
	switch {
	case in.Schema != nil:
		return in.Schema, name, nil
	case name == "" || name == p.SchemaName:
		return p.Schema, p.SchemaName, nil
	}
	var known map[string]json.RawMessage
	if f.options.Schemas != nil {
		known = f.options.Schemas()
	}
	if text, ok := known[name]; ok {
		return text, name, nil
	}
	return nil, "", input.Bad("schema_name: there is no schema %q; %s", name, listed("schemas", slices.Sorted(maps.Keys(known))))
}

func listed(what string, names []string) string {
	if len(names) == 0 {
		return "no " + what + " are configured"
	}
	return "there are " + strings.Join(names, ", ")
}

// over fills the unset fields of the input from the profile.
func (p Profile) over(in Input) Input {
	if in.Model == "" {
		in.Model = input.Text(p.Model)
	}
	if in.System == "" {
		in.System = input.Text(p.System)
	}
	if in.Temperature == nil {
		in.Temperature = (*input.Float)(p.Temperature)
	}
	if in.TopP == nil {
		in.TopP = (*input.Float)(p.TopP)
	}
	if in.MaxTokens == 0 {
		in.MaxTokens = input.Int(p.MaxTokens)
	}
	if in.ReasoningEffort == "" && in.Reasoning == nil {
		in.ReasoningEffort = input.Text(p.ReasoningEffort)
	}
	return in
}
