package agentzero

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/stepgraph/stepgraph/expressions"
)

// expressions checks the expressions of all conditions: that they parse, and that they use
// nothing but the names and methods they may.
func (c *checker) expressions() {
	size := 0
	for _, n := range c.flow.ofKind(kindCondition) {
		text := strings.TrimSpace(n.Data.Expression)
		if text == "" {
			c.atNode(n, "data/expression", codeEmpty, "the expression is empty")
			continue
		}
		e, err := expressions.Parse(text)
		if err != nil {
			code := codeExpression
			if fault := new(expressions.Error); errors.As(err, &fault) && fault.Forbidden {
				code = codeForbidden
			}
			c.atNode(n, "data/expression", code, "the expression %s: %v", text, err)
			continue
		}
		if size += c.flow.variablesSize(n); size > mostVariables {
			c.atNode(n, "", codeTooLarge, "up to here what agents hand to conditions comes to more than %d MB: take outputVariable off agents whose outputs no condition reads", mostVariables>>20)
			return
		}
		names := map[string]bool{inputName: true}
		for _, agent := range c.flow.named(n) {
			names[agent.name] = true
		}
		if err := allowed(e, names); err != nil {
			c.atNode(n, "data/expression", codeForbidden, "the expression %s: %v", text, err)
		}
	}
}

// allowed returns an error if an expression uses an unknown name or an attribute that is not a
// method.
func allowed(e *expressions.Expression, names map[string]bool) error {
	used, attributes := e.Uses()
	for _, name := range used {
		if !names[name] && !knownFunctions()[name] {
			return errors.New(name + " is not known here; there are " + sortedText(names) + " and the functions " + sortedText(knownFunctions()))
		}
	}
	for _, name := range attributes {
		if !knownMethods()[name] {
			return errors.New(name + " is not a method that an expression may call")
		}
	}
	return nil
}

func sortedText(names map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

var knownFunctions = sync.OnceValue(func() map[string]bool { return setOf(expressions.Functions()) })

var knownMethods = sync.OnceValue(func() map[string]bool {
	return setOf(slices.Collect(maps.Values(expressions.Methods()))...)
})

func setOf(lists ...[]string) map[string]bool {
	set := map[string]bool{}
	for _, name := range slices.Concat(lists...) {
		set[name] = true
	}
	return set
}
