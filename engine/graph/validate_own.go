package graph

import (
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// wholeOutput stands among the fields of a step that are read for all of them.
const wholeOutput = ""

// reads reports whether a reference of the workflow reads a field of a step's output, alone or with all
// the others.
func (v *validation) reads(step, field string) bool {
	if v.read == nil {
		v.read = map[string]map[string]bool{}
		for _, s := range v.d.steps {
			v.noteReads(references.Parse(s.Input)) // the text of the input: those of raw fields are among them
			for _, p := range s.Next {
				for _, operand := range p.Parsed.Operands() {
					v.noteReads(references.Parse(operand))
				}
			}
		}
	}
	return v.read[step][field] || v.read[step][wholeOutput]
}

func (v *validation) noteReads(t references.Template) {
	for _, ref := range t.References() {
		field := wholeOutput
		if len(ref.Fields) > 0 {
			field = ref.Fields[0]
		}
		if v.read[ref.Step] == nil {
			v.read[ref.Step] = map[string]bool{}
		}
		v.read[ref.Step][field] = true
	}
}

// strayOwn says of a field that a function only keeps which functions take it, as "agent and loop take
// it". It says "" where the field is a person's own as far as can be seen: no function takes it, or
// the output goes to a model, to a container's result, or into a flow of another system.
func (v *validation) strayOwn(c *CompiledStep, spec *function.Spec, name string) string {
	if !spec.Needs.Own || spec.Needs.Values || c.Holder != "" || v.isTool(c.ID) || !jsontext.Blank(c.Config) || v.d.Workflow.Extra["source_format"] != nil {
		return ""
	}
	const most = 3
	var takers []string
	for _, other := range v.registry.Specs() {
		if other.Input != nil && other.Input.Properties[name] != nil {
			takers = append(takers, shortName(other))
		}
	}
	switch {
	case len(takers) == 0:
		return ""
	case len(takers) == 1:
		return takers[0] + " takes it"
	case len(takers) > most:
		return strings.Join(takers[:most], ", ") + " and others take it"
	}
	return strings.Join(takers[:len(takers)-1], ", ") + " and " + takers[len(takers)-1] + " take it"
}

// shortName is the shortest name under which a function is called.
func shortName(spec *function.Spec) string {
	short := spec.Name
	for _, alias := range spec.Aliases {
		if len(alias) < len(short) {
			short = alias
		}
	}
	return short
}
