package graph

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// nearReference finds what people write when they mean a reference and do not remember its form:
// @<SESSION>.step, @SESSION_ID.step, @(SESSION_ID).step, ${SESSION_ID}.step. Without brackets only
// capitals count, because of addresses such as me@session.example.
var nearReference = regexp.MustCompile(`(?:@ ?(?i:<\s*SESSION(?:[_-]?ID)?\s*>|\(\s*SESSION(?:[_-]?ID)?\s*\)|\[\s*SESSION(?:[_-]?ID)?\s*\])|(?:^|[^\w@])@SESSION(?:_ID\b|\.)|(?:^|[^@])\$?\{SESSION_ID\})(\.?[\p{L}\p{Nd}_-][\p{L}\p{Nd}_.\[\]-]*)?`)

// otherTemplate finds the references of other template languages: {{step.field}}, ${step.field}.
var otherTemplate = regexp.MustCompile(`(?:\{\{|\$\{)\s*([\p{L}\p{Nd}_-]+)((?:\.[\p{L}\p{Nd}_-]+|\[-?\d+\])+)\s*\}\}?`)

// otherTemplates warns of them where they name a step: elsewhere they are a text's own.
func (v *validation) otherTemplates(text, step string) {
	for _, m := range otherTemplate.FindAllStringSubmatch(text, -1) {
		if v.d.steps[m[1]] != nil {
			v.add("warning", "near_reference", step, "", "%s is not a reference and is taken as text; write @{%s}.%s%s", CutText(m[0], 120), references.Token, m[1], CutText(m[2], 120))
		}
	}
}

// meantReferences are the near misses in a text, each with the reference that was meant.
func meantReferences(text string) (found [][2]string) {
	for _, m := range nearReference.FindAllStringSubmatchIndex(text, -1) {
		written := strings.TrimLeft(text[m[0]:m[1]], " \t\n\"'(,;:=!<>|&+-*/%~^?")
		path := ""
		if m[2] >= 0 {
			path = strings.TrimRight(text[m[2]:m[3]], ".-")
		}
		if path != "" && path[0] != '.' {
			path = "." + path
		}
		found = append(found, [2]string{strings.TrimRight(written, ".-"), "@{" + references.Token + "}" + path})
	}
	return found
}

// nearReferences reports near misses in the texts of a step's input: they would be taken as text.
func (v *validation) nearReferences(c *CompiledStep) {
	session := strings.Contains(strings.ToUpper(c.Input), "SESSION")
	others := jsontext.Blank(c.Config) // a flow of another system may show such a text as it stands
	if !session && !others || !session && !strings.Contains(c.Input, "{{") && !strings.Contains(c.Input, "${") {
		return
	}
	var input any
	if json.Unmarshal([]byte(orEmpty(c.Input)), &input) != nil {
		return
	}
	eachText(input, func(text string) {
		if session {
			v.near(text, c.ID, "")
		}
	})
	if !others {
		return
	}
	if fields, isObject := input.(map[string]any); isObject && v.registry != nil {
		if spec := v.registry.Find(c.Function); spec != nil {
			for _, name := range spec.Program { // a program has braces of its own
				delete(fields, name)
			}
		}
	}
	eachText(input, func(text string) { v.otherTemplates(text, c.ID) })
}

// near reports the near misses of one text and whether there were any.
func (v *validation) near(text, step, path string) bool {
	found := meantReferences(text)
	for _, one := range found {
		v.add("error", "near_reference", step, path, "%s is not a reference and would be taken as text; write %s", CutText(one[0], 120), CutText(one[1], 120))
	}
	return len(found) > 0
}

// eachText visits the texts of a JSON value that are scanned for references: not keys, and not what
// stands under @literal.
func eachText(value any, visit func(string)) {
	switch value := value.(type) {
	case string:
		visit(value)
	case []any:
		for _, one := range value {
			eachText(one, visit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if key != "@literal" {
				eachText(value[key], visit)
			}
		}
	}
}
