package cypherfile

import "math"

// typeName is a value's type as messages say it.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a truth value"
	case int64, float64:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case *node:
		return "a node"
	case *relation:
		return "a relationship"
	}
	return "a value"
}

// propertyValue is what is stored for a value, or an error where Neo4j cannot store it:
// maps, lists of lists, lists of several types. Whole and broken numbers in one list
// become all broken, as there.
func propertyValue(at int, key string, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		switch v.(type) {
		case map[string]any, *node, *relation:
			return nil, faultf(at, "property %s cannot hold %s: write it as a text (JSON)", key, typeName(v))
		}
		return v, nil
	}
	floats := false
	for _, item := range list {
		switch item.(type) {
		case nil, []any, map[string]any, *node, *relation:
			return nil, faultf(at, "property %s: a list cannot hold %s", key, typeName(item))
		}
		if typeName(item) != typeName(list[0]) {
			return nil, faultf(at, "property %s: a list cannot hold %s and %s", key, typeName(list[0]), typeName(item))
		}
		if _, ok := item.(float64); ok {
			floats = true
		}
	}
	if !floats {
		return list, nil
	}
	out := make([]any, len(list))
	for i, item := range list {
		if n, ok := item.(int64); ok {
			item = float64(n)
		}
		out[i] = item
	}
	return out, nil
}

// equal is Cypher's "=": true, false, or nil where null makes it unknown.
func equal(a, b any) any {
	switch a := a.(type) {
	case nil:
		return nil
	case []any:
		if b, ok := b.([]any); ok {
			return equalLists(a, b)
		}
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return equalMaps(a, b)
		}
	case int64:
		switch b := b.(type) {
		case int64:
			return a == b
		case float64:
			return equalNumbers(a, b)
		}
	case float64:
		switch b := b.(type) {
		case int64:
			return equalNumbers(b, a)
		case float64:
			return a == b
		}
	case bool, string, *node, *relation:
		switch b.(type) {
		case bool, string, *node, *relation:
			return a == b
		}
	}
	if b == nil {
		return nil
	}
	return false
}

// equalNumbers compares without losing the last digits of a large integer.
func equalNumbers(n int64, f float64) bool {
	return f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxInt64 && int64(f) == n
}

func equalLists(a, b []any) any {
	if len(a) != len(b) {
		return false
	}
	var answer any = true
	for i := range a {
		switch equal(a[i], b[i]) {
		case false:
			return false
		case nil:
			answer = nil
		}
	}
	return answer
}

func equalMaps(a, b map[string]any) any {
	if len(a) != len(b) {
		return false
	}
	var answer any = true
	for key := range a {
		other, ok := b[key]
		if !ok {
			return false
		}
		switch equal(a[key], other) {
		case false:
			return false
		case nil:
			answer = nil
		}
	}
	return answer
}

// add is the sum of two numbers, or nil where one is none or the sum does not fit.
func add(a, b any) any {
	switch a := a.(type) {
	case int64:
		switch b := b.(type) {
		case int64:
			if sum := a + b; (sum > a) == (b > 0) {
				return sum
			}
		case float64:
			return float64(a) + b
		}
	case float64:
		switch b := b.(type) {
		case int64:
			return a + float64(b)
		case float64:
			return a + b
		}
	}
	return nil
}
