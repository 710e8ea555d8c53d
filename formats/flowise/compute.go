package flowise

import (
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/internal/inputs"
)

// What a step in front of a node can compute for it.
const (
	needHistory = "chat_history"
	needLength  = "runtime_messages_length"
	needNow     = "current_date_time"
	needLast    = "last_message"
)

// computations in JavaScript, over past and chat.
var computations = map[string]string{
	needHistory: `past.concat(chat).filter(m => String(m.content).trim() !== '').map(m => ({user: 'Human: ', assistant: 'Assistant: '}[m.role] || '') + m.content).join('\n')`,
	needLength:  `Math.max(chat.length - 1, 0)`,
	needNow:     `new Date().toISOString()`,
	needLast:    `(past.concat(chat).at(-1) || {content: ''}).content`,
}

const computePrelude = "const past = $past || [], chat = $chat || [];\n"

// computed is a reference to something that a step in front of a node computes.
func (c *compiler) computed(n *node, need string) string {
	if c.needs[n.ID] == nil {
		c.needs[n.ID] = map[string]bool{}
	}
	c.needs[n.ID][need] = true
	return inputs.RefOr(c.helper(n.ID+"-values") + "." + need)
}

// compute makes the step that computes what a node needs.
func (c *compiler) compute(n *node) {
	if len(c.needs[n.ID]) == 0 {
		return
	}
	var fields []string
	for need := range c.needs[n.ID] {
		fields = append(fields, need+": "+computations[need])
	}
	sort.Strings(fields)
	c.before(n, javaScript(c.helper(n.ID+"-values"), "Values for "+n.label(), computePrelude+"return {"+strings.Join(fields, ", ")+"};",
		inputs.Of("$past", list(valuePast), "$chat", list(c.local(n, valueChat)))))
}

// javaScript is a step of ours that runs JavaScript and gives its result as output.
func javaScript(id, name, code string, variables inputs.Object) engine.Step {
	return engine.Step{ID: id, Name: name, Function: "code",
		Input: inputs.Encode(inputs.Of("language", "javascript", "code", code, "variables", variables, "as_output", true))}
}
