package diagram

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/engine"
)

// What Mermaid draws unless the page that shows it allows more.
const (
	maxMermaidText  = 50_000 // characters
	maxMermaidLines = 500
)

// mermaidShapes are what stands before and after a label.
var mermaidShapes = map[kind][2]string{
	kindStep: {"[", "]"}, kindJunction: {"(", ")"}, kindQuestion: {"[/", "/]"}, kindReply: {`[\`, `\]`}, kindDecision: {"{", "}"},
	kindModel: {"([", "])"}, kindContainer: {"{{", "}}"}, kindChild: {"[[", "]]"}, kindWait: {`[\`, "/]"}, kindOutside: {">", "]"},
}

// Mermaid draws a workflow as a flowchart. The problems are warnings about what Mermaid
// would not draw by default.
func Mermaid(w *engine.Workflow) ([]byte, []engine.Problem) {
	p := planOf(w)
	m := &mermaidWriter{}
	m.head(p)
	for _, b := range p.boxes {
		if b.frame == nil {
			m.box(b, "  ")
		}
	}
	for _, f := range p.frames {
		m.frame(f, "  ")
	}
	for i := range p.lines {
		m.line(&p.lines[i])
	}
	m.classes(p)
	return []byte(m.out.String()), m.limits(len(p.lines))
}

type mermaidWriter struct{ out strings.Builder }

func (m *mermaidWriter) printf(format string, args ...any) {
	fmt.Fprintf(&m.out, format+"\n", args...)
}

// head writes the title, as YAML, whose texts are JSON's, and the entry's mark.
func (m *mermaidWriter) head(p *plan) {
	if p.title != "" {
		text, _ := json.Marshal(p.title) // a text always encodes
		m.printf("---\ntitle: %s\n---", text)
	}
	m.printf("flowchart TD")
	if p.entry != nil {
		m.printf(`  entry(("start")) --> %s`, p.entry.key)
	}
}

func (m *mermaidWriter) box(b *box, indent string) {
	shape := mermaidShapes[b.kind]
	m.printf("%s%s%s%s%s", indent, b.key, shape[0], mermaidText(b.label), shape[1])
}

// frame writes a frame with all that it contains. Frames are nested as deep as
// containers do, so this does not call itself.
func (m *mermaidWriter) frame(outermost *frame, indent string) {
	walk(outermost, func(f *frame, depth int) {
		in := indent + strings.Repeat("  ", min(depth, maxIndent))
		m.printf("%ssubgraph %s[%s]", in, f.key, mermaidText([]string{f.label}))
		for _, b := range f.boxes {
			m.box(b, in+"  ")
		}
	}, func(_ *frame, depth int) {
		m.printf("%s%send", indent, strings.Repeat("  ", min(depth, maxIndent)))
	})
}

func (m *mermaidWriter) line(l *line) {
	arrow := "-->"
	switch l.kind {
	case engine.Tool:
		arrow = "-.->"
	case engine.Contains:
		arrow = "-.-o"
	}
	if len(l.label) > 0 {
		arrow += "|" + mermaidText(l.label) + "|"
	}
	m.printf("  %s %s %s", l.from.key, arrow, l.to.key)
}

// classes gives boxes their colours. Only classes that are used are written.
func (m *mermaidWriter) classes(p *plan) {
	for _, c := range []struct {
		name, style string
		has         func(*box) bool
	}{
		{"entry", "stroke-width:3px", func(b *box) bool { return b == p.entry }},
		{"inactive", "fill:#eeeeee,stroke:#aaaaaa,color:#888888,stroke-dasharray:2 4", func(b *box) bool { return b.inactive }},
		{"bypass", "stroke-dasharray:6 3", func(b *box) bool { return b.bypass && !b.inactive }},
		{"outside", "fill:none,stroke:#888888,stroke-dasharray:2 2", func(b *box) bool { return b.kind == kindOutside }},
	} {
		var keys []string
		for _, b := range p.boxes {
			if c.has(b) {
				keys = append(keys, b.key)
			}
		}
		if len(keys) > 0 {
			m.printf("  classDef %s %s\n  class %s %s", c.name, c.style, strings.Join(keys, ","), c.name)
		}
	}
}

func (m *mermaidWriter) limits(lines int) []engine.Problem {
	var problems []engine.Problem
	if n := utf8.RuneCountInString(m.out.String()); n > maxMermaidText {
		problems = append(problems, tooLarge("%d characters, Mermaid shows %d unless maxTextSize allows more", n, maxMermaidText))
	}
	if lines > maxMermaidLines {
		problems = append(problems, tooLarge("%d paths, Mermaid shows %d unless maxEdges allows more", lines, maxMermaidLines))
	}
	return problems
}

func tooLarge(format string, args ...any) engine.Problem {
	return engine.Problem{Level: "warning", Code: "drawing_too_large", Message: "the drawing has " + fmt.Sprintf(format, args...) + "; DOT has no such limit"}
}

// mermaidText is a label in quotes. Mermaid looks into labels for Markdown, HTML, formulas
// and directives before it looks at quotes, so every ASCII character with which one of them
// could begin is written as its number.
func mermaidText(lines []string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, text := range lines {
		if i > 0 {
			b.WriteString("<br/>")
		}
		for _, c := range text {
			if c > 0x7f || c == ' ' || isAlphanumeric(c) || strings.ContainsRune(".,()?!+=/", c) {
				b.WriteRune(c)
				continue
			}
			fmt.Fprintf(&b, "#%d;", c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func isAlphanumeric(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
