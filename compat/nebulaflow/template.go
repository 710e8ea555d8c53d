package nebulaflow

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
)

// A piece of a text is either literal or a reference (without its token) that may have a
// default. trimmed says that the value has no blanks at its ends.
type piece struct {
	lit     string
	ref     string
	trimmed bool
}

// A text is what a template was compiled to.
type text []piece

func lit(s string) text {
	if s == "" {
		return nil
	}
	return text{{lit: s}}
}

// ref refers to an output; where there is none the text is empty.
func ref(path string, trimmed bool) text { return text{{ref: inputs.RefOr(path), trimmed: trimmed}} }

// value is the text as an input of a step contains it.
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
	if len(parts) == 0 {
		return ""
	}
	if only, ok := parts[0].(string); ok && len(parts) == 1 && !strings.Contains(only, "@{") {
		return only
	}
	return inputs.Of("@text", parts)
}

// trim takes blanks off the literal ends. rest says that a value at an end may have some
// still.
func (t text) trim() (out text, rest bool) {
	out = append(text(nil), t...)
	for len(out) > 0 && out[0].ref == "" {
		if out[0].lit = strings.TrimLeft(out[0].lit, blanks); out[0].lit != "" {
			break
		}
		out = out[1:]
	}
	for n := len(out); n > 0 && out[n-1].ref == ""; n = len(out) {
		if out[n-1].lit = strings.TrimRight(out[n-1].lit, blanks); out[n-1].lit != "" {
			break
		}
		out = out[:n-1]
	}
	if n := len(out); n > 1 {
		// a value that is empty bares the blanks beside it
		rest = out[0].ref != "" || out[n-1].ref != ""
	} else if n == 1 {
		rest = out[0].ref != "" && !out[0].trimmed
	}
	return out, rest
}

const blanks = " \t\r\n\v\f\u00a0\ufeff"

// joined are the texts a reader is given, one to a line.
func (v *values) joined(reader *node, texts []text) text {
	var out text
	for i, t := range texts {
		if !v.spend(reader, t.size()) {
			return nil
		}
		if i > 0 {
			out = append(out, lit("\n")...)
		}
		out = append(out, t...)
	}
	return out
}

// placeholder is ${k} or ${name}.
var placeholder = regexp.MustCompile(`\$\{([^{}\n]+)\}`)

// template compiles a template as the reader sees it; values are the inputs it counts. What
// an inserted value holds is never looked at again.
func (v *values) template(source string, values []text, reader *node) text {
	var out text
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(source, -1) {
		found, known := v.placeholder(source[m[2]:m[3]], values, reader)
		if !known {
			continue
		}
		out = append(append(out, lit(source[at:m[0]])...), found...)
		at = m[1]
	}
	return append(out, lit(source[at:])...)
}

func (v *values) placeholder(name string, values []text, reader *node) (text, bool) {
	if strings.Trim(name, "0123456789") == "" {
		k, err := strconv.Atoi(name)
		if err != nil || k < 1 || k > len(values) {
			return nil, true
		}
		if !v.spend(reader, values[k-1].size()) {
			return nil, true
		}
		return values[k-1], true
	}
	for r := v.flow.inRegion[reader.ID]; r != nil; r = r.outer {
		if variable(r.start) == name {
			return text{{ref: inputs.Ref(v.loopID(r) + ".index"), trimmed: true}}, true
		}
	}
	chain := ""
	if v.accumulators[name] {
		chain = inputs.RefOr(v.accumulatorID(name))
	}
	if v.variables[name] {
		chain += inputs.RefOr(v.variableID(name))
	}
	if chain == "" {
		return nil, false
	}
	return text{{ref: chain + "${" + name + "}"}}, true
}

// variable is the name a loop counts under.
func variable(start *node) string {
	if v := start.Data.LoopVariable; v != "" {
		return v
	}
	return "i"
}
