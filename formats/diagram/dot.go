package diagram

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// dotShapes are the attributes of each kind.
var dotShapes = map[kind]string{
	kindStep: "shape=box", kindJunction: `shape=box style="rounded"`, kindQuestion: "shape=parallelogram", kindReply: "shape=note",
	kindDecision: "shape=diamond", kindModel: "shape=ellipse", kindContainer: "shape=hexagon", kindChild: "shape=box peripheries=2",
	kindWait: "shape=octagon", kindOutside: `shape=plaintext fontcolor="#888888"`,
}

// DOT draws a workflow as a directed graph for Graphviz.
func DOT(w *engine.Workflow) []byte {
	p := planOf(w)
	d := &dotWriter{}
	d.printf("digraph workflow {")
	d.printf("  graph [label=%s labelloc=t fontname=\"Helvetica\"]", dotText([]string{p.title}))
	d.printf("  node [fontname=\"Helvetica\"]\n  edge [fontname=\"Helvetica\" fontsize=10]")
	for _, b := range p.boxes {
		if b.frame == nil {
			d.box(p, b, "  ")
		}
	}
	for _, f := range p.frames {
		d.frame(p, f)
	}
	if p.entry != nil {
		d.printf("  entry [shape=circle width=0.2 style=filled fillcolor=black label=\"\" tooltip=\"start\"]\n  entry -> %s", p.entry.key)
	}
	for i := range p.lines {
		d.line(&p.lines[i])
	}
	d.printf("}")
	return []byte(d.out.String())
}

type dotWriter struct{ out strings.Builder }

func (d *dotWriter) printf(format string, args ...any) {
	fmt.Fprintf(&d.out, format+"\n", args...)
}

func (d *dotWriter) box(p *plan, b *box, indent string) {
	attributes := dotShapes[b.kind]
	switch {
	case b.inactive:
		attributes += ` style="dotted" color="#aaaaaa" fontcolor="#888888"`
	case b.bypass:
		attributes += ` style="dashed"`
	}
	if b == p.entry {
		attributes += " penwidth=3"
	}
	d.printf("%s%s [label=%s tooltip=%s %s]", indent, b.key, dotText(b.label), dotText([]string{shown(b.id, maxName)}), attributes)
}

// frame writes a frame as a cluster.
func (d *dotWriter) frame(p *plan, outermost *frame) {
	walk(outermost, func(f *frame, depth int) {
		in := strings.Repeat("  ", 1+min(depth, maxIndent))
		d.printf("%ssubgraph cluster_%s {\n%s  label=%s style=\"rounded\" color=\"#888888\"", in, f.key, in, dotText([]string{f.label}))
		for _, b := range f.boxes {
			d.box(p, b, in+"  ")
		}
	}, func(_ *frame, depth int) {
		d.printf("%s}", strings.Repeat("  ", 1+min(depth, maxIndent)))
	})
}

func (d *dotWriter) line(l *line) {
	var attributes []string
	if len(l.label) > 0 {
		attributes = append(attributes, "label="+dotText(l.label))
	}
	switch {
	case l.kind == engine.Tool:
		attributes = append(attributes, "style=dashed arrowhead=open")
	case l.kind == engine.Contains:
		attributes = append(attributes, "style=dotted arrowhead=odot")
	case l.back:
		attributes = append(attributes, "constraint=false")
	}
	text := ""
	if len(attributes) > 0 {
		text = " [" + strings.Join(attributes, " ") + "]"
	}
	d.printf("  %s -> %s%s", l.from.key, l.to.key, text)
}

// dotText is a label in quotes. Graphviz reads \n and HTML's &name; in it.
func dotText(lines []string) string {
	escaped := make([]string, len(lines))
	for i, text := range lines {
		escaped[i] = dotEscaper.Replace(text)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")
