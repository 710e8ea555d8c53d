package flowise

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/flowise/internal/markdown"
	"github.com/stepgraph/stepgraph/compat/internal/inputs"
)

// A piece of a text is either literal or a lone reference with its default.
type piece struct {
	lit string
	ref string
	// typed says that the reference alone gives its value as it is, where all others give
	// text.
	typed bool
	// alone is the reference that is used in place of ref where the piece is the whole text.
	alone string
}

// A text is what a string of the document was compiled to.
type text []piece

func lit(s string) text {
	if s == "" {
		return nil
	}
	return text{{lit: s}}
}

func ref(path, otherwise string) piece { return piece{ref: inputs.Ref(path) + "|" + otherwise} }

// value is the text as an input of a step contains it. It gives a text, or the value of a
// reference that stands alone.
func (t text) value() any {
	var all inputs.Parts
	for _, p := range t {
		if p.ref == "" {
			all.Literal(p.lit)
		} else {
			all.Reference(p.ref)
		}
	}
	parts := all.List()
	switch {
	case len(parts) == 0:
		return ""
	case len(parts) == 1 && t[0].ref == "":
		return parts[0]
	case len(parts) == 1 && t[0].typed && t[0].alone != "":
		return t[0].alone
	case len(parts) == 1 && t[0].typed:
		return parts[0]
	}
	return inputs.Of("@text", parts)
}

// plain is the text when it holds no reference.
func (t text) plain() (string, bool) {
	var b strings.Builder
	for _, p := range t {
		if p.ref != "" {
			return "", false
		}
		b.WriteString(p.lit)
	}
	return b.String(), true
}

var (
	// richText begins with an element that makes a block: what editors of rich text store.
	richText = regexp.MustCompile(`(?i)^\s*<(p|div|h[1-6]|ul|ol|blockquote|pre|table)\b`)
	variable = regexp.MustCompile(`\{\{(.*?)\}\}`)
)

// markdownOf is a string of the document as Flowise reads it before it looks for variables.
func markdownOf(s string) string {
	if richText.MatchString(s) {
		return markdown.FromHTML(s)
	}
	return s
}

// template compiles a string in which variables are replaced. Variables of unknown names stay
// as they are written.
func (v *values) template(n *node, s string) text {
	s = markdownOf(s)
	var out text
	at := 0
	for _, m := range variable.FindAllStringIndex(s, -1) {
		out = append(out, lit(s[at:m[0]])...)
		out = append(out, v.variable(n, s[m[0]:m[1]])...)
		at = m[1]
	}
	out = append(out, lit(s[at:])...)
	for i := range out {
		out[i].typed = out[i].typed && len(out) == 1
	}
	return out
}

// setting compiles one input of a node: with its variables where the parameter accepts them.
func (v *values) setting(n *node, in settings, path ...string) text {
	name := path[len(path)-1]
	s := in.text(name)
	if raw := in[name]; len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		s = compact(raw)
	}
	if !n.accepts(path...) {
		return lit(s)
	}
	return v.template(n, s)
}

// resolved compiles a value of the document with the variables in all texts it holds.
func (v *values) resolved(n *node, raw json.RawMessage) any {
	switch {
	case len(raw) > 0 && raw[0] == '"':
		return v.template(n, textOf(raw)).value()
	case len(raw) > 0 && raw[0] == '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			break
		}
		out := []any{}
		for _, one := range list {
			out = append(out, v.resolved(n, one))
		}
		return out
	case len(raw) > 0 && raw[0] == '{':
		fields, err := orderedFields(raw)
		if err != nil || slices.ContainsFunc(fields, func(f field) bool { return strings.HasPrefix(f.name, "@") }) {
			break // one whose names would be read as ours stays as it is
		}
		out := inputs.Of()
		for _, f := range fields {
			out = out.With(f.name, v.resolved(n, f.value))
		}
		return out
	}
	return inputs.Of("@literal", raw)
}

func compact(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	return inputs.Encode(json.RawMessage(raw))
}
