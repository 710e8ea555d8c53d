package nebulaflow

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// draw returns the node for a step that was added in the graph; why is the reason if no type
// of node does what the step does.
func draw(w *engine.Workflow, s *engine.Step) (node any, why string) {
	var in map[string]json.RawMessage
	if s.Input != "" && json.Unmarshal([]byte(s.Input), &in) != nil {
		return nil, "its input is not a JSON object"
	}
	d := &drawing{w: w, s: s, in: in}
	kind, data := "", inputs.Of("title", d.title(), "active", !s.Inactive)
	if s.Bypass {
		data = data.With("bypass", true)
	}
	switch s.Function {
	case "template":
		kind, data = kindText, data.With("content", d.text("template"))
		d.take("trim")
	case "agent":
		kind = kindLLM
		data = append(data, inputs.Of("content", d.text("prompt"), "systemPromptTemplate", inputs.Spoken(d.take("system")), "reasoningEffort", inputs.Spoken(d.take("reasoning_effort")))...)
		if model := inputs.Spoken(d.take("model")); model != "" {
			provider, _, _ := strings.Cut(model, "/")
			data = data.With("model", inputs.Of("id", model, "provider", provider))
		}
		if given, err := time.ParseDuration(s.Timeout); err == nil {
			data = data.With("timeoutSec", given.Seconds())
		}
		d.take("trim")
	case "shell":
		kind, data = kindCLI, append(data, d.command()...)
	case "variable":
		kind, data = kindVariable, append(data, d.variable()...)
	case "subflow":
		kind, data = kindSubflow, append(data, d.subflow()...)
	default:
		return nil, fmt.Sprintf("no node of NebulaFlow does what the function %q does", s.Function)
	}
	for _, name := range inputs.Names(d.in) {
		if !d.known[name] {
			return nil, fmt.Sprintf("a node of the type %s has no field for %q of its input", kind, name)
		}
	}
	if d.unread != "" {
		return nil, fmt.Sprintf("it reads %s, which is none of its inputs: a node reads the nodes that lead to it, and variables", d.unread)
	}
	x, y := 0.0, 0.0
	if s.X != nil && s.Y != nil {
		x, y = *s.X, *s.Y
	}
	return inputs.Of("id", s.ID, "type", kind, "data", data, "position", inputs.Of("x", x, "y", y)), ""
}

// A drawing reads the input of a step field by field.
type drawing struct {
	w      *engine.Workflow
	s      *engine.Step
	in     map[string]json.RawMessage
	known  map[string]bool
	unread string // a reference that no template can say
}

func (d *drawing) take(name string) json.RawMessage {
	if d.known == nil {
		d.known = map[string]bool{}
	}
	d.known[name] = true
	return d.in[name]
}

func (d *drawing) title() string {
	if d.s.Name != "" {
		return d.s.Name
	}
	return d.s.ID
}

// nativeReference is what a template may say as ${k} or ${name}.
var nativeReference = regexp.MustCompile(`@\{SESSION_ID\}\.([\pL\d_-]+)((?:\.[\pL\d_-]+|\[-?\d+\])*)\|?`)

// text is a field with its references as placeholders: the k-th node that leads here is ${k}, a
// variable or accumulator ${name}.
func (d *drawing) text(name string) string { return d.placeholders(inputs.Spoken(d.take(name))) }

func (d *drawing) placeholders(text string) string {
	return nativeReference.ReplaceAllStringFunc(text, func(ref string) string {
		m := nativeReference.FindStringSubmatch(ref)
		for _, prefix := range []string{"var-", "acc-"} {
			if name, ok := strings.CutPrefix(m[1], prefix); ok && m[2] == "" {
				return "${" + name + "}"
			}
		}
		for k, source := range d.sources() {
			if source == m[1] && (m[2] == ".text" || m[2] == "") {
				return fmt.Sprintf("${%d}", k+1)
			}
		}
		d.unread = ref
		return ref
	})
}

// sources are the nodes that lead to the step, in the order of its inputs.
func (d *drawing) sources() (list []string) {
	for _, p := range refit.Edges(d.w, refit.IsEdge) {
		if p.Target == d.s.ID {
			list = append(list, p.Source)
		}
	}
	return list
}

