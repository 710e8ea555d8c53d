package flowise

import (
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// codeFailed is how an error of code reads.
const codeFailed = "Error: NodeVM Execution Error: {message}"

var requires = regexp.MustCompile(`\brequire\s*\(\s*['"]([^'"]+)['"]`)

// customFunction runs JavaScript.
func (c *compiler) customFunction(s *engine.Step, n *node) {
	in := n.Data.Inputs
	code := in.text("customFunctionJavascriptFunction")
	variables := inputs.Of("$input", inputs.RefOr(valueInput), "$vars", inputs.RefOr(valueVars), "$flow", c.flowObject(n))
	rows, _ := in.rows("customFunctionInputVariables")
	for _, row := range rows {
		if name := row.text("variableName"); name != "" {
			variables = variables.Set("$"+strings.TrimPrefix(name, "$"), c.rowValue(n, "customFunctionInputVariables", "variableValue", row))
		}
	}
	for _, m := range requires.FindAllStringSubmatch(code, -1) {
		c.note(n, "needs_module", "its code requires %q, which scripts do not have here: replace the step by an HTTP call, a tool or a function of your own", m[1])
	}
	s.Function = "code"
	s.Input = inputs.Encode(inputs.Of("language", "javascript", "code", code, "variables", variables, "text", "pretty", "raise", codeFailed))
}

// flowObject is what code sees as $flow.
func (v *values) flowObject(n *node) inputs.Object {
	id := func(name string) string { return inputs.Ref(valueFlow+"."+name) + "|@{SESSION_ID}" }
	return inputs.Of("input", inputs.RefOr(valueInput), "state", inputs.RefOr(valueState), "chatId", id("chatId"), "sessionId", id("sessionId"),
		"chatflowId", inputs.RefOr(valueFlow+".chatflowId"), "chatHistory", inputs.RefOr(valuePast), "rawOutput", "", "sourceDocuments", []any{},
		"usedTools", []any{}, "artifacts", []any{}, "fileAnnotations", []any{})
}

// rowValue is a value in a list of a node: a variable that stands alone keeps the type of what
// it stands for where that is not a list or object, which are text.
func (v *values) rowValue(n *node, list, name string, row settings) any {
	raw := row[name]
	switch accepts := n.accepts(list, name); {
	case len(raw) == 0 || raw[0] == '"' && !accepts:
		return lit(row.text(name)).value()
	case !accepts:
		return inputs.Of("@literal", raw)
	}
	return v.resolved(n, raw)
}
