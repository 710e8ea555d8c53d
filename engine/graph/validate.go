package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
	"github.com/stepgraph/stepgraph/references"
)

// Validate lists the problems of a workflow, errors and warnings, each with its position. None
// of them prevents a session from starting: an error affects only its step or path. If registry
// is nil, functions are not checked.
func Validate(w *Workflow, registry *function.Registry) []function.Problem {
	v := validation{d: Compile(w), registry: registry, problems: append([]function.Problem(nil), w.Problems...)}
	v.entries()
	v.limits()
	for _, id := range v.d.ids {
		v.step(v.d.steps[id])
	}
	compiled := make(map[*Path]*CompiledPath, len(w.Paths))
	for _, s := range v.d.steps {
		for _, c := range s.Next {
			compiled[c.Path] = c
		}
	}
	for i := range w.Paths {
		if c := compiled[&w.Paths[i]]; c != nil {
			v.path(c)
		}
	}
	v.reach()
	v.loops()
	sort.SliceStable(v.problems, func(i, j int) bool { return v.problems[i].Level < v.problems[j].Level })
	return v.problems
}

// named are the names under which values may stand that are no step's: those that steps
// set for themselves, the items of maps, the variables.
func (v *validation) named() map[string]bool {
	if v.names != nil {
		return v.names
	}
	v.names = map[string]bool{VariablesName: true, "initial": true}
	for _, s := range v.d.steps {
		var in struct {
			Name    string                     `json:"name"`
			Global  bool                       `json:"global"`
			Globals map[string]json.RawMessage `json:"globals"`
			Inputs  map[string]json.RawMessage `json:"inputs"`
		}
		if json.Unmarshal([]byte(orEmpty(s.Input)), &in) != nil {
			continue
		}
		for name := range in.Globals {
			v.names[name] = true
		}
		if in.Global {
			v.names[in.Name] = true
		}
		if len(s.Body) > 0 {
			v.names["item"], v.names["index"] = true, true
			for name := range in.Inputs {
				v.names[name] = true
			}
		}
	}
	return v.names
}

func (v *validation) entries() {
	if len(v.d.steps) == 0 {
		v.add("error", "no_steps", "", "", "the workflow has no steps")
		return
	}
	if v.d.steps[DefaultEntry] == nil {
		v.add("warning", "no_root", "", "", "there is no step %q: every start has to name its entry step", DefaultEntry)
	}
	seen := map[string]bool{}
	for i := range v.d.Workflow.Steps {
		id := v.d.Workflow.Steps[i].ID
		if seen[id] {
			v.add("error", "duplicate_step", id, "", "two steps are called %q", id)
		}
		seen[id] = true
		if id == "" {
			v.add("error", "no_id", "", "", "a step has no id")
		}
	}
}

func (v *validation) step(c *CompiledStep) {
	if c.Fault != nil {
		v.add("error", faultCode(c.Fault), c.ID, "", "%v", c.Fault)
	}
	if !referable(c.ID) {
		v.add("warning", "not_referable", c.ID, "", "references cannot name this step: an id of letters, digits, _ and - can be named")
	}
	oneOf := func(property, value string, allowed ...string) {
		for _, a := range allowed {
			if value == a {
				return
			}
		}
		v.add("error", "property_value", c.ID, "", "%s is %q, want %s", property, value, strings.Join(allowed[1:], ", "))
	}
	oneOf("join", c.Join, "", JoinAny, JoinAll, JoinRequired)
	oneOf("on_error", c.OnError, "", OnErrorStopPath, OnErrorContinue, OnErrorFailSession)
	if !jsontext.Blank(c.OutputSchema) {
		if _, err := schemacheck.Compile([]byte(c.OutputSchema)); err != nil {
			v.add("error", "output_schema", c.ID, "", "output_schema: %v", err)
		}
	}
	v.function(c)
	v.references(c)
	v.rounds(c)
	v.contains(c)
	v.joinAll(c)
}

func faultCode(err error) string {
	name, _, _ := strings.Cut(err.Error(), ":")
	return "broken_" + name // input, retry, timeout
}