func (d *drawing) command() inputs.Object {
	mode, content := "command", d.text("command")
	if script := d.take("script"); script != nil {
		mode, content = modeScript, d.placeholders(inputs.Spoken(script))
	}
	out := inputs.Of("content", content, "mode", mode, "safetyLevel", "safe")
	if shell := inputs.Spoken(d.take("shell")); shell != "" {
		out = out.With("shell", shell)
	}
	if string(d.take("raise")) == "true" {
		out = out.With("shouldAbort", true)
	}
	if string(d.take("stream")) == "true" {
		out = out.With("streamOutput", true)
	}
	if d.s.Approval {
		out = out.With("needsUserApproval", true)
	}
	return out
}

func (d *drawing) variable() inputs.Object {
	var globals map[string]json.RawMessage
	if json.Unmarshal(d.take("globals"), &globals) != nil || len(globals) != 1 {
		d.known["globals"] = false
		d.in["globals"] = nil
		return nil
	}
	name := inputs.Names(globals)[0]
	if !strings.HasPrefix(name, "var-") {
		d.in["globals."+name] = nil // a variable of NebulaFlow is kept as var-NAME
	}
	content := d.text("text")
	if content == "" {
		content = d.placeholders(inputs.Spoken(globals[name]))
	}
	return inputs.Of("variableName", strings.TrimPrefix(name, "var-"), "content", content)
}

func (d *drawing) subflow() inputs.Object {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(d.take("inputs"), &given) // absent: it takes no inputs
	sources := d.sources()
	for _, name := range inputs.Names(given) {
		k, ok := strings.CutPrefix(name, "port-in-")
		if n, err := strconv.Atoi(k); !ok || err != nil || n >= len(sources) || d.placeholders(inputs.Spoken(given[name])) != fmt.Sprintf("${%d}", n+1) {
			d.in["inputs."+name] = nil // an input is the text of the node that leads to its port
		}
	}
	var outputs []string
	_ = json.Unmarshal(d.take("outputs"), &outputs)
	return inputs.Of("subflowId", inputs.Spoken(d.take("workflow")), "inputPortCount", max(len(sources), 1), "outputPortCount", max(len(outputs), 1))
}

// fieldsOf are the places below a node's data where a field that was added to its step's input may
// stand.
func fieldsOf(_ gjson.Result, field string) []string {
	return map[string][]string{"system": {"systemPromptTemplate"}, "model": {"model.id"}, "raise": {"shouldAbort"}, "stream": {"streamOutput"}, "shell": {"shell"}}[field]
}

// handles are those of an edge that was drawn in the graph: an if/else is left by a side, and where
// the inputs of a node are numbered the next free number is taken.
func handles(w *engine.Workflow, p *engine.Path, paths []*engine.Path) (more inputs.Object) {
	if p.Extra[propertyFromPort] == nil {
		if s := w.Step(p.Source); s != nil && s.Config != "" && nodeOf(s).Type == kindIfElse {
			if side := sideOf(p); side != "" {
				more = more.With("sourceHandle", side)
			}
		}
	}
	if p.Extra[propertyToPort] != nil {
		return more
	}
	next, numbered := 0, false
	for _, q := range paths {
		if q.Target != p.Target || q == p {
			continue
		}
		port := portText(q, propertyToPort)
		if k := portOf(port, "in-"); port != "" && k < 1000 {
			next, numbered = max(next, k+1), true
		}
	}
	if numbered {
		for _, q := range paths { // those that were drawn before it take theirs first
			if q == p {
				break
			}
			if q.Target == p.Target && q.Extra[propertyEdge] == nil && q.Extra[propertyToPort] == nil {
				next++
			}
		}
		more = more.With("targetHandle", fmt.Sprintf("in-%d", next))
	}
	return more
}

// sideOf is the side of an if/else that a path's condition asks for.
func sideOf(p *engine.Path) string {
	text, _ := p.Condition.(string)
	var clause map[string]string
	if json.Unmarshal([]byte(text), &clause) != nil || len(clause) != 1 {
		return ""
	}
	for _, side := range sides {
		if strings.TrimSuffix(clause[side], "|") == inputs.Ref(p.Source+".result") {
			return side
		}
	}
	return ""
}
