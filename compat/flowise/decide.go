package flowise

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// operators maps the operations of each type to ours.
var operators = map[string]map[string]string{
	"string": {"contains": "contains", "notContains": "not_contains", "startsWith": "starts_with", "endsWith": "ends_with", "equal": "equal",
		"notEqual": "not_equal", "regex": "matches", "isEmpty": "is_empty", "notEmpty": "not_empty"},
	"number": {"smaller": "smaller", "smallerEqual": "smaller_equal", "equal": "equal", "notEqual": "not_equal", "larger": "larger",
		"largerEqual": "larger_equal", "isEmpty": "is_empty", "notEmpty": "not_empty"},
	"boolean": {"equal": "equal", "notEqual": "not_equal"},
}

// conditionType is the type a condition compares by: any other word is text.
func conditionType(given string) string {
	switch given {
	case "number", "boolean":
		return given
	}
	return "string"
}

// condition takes the first of its conditions that holds, else the last branch.
func (c *compiler) condition(s *engine.Step, n *node) {
	rows, _ := n.Data.Inputs.rows("conditions")
	rules := []any{}
	for _, row := range rows {
		kind := conditionType(row.text("type"))
		rule := inputs.Of()
		if kind != "string" {
			rule = rule.With("type", kind)
		}
		rules = append(rules, append(rule, inputs.Of("left", c.rowValue(n, "conditions", "value1", row), "operator", operators[kind][row.text("operation")], "right", c.rowValue(n, "conditions", "value2", row))...))
	}
	s.Function, s.Input = "switch.flowise", inputs.Encode(inputs.Of("rules", rules))
}

// systemOfChoice tells a model how to choose a scenario.
const systemOfChoice = `You route requests. Each message is an object with "input", what was said, "scenarios", a list, and "instruction", what to heed.
Choose the one scenario that fits the input best under the instruction. Reply with JSON in a fence, and nothing else:
` + "```json\n{\"output\": \"<the scenario, exactly as it stands in the list>\"}\n```"

// The example that goes before the question.
const (
	exampleOfChoice = `{"input": "Hello", "scenarios": ["user is asking about AI", "user is not asking about AI"], "instruction": "Your task is to check if the user is asking about AI."}`
	exampleReply    = "```json\n{\"output\": \"user is not asking about AI\"}\n```"
)

// conditionAgent lets a model choose among scenarios.
func (m *modelNodes) conditionAgent(s *engine.Step, n *node) {
	in := n.Data.Inputs
	rows, _ := in.rows("conditionAgentScenarios")
	scenarios, names := []any{}, []any{}
	for _, row := range rows {
		scenarios, names = append(scenarios, inputs.Literal(row.text("scenario"))), append(names, row.text("scenario"))
	}
	system := any(systemOfChoice)
	if own := m.setting(n, in, "conditionAgentSystemPrompt"); in.flag("conditionAgentOverrideSystemPrompt") && own != nil {
		system = own.value()
	}
	said, instruction := m.setting(n, in, "conditionAgentInput"), m.setting(n, in, "conditionAgentInstructions")
	ask := append(append(append(append(lit(`{"input": `), said...), lit(`, "scenarios": `+inputs.Encode(names)+`, "instruction": `)...), instruction...), lit(`}`)...)
	input := m.modelSettings(n, in.text("conditionAgentModel"), in.object("conditionAgentModelConfig"))
	input = append(input, inputs.Of("system", system, "classes", scenarios, "input", said.value(), "ask", ask.value(), "messages", []any{
		inputs.Of("role", "user", "content", exampleOfChoice), inputs.Of("role", "assistant", "content", exampleReply)},
		"conversation", m.conversation(n), "on_unknown", "last", "strict", true)...)
	input = append(input, m.memory(n, in.flag("conditionAgentEnableMemory"))...)
	s.Function, s.Input = "classify.flowise", inputs.Encode(input)
}

var branchHandle = regexp.MustCompile(`-output-(\d+)$`)

// decision says when the path of an edge out of a deciding node is taken.
func (c *compiler) decision(p *engine.Path, from *node, e *edge) {
	m := branchHandle.FindStringSubmatch(e.SourceHandle)
	if m == nil {
		c.note(from, "branch", "edge %q leaves by none of its branches and is always taken", e.ID)
		return
	}
	branch, _ := strconv.Atoi(m[1])
	p.Label = m[1]
	if from.kind() == kindHumanInput {
		word, label := "false", "reject"
		if branch == 0 {
			word, label = "true", "proceed"
		}
		p.Label = label
		p.Condition = inputs.Encode(inputs.Of(word, inputs.RefOr(from.ID+".confirmed")))
		return
	}
	p.Condition = inputs.Encode(inputs.Of("true", inputs.RefOr(from.ID+".branches."+m[1])))
	if label := branchName(from, branch); label != "" {
		p.Label = label
	}
}

// branchName is what a branch of a condition agent is called.
func branchName(n *node, branch int) string {
	if n.kind() != kindConditionAgent {
		return ""
	}
	rows, _ := n.Data.Inputs.rows("conditionAgentScenarios")
	if branch >= len(rows) {
		return ""
	}
	return strings.TrimSpace(rows[branch].text("scenario"))
}
