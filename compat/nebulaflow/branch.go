package nebulaflow

import (
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// operators of conditions, as the two run modes of NebulaFlow have them.
var operators = regexp.MustCompile(`(?:^|\s)(===|!==|==|!=)(?:\s|$)`)

// compareScript compares two texts; without an operator it looks for one in the text, and a
// text without any is true, as it is in NebulaFlow.
const compareScript = `same = left.strip() == right.strip()
if not operator:
    words = left.strip().split()
    signs = [w for w in words if w in ("==", "===", "!=", "!==")]
    operator = signs[0] if signs else "!="
    parts = left.split(operator, 1) if signs else []
    same = parts[0].strip() == parts[1].strip() if signs else False
decision = same if operator[0] == "=" else not same
result = {"result": decision, "text": "true" if decision else "false"}
`

// exitScript is the documented rule after a shell node: exit code 0 is true.
const exitScript = `result = {"result": code == 0, "text": text}
`

// ifElse makes a step that decides and, for the node, one that shows the decision.
func (c *compiler) ifElse(s *engine.Step, n *node, values []text) {
	test := c.helper(n.ID + "-test")
	script, variables := compareScript, c.comparison(n, values)
	if shell := c.shellParent(n); shell != nil {
		script, variables = exitScript, inputs.Of("code", inputs.Ref(shell.ID+".exit_code"), "text", inputs.RefOr(shell.ID+".text"))
		if strings.TrimSpace(n.Data.Content) != "" {
			c.note(n, "condition_ignored", "the shell node before it decides by its exit code; the condition is not looked at")
		}
	}
	c.before(n, engine.Step{ID: test, Name: "Test of " + n.title(), Function: "utils.code.code",
		Input: inputs.Encode(inputs.Of("code", script, "variables", variables, "raise", true))})
	s.Function = "template"
	s.Input = inputs.Encode(inputs.Of("template", inputs.Ref(test+".result.text"), "result", inputs.Ref(test+".result.result")))
}

// comparison splits the condition where its own text has an operator, so that one in a value
// changes nothing.
func (c *compiler) comparison(n *node, values []text) inputs.Object {
	content := n.Data.Content
	if at := operators.FindStringSubmatchIndex(content); at != nil {
		return inputs.Of("left", c.template(content[:at[2]], values, n).value(), "operator", content[at[2]:at[3]],
			"right", c.template(content[at[3]:], values, n).value())
	}
	return inputs.Of("left", c.template(content, values, n).value(), "operator", "", "right", "")
}

func (c *compiler) shellParent(n *node) *node {
	for _, e := range c.flow.inputs(n) {
		if from := c.flow.byID[e.Source]; from.Type == kindCLI && from.active() && !from.Data.Bypass {
			return from
		}
	}
	return nil
}
