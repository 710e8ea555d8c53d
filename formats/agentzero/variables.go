package agentzero

import (
	"strings"
	"unicode"

	"github.com/stepgraph/stepgraph/formats/internal/inputs"
)

// inputName is what expressions call the text a condition gets.
const inputName = "input"

// identifier tells whether an expression can use a name.
func identifier(name string) bool {
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return name != ""
}

// named lists the agents upstream of a node by their outputVariable, those that run later
// last; names is the order in which the names come up first.
func (f *flow) named(n *node) (names []string, agents map[string][]*node) {
	agents = map[string][]*node{}
	for _, from := range f.upstream(n) {
		name := strings.TrimSpace(from.Data.OutputVariable)
		if from.kind != kindAgent || !identifier(name) || name == inputName {
			continue
		}
		if agents[name] == nil {
			names = append(names, name)
		}
		agents[name] = append(agents[name], from)
	}
	return names, agents
}

// variables are the named outputs a condition's expression may use. One whose agents were
// all skipped is empty text; of several agents the one that runs last counts.
func (c *compiler) variables(n *node) inputs.Object {
	names, agents := c.flow.named(n)
	out := inputs.Of()
	for _, name := range names {
		chain := ""
		for _, agent := range agents[name] {
			chain = inputs.Ref(agent.ID+".text") + "|" + chain
		}
		out = out.With(name, chain)
	}
	return out
}
