package diagram

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// maxNested is how deep a condition is put into words; the rest is shown as it is written.
const maxNested = 5

// conditionText is a condition in words, "publish.error and not ask.response", or as it is
// written where the language of conditions would not read it.
func conditionText(p *engine.Path) string {
	if text, ok := inWords(p.Condition, p.Operator, 0); ok {
		return text
	}
	text, isText := p.Condition.(string)
	if !isText {
		text = compact(p.Condition)
	}
	if p.Operator != "" && text != "" {
		text = strings.ToUpper(shown(p.Operator, maxFunction)) + " " + text
	}
	return withoutSession(text)
}

// inWords reads a condition, or a part of one; operator joins the parts of a list.
func inWords(v any, operator string, depth int) (string, bool) {
	joint, ok := joints[strings.ToUpper(operator)]
	if !ok || depth > maxNested {
		return "", false
	}
	switch v := v.(type) {
	case nil:
		return "", depth == 0
	case string:
		if text := strings.TrimSpace(v); !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
			return withoutSession(v), true
		}
		var part any
		if json.Unmarshal([]byte(v), &part) != nil {
			return "", false
		}
		return inWords(part, operator, depth+1)
	case []any:
		return listInWords(v, joint, operator, depth)
	case map[string]any:
		return clauseInWords(v)
	}
	return compact(v), true
}

var joints = map[string]string{"": " and ", "AND": " and ", "OR": " or "}

func listInWords(list []any, joint, operator string, depth int) (string, bool) {
	parts := make([]string, len(list))
	for i, item := range list {
		part, ok := inWords(item, operator, depth+1)
		if !ok || part == "" {
			return "", false
		}
		parts[i] = within(part, joint)
	}
	return strings.Join(parts, joint), len(parts) > 0
}

// within puts a part that has another joint in parentheses.
func within(part, joint string) string {
	for _, other := range joints {
		if other != joint && strings.Contains(part, other) {
			return "(" + part + ")"
		}
	}
	return part
}

// clauseInWords reads {"true": operand, "false": operand, "operator": "OR"}.
func clauseInWords(clause map[string]any) (string, bool) {
	operator, ok := clause["operator"].(string)
	if _, given := clause["operator"]; given && !ok {
		return "", false
	}
	joint, ok := joints[strings.ToUpper(operator)]
	if !ok {
		return "", false
	}
	var parts []string
	known := 0
	for _, side := range []struct{ key, before string }{{"true", ""}, {"false", "not "}, {"operator", ""}} {
		operand, given := clause[side.key]
		if !given {
			continue
		}
		known++
		if side.key != "operator" {
			parts = append(parts, side.before+operandText(operand))
		}
	}
	return strings.Join(parts, joint), len(parts) > 0 && known == len(clause)
}

func operandText(v any) string {
	if text, ok := v.(string); ok {
		return withoutSession(text)
	}
	return compact(v)
}

// withoutSession leaves out what each reference begins with.
func withoutSession(text string) string { return strings.ReplaceAll(text, "@{SESSION_ID}.", "") }

func compact(v any) string {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return "?" // no value a graph can hold
	}
	return string(text)
}
