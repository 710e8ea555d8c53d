package cypherfile

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// value evaluates an expression for one row.
func (r *run) value(e expression, row row) (any, error) {
	switch e := e.(type) {
	case *literal:
		return e.value, nil
	case *variable:
		return row[e.slot], nil
	case *listExpression:
		list := make([]any, len(e.items))
		for i := range e.items {
			var err error
			if list[i], err = r.value(e.items[i], row); err != nil {
				return nil, err
			}
		}
		return list, nil
	case *mapExpression:
		m := make(map[string]any, len(e.keys))
		for i := range e.keys {
			var err error
			if m[e.keys[i]], err = r.value(e.values[i], row); err != nil {
				return nil, err
			}
		}
		return m, nil
	case *propertyExpression:
		return r.property(e, row)
	case *labelExpression:
		return r.hasLabels(e, row)
	case *unary:
		return r.unary(e, row)
	case *binary:
		return r.binary(e, row)
	}
	return nil, refused(e.place(), "this expression")
}

func (r *run) property(e *propertyExpression, row row) (any, error) {
	of, err := r.value(e.of, row)
	if err != nil || of == nil {
		return nil, err
	}
	properties, ok := propertiesOf(of)
	if !ok {
		return nil, faultf(e.at, "%s has no properties", typeName(of))
	}
	return properties[e.key], nil
}

func (r *run) hasLabels(e *labelExpression, row row) (any, error) {
	of, err := r.value(e.of, row)
	if err != nil || of == nil {
		return nil, err
	}
	switch of := of.(type) {
	case *node:
		for _, label := range e.labels {
			if !slices.Contains(of.labels, label) {
				return false, nil
			}
		}
		return true, nil
	case *relation:
		return !slices.ContainsFunc(e.labels, func(l string) bool { return l != of.kind }), nil
	}
	return nil, faultf(e.at, "%s has no labels", typeName(of))
}

func (r *run) unary(e *unary, row row) (any, error) {
	v, err := r.value(e.of, row)
	if err != nil {
		return nil, err
	}
	switch e.operator {
	case "IS NULL":
		return v == nil, nil
	case "IS NOT NULL":
		return v != nil, nil
	case "NOT":
		b, err := boolean(e.at, "NOT", v)
		if err != nil || b == nil {
			return nil, err
		}
		return b == false, nil
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case int64:
		if e.operator == "-" {
			if v == math.MinInt64 {
				return nil, faultf(e.at, "the number is too large")
			}
			return -v, nil
		}
		return v, nil
	case float64:
		if e.operator == "-" {
			return -v, nil
		}
		return v, nil
	}
	return nil, faultf(e.at, "%s has no sign", typeName(v))
}

func (r *run) binary(e *binary, row row) (any, error) {
	left, err := r.value(e.left, row)
	if err != nil {
		return nil, err
	}
	right, err := r.value(e.right, row)
	if err != nil {
		return nil, err
	}
	switch e.operator {
	case "=":
		return equal(left, right), nil
	case "<>":
		if same := equal(left, right); same != nil {
			return same == false, nil
		}
		return nil, nil
	case "IN":
		return in(e.at, left, right)
	case "AND", "OR", "XOR":
		return logic(e, left, right)
	case "+", "||":
		return r.plus(e, left, right)
	}
	a, okA := left.(string)
	b, okB := right.(string)
	if !okA || !okB {
		return nil, nil // as in Neo4j: no answer where one side is not text
	}
	switch e.operator {
	case "STARTS WITH":
		return strings.HasPrefix(a, b), nil
	case "ENDS WITH":
		return strings.HasSuffix(a, b), nil
	}
	return strings.Contains(a, b), nil
}

// logic joins two truth values of three: null is "not known".
func logic(e *binary, left, right any) (any, error) {
	a, err := boolean(e.left.place(), e.operator, left)
	if err != nil {
		return nil, err
	}
	b, err := boolean(e.right.place(), e.operator, right)
	if err != nil {
		return nil, err
	}
	decides := e.operator == "OR"
	if e.operator != "XOR" && (a == decides || b == decides) {
		return decides, nil
	}
	if a == nil || b == nil {
		return nil, nil
	}
	if e.operator == "XOR" {
		return a != b, nil
	}
	return !decides, nil
}

// holds evaluates a WHERE: null is not enough.
func (r *run) holds(where expression, row row) (bool, error) {
	v, err := r.value(where, row)
	if err != nil {
		return false, err
	}
	v, err = boolean(where.place(), "WHERE", v)
	return v == true, err
}

func boolean(at int, operator string, v any) (any, error) {
	switch v.(type) {
	case nil, bool:
		return v, nil
	}
	return nil, faultf(at, "%s needs true or false, not %s", operator, typeName(v))
}

func in(at int, item, list any) (any, error) {
	if list == nil {
		return nil, nil
	}
	all, ok := list.([]any)
	if !ok {
		return nil, faultf(at, "IN needs a list, not %s", typeName(list))
	}
	var answer any = false
	for _, each := range all {
		switch equal(item, each) {
		case true:
			return true, nil
		case nil:
			answer = nil
		}
	}
	return answer, nil
}

// plus joins texts and lists and adds numbers.
func (r *run) plus(e *binary, left, right any) (any, error) {
	if left == nil || right == nil {
		return nil, nil
	}
	listA, okA := left.([]any)
	listB, okB := right.([]any)
	switch {
	case okA && okB:
		r.graph.work += 4 * (len(listA) + len(listB))
		return slices.Concat(listA, listB), nil
	case okA && e.operator == "+":
		r.graph.work += 4 * len(listA)
		return append(slices.Clip(listA), right), nil
	case okB && e.operator == "+":
		r.graph.work += 4 * len(listB)
		return slices.Concat([]any{left}, listB), nil
	}
	textA, okA := left.(string)
	textB, okB := right.(string)
	if (okA || okB) && (e.operator == "+" || okA && okB) {
		return r.join(e, left, right, textA, textB)
	}
	if e.operator == "+" {
		if sum := add(left, right); sum != nil {
			return sum, nil
		}
	}
	return nil, faultf(e.at, "%s and %s cannot be joined by %s", typeName(left), typeName(right), e.operator)
}

func (r *run) join(e *binary, left, right any, a, b string) (any, error) {
	if n, ok := left.(int64); ok {
		a = strconv.FormatInt(n, 10)
	} else if left != a {
		return nil, faultf(e.at, "%s cannot be joined to a text: write it as a text", typeName(left))
	}
	if n, ok := right.(int64); ok {
		b = strconv.FormatInt(n, 10)
	} else if right != b {
		return nil, faultf(e.at, "%s cannot be joined to a text: write it as a text", typeName(right))
	}
	r.graph.work += (len(a) + len(b)) / 4
	if r.graph.work > maxWork {
		return nil, faultf(e.at, "the texts joined here are too long")
	}
	return a + b, nil
}