func (v *validation) function(c *CompiledStep) {
	if v.registry == nil || c.Function == "" {
		return
	}
	spec := v.registry.Find(c.Function)
	switch {
	case spec == nil:
		text := fmt.Sprintf("function %q is not known", c.Function)
		if near := v.registry.Near(c.Function); len(near) > 0 {
			text += "; near it are " + strings.Join(near, ", ")
		}
		v.add("error", "no_function", c.ID, "", "%s", text)
	case spec.Disabled != "":
		v.add("warning", "disabled_function", c.ID, "", "%s", spec.Disabled)
		if spec.Check != nil && c.Fault == nil && !jsontext.Blank(c.Input) {
			for _, p := range spec.Check(json.RawMessage(c.Input)) {
				if p.Code == "bad_input" || p.Code == "wrong_input" {
					v.add("warning", p.Code, c.ID, "", "%s", p.Message)
				}
			}
		}
	case spec.Check != nil && c.Fault == nil && !(jsontext.Blank(c.Input) && v.isTool(c.ID)): // a model fills in an input that is empty
		for _, p := range spec.Check(json.RawMessage(orEmpty(c.Input))) {
			p.Step = c.ID
			if v.isTool(c.ID) {
				p.Level = "warning" // a model may fill in what is missing
			}
			v.problems = append(v.problems, p)
		}
	}
	if spec != nil && c.Fault == nil {
		v.required(c, spec)
		v.unknownInput(c, spec)
		v.wrongInput(c, spec)
		v.credentials(c, spec)
	}
}

// required checks that the input has what the function's schema asks for.
func (v *validation) required(c *CompiledStep, spec *function.Spec) {
	if spec.Input == nil {
		return
	}
	var have map[string]json.RawMessage
	if json.Unmarshal([]byte(orEmpty(c.Input)), &have) != nil {
		return
	}
	for _, name := range spec.Input.Required {
		if _, ok := have[name]; !ok {
			v.add("warning", "missing_input", c.ID, "", "input has no %q, which %s asks for", name, spec.Name)
		}
	}
	if len(spec.Needs.OneOf) == 0 || !jsontext.Blank(c.Config) || v.isTool(c.ID) || slices.ContainsFunc(spec.Needs.OneOf, func(name string) bool { return have[name] != nil }) {
		return
	}
	if spec.Needs.Follows && slices.ContainsFunc(v.d.Workflow.Paths, func(p Path) bool { return p.Target == c.ID && p.Source != c.ID }) {
		return
	}
	for name := range have { // it is reported as misspelt
		if misspelt(name, spec.Needs.OneOf) != "" {
			return
		}
	}
	v.add("warning", "missing_input", c.ID, "", "input has none of %s; %s needs one of them", strings.Join(spec.Needs.OneOf, ", "), spec.Name)
}

// references checks what a step's input refers to.
func (v *validation) references(c *CompiledStep) {
	if c.input == nil {
		return
	}
	for _, ref := range c.input.References() {
		v.reference(ref, c.ID, "", c)
	}
	v.nearReferences(c)
}

// ownReference is what a reference to another session was meant to be. Where the brace closes
// too late, @{SESSION_ID.root.text}, the rest of what it holds is the place.
func (v *validation) ownReference(ref references.Reference) string {
	place := ""
	first, _, _ := strings.Cut(ref.Session, ".")
	if v.d.steps[first] != nil || v.named()[first] { // @{root.response}: the token was left out
		return strings.Replace(ref.Text, "@{"+ref.Session+"}", "@{"+references.Token+"}."+ref.Session, 1)
	}
	if _, rest, found := strings.Cut(ref.Session, "."); found && ref.Step == "" {
		place = "." + rest
	}
	return strings.Replace(ref.Text, "@{"+ref.Session+"}", "@{"+references.Token+"}"+place, 1)
}

// nearStep asks whether a step was meant whose id is near a name, "" where none is.
func (v *validation) nearStep(name string) string {
	if found := misspelt(name, slices.DeleteFunc(slices.Clone(v.d.ids), func(id string) bool { return id == name })); found != "" {
		return fmt.Sprintf(" (did you mean %q?)", found)
	}
	return ""
}

// reference checks one reference of a step's input (c set) or of a path's condition.
func (v *validation) reference(ref references.Reference, step, path string, c *CompiledStep) {
	switch {
	case ref.Malformed != "":
		v.add("error", "malformed_reference", step, path, "%s: %s", ref.Text, ref.Malformed)
	case ref.Session != references.Token:
		v.add("error", "foreign_session", step, path, "%s names session %q: a reference reads its own session only, write %s", ref.Text, ref.Session, v.ownReference(ref))
	case ref.Step == "":
	case v.d.steps[ref.Step] == nil:
		if !ref.HasDefault && !v.named()[ref.Step] {
			v.add("warning", "unknown_reference", step, path,
				"%s: no step %q is in the workflow%s; it has a value only if the session's inputs have that key", ref.Text, ref.Step, v.nearStep(ref.Step))
		}
	case c != nil && ref.Step == c.ID && !ref.HasDefault:
		v.add("warning", "own_output", step, path, "%s: reads this step's own output, which its first visit does not have; give it a default", ref.Text)
	case c != nil && ref.Step != c.ID && !ref.HasDefault && !v.before(ref.Step, c):
		v.add("warning", "not_before", step, path, "%s: step %q cannot have run before this one", ref.Text, ref.Step)
	default:
		v.unknownOutput(ref, step, path)
	}
}

