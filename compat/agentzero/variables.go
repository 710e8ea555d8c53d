package agentzero

import (
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/expressions"
)

// inputName is what expressions call the text a condition gets.
const inputName = "input"

// identifier reports whether an expression can use a name: it reads as one, and is not a word of
// the language.
func identifier(name string) bool {
	e, err := expressions.Parse(name)
	if err != nil {
		return false
	}
	used, _ := e.Uses()
	return len(used) == 1 && used[0] == name
}

// named lists the agents upstream of a condition that have a name, those that run later last.
func (f *flow) named(n *node) []*node {
	known, ok := f.given[n]
	if !ok {
		f.upstream(n, func(from *node) {
			if from.name != "" {
				known = append(known, from)
			}
		})
		f.given[n] = known
	}
	return known
}

// mostVariables limits the variables of all conditions together, in bytes: each condition has
// the outputs of all nodes before it.
const mostVariables = 64 << 20

// variablesSize is about how many bytes the variables of a condition take.
func (f *flow) variablesSize(n *node) int {
	size := 0
	for _, agent := range f.named(n) {
		size += 2*len(agent.ID) + len(agent.name) + len(inputs.RefOr(""))
	}
	return size
}

// variables returns the named outputs that a condition's expression may use. If all agents of
// a name were skipped, the value is ""; of several agents the one that runs last counts.
func (c *compiler) variables(n *node) inputs.Object {
	out, chains := inputs.Of(), map[string]*strings.Builder{}
	agents := c.flow.named(n)
	for _, agent := range agents {
		if chains[agent.name] == nil {
			chains[agent.name] = &strings.Builder{}
			out = append(out, inputs.Field{Name: agent.name})
		}
	}
	for _, agent := range slices.Backward(agents) {
		chains[agent.name].WriteString(inputs.RefOr(agent.ID + ".text"))
	}
	for i := range out {
		out[i].Value = chains[out[i].Name].String()
	}
	return out
}
