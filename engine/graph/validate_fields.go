package graph

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/near"
	"github.com/stepgraph/stepgraph/references"
)

// anyField are input fields that the engine or several functions take beside their own.
var anyField = []string{"context_limit", "name", "global", "globals", "description"}

// unknownInput warns of input fields that the function does not read. A name that is near none of
// its fields may be a field of a person's own where the function keeps such (Needs.Own), and in a
// flow of another system.
func (v *validation) unknownInput(c *CompiledStep, spec *function.Spec) {
	var given map[string]json.RawMessage
	if spec.Input == nil || len(spec.Input.Properties) == 0 || json.Unmarshal([]byte(orEmpty(c.Input)), &given) != nil {
		return
	}
	known := slices.Sorted(maps.Keys(spec.Input.Properties))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(known, name) || slices.Contains(anyField, name) || strings.HasPrefix(name, "@") {
			continue
		}
		if spec.Needs.Own && v.reads(c.ID, name) {
			continue
		}
		if near := misspelt(name, known); near != "" && given[near] == nil {
			v.add("warning", "unknown_input", c.ID, "", "input has a field %q, which %s does not know: did you mean %q?", name, spec.Name, near)
		} else if !spec.Needs.Own && jsontext.Blank(c.Config) && v.d.Workflow.Extra["source_format"] == nil {
			v.add("warning", "unknown_input", c.ID, "", "input has a field %q, which %s does not know; it knows %s", name, spec.Name, listed(known))
		} else if takers := v.strayOwn(c, spec, name); takers != "" {
			v.add("warning", "unknown_input", c.ID, "", "input has a field %q, which %s does not know (%s) and only keeps in its output, where no reference reads it; it knows %s", name, spec.Name, takers, listed(known))
		}
	}
}

// listed names up to twelve of names.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

// wrongInput warns of input fields whose value is of a type that the function does not take. A
// text may be a reference, or JSON, or a number for a model: only a text where a number has to
// stand is judged, when it has neither.
func (v *validation) wrongInput(c *CompiledStep, spec *function.Spec) {
	var given map[string]json.RawMessage
	if spec.Input == nil || json.Unmarshal([]byte(orEmpty(c.Input)), &given) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		property, value := spec.Input.Properties[name], strings.TrimSpace(string(given[name]))
		if property == nil || v.reported(c.ID, name) || slices.Contains(spec.Raw, name) || strings.Contains(value, "@") {
			continue
		}
		allowed := property.Types
		if property.Type != "" {
			allowed = []string{property.Type}
		}
		got := typeOfJSON(value)
		switch {
		case len(allowed) == 0 || got == "null":
			continue
		case got == "string" && slices.Contains(allowed, "integer") && !slices.Contains(allowed, "number"):
			if _, err := strconv.Atoi(strings.Trim(value, `" `)); err == nil || value == `""` {
				continue
			}
		case slices.Contains(allowed, got) || got == "integer" && slices.Contains(allowed, "number") || got == "string":
			continue
		}
		v.add("warning", "wrong_input", c.ID, "", "input field %q is %s; %s takes %s", name, CutText(value, 60), spec.Name, typeWords(allowed))
	}
}

// reported reports whether a problem of a step names an input field already, at its beginning.
func (v *validation) reported(step, field string) bool {
	return slices.ContainsFunc(v.problems, func(p function.Problem) bool {
		rest, found := strings.CutPrefix(p.Message, field)
		return found && p.Step == step && strings.IndexAny(rest, ":[") == 0
	})
}

// typeOfJSON is the JSON Schema type of a value.
func typeOfJSON(value string) string {
	switch {
	case value == "" || value[0] == 'n':
		return "null"
	case value[0] == '{':
		return "object"
	case value[0] == '[':
		return "array"
	case value[0] == '"':
		return "string"
	case value[0] == 't' || value[0] == 'f':
		return "boolean"
	case strings.ContainsAny(value, ".eE"):
		return "number"
	}
	return "integer"
}

// typeWords names types for people. A text is named only where nothing else may stand: elsewhere
// it is a reference, or the same value as a text.
func typeWords(types []string) string {
	words := map[string]string{"integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list", "object": "an object"}
	var all []string
	for _, one := range types {
		if words[one] != "" {
			all = append(all, words[one])
		}
	}
	if len(all) == 0 {
		return "a text"
	}
	return strings.Join(all, " or ")
}

// unknownOutput warns of a reference to a field that is nearly one of the output that a step's
// function gives. A field that is near none may be there: a schema in the input, or an input
// that is put out again, brings fields that the function's own schema does not name.
func (v *validation) unknownOutput(ref references.Reference, step, path string) {
	source := v.d.steps[ref.Step]
	if v.registry == nil || source == nil || len(ref.Fields) == 0 || ref.HasDefault || source.Function == "" || source.OutputSchema != "" {
		return
	}
	spec := v.registry.Find(source.Function)
	if spec == nil || spec.Output == nil || len(spec.Output.Properties) == 0 {
		return
	}
	field := ref.Fields[0]
	if _, err := strconv.Atoi(strings.Trim(field, "[]")); err == nil {
		return
	}
	known := map[string]bool{"error": true, "text": true, "outputs": true, "item": true, "index": true, "results": true}
	var given map[string]json.RawMessage
	_ = json.Unmarshal([]byte(orEmpty(source.Input)), &given) // a fault is reported elsewhere
	if string(given["as_output"]) == "true" {
		return // a script's own object, not the declared output
	}
	for name := range given {
		known[name] = true
	}
	all := slices.Collect(maps.Keys(spec.Output.Properties))
	for _, name := range all {
		known[name] = true
	}
	if known[field] {
		return
	}
	if near := misspelt(field, all); near != "" {
		v.add("warning", "unknown_output", step, path, "%s: the output of %q (%s) has no field %q: did you mean %q?", ref.Text, ref.Step, spec.Name, field, near)
	}
}

// misspelt gives the one of known that a name most likely means, "" where none is close.
// Short names must be nearer: half of their letters are no likeness.
func misspelt(name string, known []string) string {
	found := near.Names(name, known, 1)
	if len(found) == 0 || len(name) < 6 && near.Distance(name, found[0], 1) > 1 {
		return ""
	}
	return found[0]
}

// credentials warns of credentials that stand in the workflow for everybody who reads it.
func (v *validation) credentials(c *CompiledStep, spec *function.Spec) {
	for _, found := range function.Credentials(spec, json.RawMessage(orEmpty(c.Input))) {
		v.add("warning", "literal_credential", c.ID, "", "input.%s holds a credential, which everybody who reads the workflow sees; "+
			"store it with `stepgraph secret set NAME --host HOST` and write $NAME in its place, or load the file with --move-secrets", found.Path)
	}
}
