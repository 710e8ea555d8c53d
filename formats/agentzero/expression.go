package agentzero

import (
	"errors"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/expressions"
)

// expressions checks the expressions of all conditions: that they parse, and that they use
// nothing but the names and methods they may.
func (c *checker) expressions() {
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
		names := []string{inputName}
		for _, agent := range c.flow.named(n) {
			names = append(names, agent.name)
		}
		if err := allowed(e, names); err != nil {
			c.atNode(n, "data/expression", codeForbidden, "the expression %s: %v", text, err)
		}
	}
}

// allowed tells what an expression uses and may not: names nobody gives it, and attributes that
// are no methods.
func allowed(e *expressions.Expression, names []string) error {
	used, attributes := e.Uses()
	for _, name := range used {
		if !slices.Contains(names, name) && !slices.Contains(expressions.Functions(), name) {
			there := slices.Compact(slices.Sorted(slices.Values(names)))
			return errors.New(name + " is not known here; there are " + strings.Join(there, ", ") + " and the functions " + strings.Join(expressions.Functions(), ", "))
		}
	}
	for _, name := range attributes {
		if !isMethod(name) {
			return errors.New(name + " is no method that an expression may call")
		}
	}
	return nil
}

func isMethod(name string) bool {
	for _, methods := range expressions.Methods() {
		if slices.Contains(methods, name) {
			return true
		}
	}
	return false
}