func (v *validation) path(p *CompiledPath) {
	if p.Fault != "" {
		hint := ""
		if v.d.steps[p.Target] == nil && p.TargetWorkflow == "" {
			hint = v.nearStep(p.Target)
		}
		v.add("error", "closed_path", p.Source, p.ID, "path %s%s", p.Fault, hint)
	}
	if err := p.Parsed.Err(); err != nil {
		v.add("error", "broken_condition", p.Source, p.ID, "condition: %v: the path is closed", err)
	}
	for _, operand := range p.Parsed.Operands() {
		v.operand(p, operand)
	}
	if p.Closes && !p.Back {
		v.add("warning", "closes_loop", p.Source, p.ID, "counts as back: it closes a loop that has no path marked `back`")
	}
}

// contains checks what CONTAINS and TOOL paths make of a step.
func (v *validation) contains(c *CompiledStep) {
	if len(c.Body) > 0 && len(c.Starts) == 0 {
		v.add("error", "body_without_start", c.ID, "", "every step of the body is led to from inside: mark the path that closes the circle with back")
	}
	holders := map[string]string{}
	for _, p := range c.paths {
		if p.Kind != Contains {
			continue
		}
		target := v.d.steps[p.Target]
		switch {
		case target == nil:
			v.add("error", "no_body_step", c.ID, p.ID, "contains step %q, which is not there", p.Target)
		case target.Holder != c.ID:
			v.add("error", "two_containers", p.Target, p.ID, "step %q is in the body of %q already, or contains itself: this path does not count", p.Target, target.Holder)
		case holders[p.Target] != "":
			v.add("warning", "contained_twice", p.Target, p.ID, "step %q is contained twice", p.Target)
		}
		holders[p.Target] = p.ID
	}
	for _, t := range c.ToolPaths {
		if v.d.steps[t.Target] == nil {
			v.add("error", "no_tool_step", c.ID, t.ID, "TOOL leads to step %q, which is not there", t.Target)
		}
		if text, ok := t.Extra["parameters"].(string); ok {
			if _, err := schemacheck.Compile([]byte(text)); err != nil {
				v.add("error", "tool_parameters", c.ID, t.ID, "parameters of the tool: %v", err)
			}
		}
	}
	if len(c.Body) > 0 && c.Function == "" {
		v.add("error", "body_without_function", c.ID, "", "the step contains others and calls no function: loop, iterate, group or map runs a body")
	}
}

func (v *validation) operand(p *CompiledPath, operand string) {
	t := references.Parse(operand)
	if !v.near(operand, p.Source, p.ID) && !t.HasReference() {
		v.add("warning", "literal_operand", p.Source, p.ID, "%q has no reference: it is judged as a text", CutText(operand, 80))
	}
	if meant, always := conditions.Meant(operand); always {
		v.add("error", "always_true", p.Source, p.ID, "%s", alwaysTrue(operand, meant))
	}
	for _, ref := range t.References() {
		v.reference(ref, p.Source, p.ID, nil)
	}
}

func alwaysTrue(operand, meant string) string {
	return fmt.Sprintf("condition %q is a text around a reference, which is never empty and so always true; to compare, write: %s", CutText(operand, 200), CutText(meant, 300))
}

// rounds checks the conditions of a container, which stand in its input.
func (v *validation) rounds(c *CompiledStep) {
	var in map[string]json.RawMessage
	if len(c.Body) == 0 || json.Unmarshal([]byte(orEmpty(c.Input)), &in) != nil {
		return
	}
	for _, name := range []string{"while", "until"} {
		var written any
		if len(in[name]) == 0 || json.Unmarshal(in[name], &written) != nil {
			continue
		}
		switch written.(type) {
		case bool, float64, nil:
			continue
		case map[string]any:
			written = string(in[name])
		}
		condition := conditions.Parse(written, "")
		if err := condition.Err(); err != nil {
			v.add("error", "broken_condition", c.ID, "", "%s: %v: it never holds", name, err)
		}
		for _, operand := range condition.Operands() {
			if meant, always := conditions.Meant(operand); always {
				v.add("error", "always_true", c.ID, "", "%s: %s", name, alwaysTrue(operand, meant))
			}
		}
	}
}

// referable reports whether references can name a step.
func referable(id string) bool {
	refs := references.Parse("@{SESSION_ID}." + id).References()
	return len(refs) == 1 && refs[0].Step == id && refs[0].Malformed == "" && len(refs[0].Fields) == 0
}
