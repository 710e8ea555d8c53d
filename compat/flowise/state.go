package flowise

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// outputVariable is what a node's own output is called where the state is updated.
const outputVariable = "{{ output }}"

// outputPathVariable is a path into the output, which has to be JSON.
var outputPathVariable = regexp.MustCompile(`\{\{\s*output\.([\w.]+)\s*\}\}`)

// updateState makes the step behind a node that lays its updates over the state. It shows the
// node's text too, so that it stands for the node where that ends a round.
func (c *compiler) updateState(n *node, field string) {
	rows, _ := n.Data.Inputs.rows(field)
	if len(rows) == 0 {
		return
	}
	update := inputs.Of()
	c.updating = n
	for _, row := range rows {
		update = update.Set(row.text("key"), c.stateValue(n, field, row))
	}
	c.updating = nil
	if n.kind() != kindLoop {
		update = c.declaredOutputs(n, update)
	}
	in := inputs.Of("set", inputs.Of("text", inputs.RefOr(c.shown(n))), "globals", inputs.Of(valueState, update), "merge", true,
		"previous", inputs.Of(valueState, inputs.RefOr(valueState)))
	c.after(n, engine.Step{ID: c.helper(n.ID + "-state"), Name: "State after " + n.label(), Function: "variable", Input: inputs.Encode(in)})
}

// declaredScript gives a value of the state that still is what the start declares another one.
const declaredScript = `const state = $state || {};
return {values: $keys.map(key => state[key] === $declared[key] ? $then[key] : state[key])};
`

// declaredOutputs adds to an update the values that the start declares with the output of a
// node in them: the first node with an update list behind it fills them in.
func (v *values) declaredOutputs(n *node, update inputs.Object) inputs.Object {
	declared, then, keys := inputs.Of(), inputs.Of(), []string{}
	rows, _ := v.flow.start().Data.Inputs.rows("startState")
	for _, row := range rows {
		key, value := row.text("key"), row.text("value")
		if !strings.Contains(value, "{{ output") && value != "{{output}}" || has(update, key) {
			continue
		}
		declared, then, keys = declared.Set(key, inputs.Literal(value)), then.Set(key, v.withOutput(n, lit(value))), append(keys, key)
	}
	if len(then) == 0 {
		return update
	}
	id := v.helper(n.ID + "-declared")
	v.after(n, javaScript(id, "Declared state after "+n.label(), declaredScript,
		inputs.Of("$state", inputs.RefOr(valueState), "$declared", declared, "$then", then, "$keys", inputs.Of("@literal", keys))))
	for i, key := range keys {
		update = update.Set(key, inputs.Ref(fmt.Sprintf("%s.values[%d]", id, i))+"|")
	}
	return update
}

func has(o inputs.Object, name string) bool {
	return slices.ContainsFunc(o, func(f inputs.Field) bool { return f.Name == name })
}

// stateValue is one value of an update: variables, then what the node has put out.
func (v *values) stateValue(n *node, field string, row settings) any {
	raw := row["value"]
	if len(raw) == 0 || raw[0] != '"' {
		return inputs.Of("@literal", literal(raw))
	}
	s := row.text("value")
	if !n.accepts(field, "value") {
		return v.withOutput(n, lit(s))
	}
	return v.withOutput(n, v.template(n, s))
}

// withOutput replaces what stands for the node's own output in a text.
func (v *values) withOutput(n *node, value text) any {
	plain, isPlain := value.plain()
	if n.kind() == kindLoop {
		if isPlain && strings.Contains(plain, outputVariable) {
			return inputs.RefOr(v.shown(n))
		}
		return value.value()
	}
	if isPlain && (plain == outputVariable || plain == "{{output}}") {
		return v.typedOutput(n, plain)
	}
	for _, p := range value {
		if m := outputPathVariable.FindStringSubmatch(p.lit); m != nil {
			return inputs.Ref(v.resultField(n)+"."+m[1]) + "|" + kept(plain, isPlain, p.lit)
		}
	}
	var out text
	for _, p := range value {
		for i, part := range strings.Split(p.lit, outputVariable) {
			if i > 0 {
				out = append(out, ref(v.shown(n), ""))
			}
			out = append(out, lit(part)...)
		}
		if p.ref != "" {
			out = append(out, p)
		}
	}
	return out.value()
}

// kept is a value whose path leads nowhere: it stays as it is written.
func kept(plain string, isPlain bool, piece string) string {
	if isPlain {
		return plain
	}
	return piece
}

// contentScript keeps the type of what code has found where it is a number or a truth.
const contentScript = `result = {"content": found if type(found) in ["int", "float", "bool"] else text}
`

// typedOutput is a node's output with its type: numbers of code stay numbers.
func (v *values) typedOutput(n *node, otherwise string) string {
	if n.kind() != kindCustomFunction {
		return inputs.Ref(v.shown(n)) + "|" + otherwise
	}
	id := v.helper(n.ID + "-content")
	if !slices.Contains(v.steps[n.ID], id) {
		v.after(n, script(id, "Content of "+n.label(), contentScript, inputs.Of("found", inputs.RefOr(n.ID+".result"), "text", inputs.Ref(n.ID+".text")+"|"+otherwise)))
	}
	return inputs.Ref(id + ".content")
}

// resultField is where a node's output stands as JSON.
func (v *values) resultField(n *node) string {
	switch n.kind() {
	case kindLLM, kindAgent:
		return n.ID + ".output"
	case kindTool, kindRetriever, kindExecuteFlow:
		return v.parsed(n)
	}
	return n.ID + ".result"
}

// parseScript reads a text that is JSON; any other has no parts.
const parseScript = `try { return {result: JSON.parse($text)}; } catch { return {}; }`

// parsed makes the step behind a node that reads what it shows as JSON, once.
func (v *values) parsed(n *node) string {
	id := v.helper(n.ID + "-parsed")
	if !slices.Contains(v.steps[n.ID], id) {
		v.after(n, javaScript(id, "Parts of "+n.label(), parseScript, inputs.Of("$text", inputs.RefOr(v.shown(n)))))
	}
	return id + ".result"
}
