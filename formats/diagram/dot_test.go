package diagram

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"

	"github.com/stepgraph/stepgraph/engine"
)

// readDOT collects what a reader of DOT finds: labels of boxes by key, lines, clusters.
type readDOT struct {
	boxes    map[string]string
	lines    []string
	clusters int
}

func parseDOT(t *testing.T, text []byte) *readDOT {
	t.Helper()
	file, err := dot.ParseBytes(text)
	if err != nil || len(file.Graphs) != 1 {
		t.Fatalf("no DOT: %v\n%s", err, text)
	}
	r := &readDOT{boxes: map[string]string{}}
	r.statements(file.Graphs[0].Stmts)
	return r
}

func (r *readDOT) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.NodeStmt:
			r.boxes[s.Node.ID] = label(s.Attrs)
		case *ast.EdgeStmt:
			r.lines = append(r.lines, s.From.String()+">"+s.To.Vertex.String()+" "+label(s.Attrs))
		case *ast.Subgraph:
			r.clusters++
			r.statements(s.Stmts)
		}
	}
}

// label is a label's text as Graphviz shows it.
func label(attributes []*ast.Attr) string {
	for _, a := range attributes {
		if a.Key != "label" {
			continue
		}
		text := strings.TrimSuffix(strings.TrimPrefix(a.Val, `"`), `"`)
		return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", "&amp;", "&").Replace(text)
	}
	return ""
}

// TestDOTIsRead by another program's grammar, label for label, whatever stands in them.
func TestDOTIsRead(t *testing.T) {
	for _, w := range []*engine.Workflow{shop(), nastyWorkflow(), {}, {ID: "one", Steps: []engine.Step{{ID: "root"}}}} {
		p := planOf(w)
		r := parseDOT(t, DOT(w))
		boxes, lines := len(p.boxes), len(p.lines)
		if p.entry != nil {
			boxes, lines = boxes+1, lines+1
		}
		if len(r.boxes) != boxes || len(r.lines) != lines || r.clusters != frameCount(p.frames) {
			t.Errorf("%s: read %d boxes, %d lines, %d clusters; drawn are %d, %d, %d", w.ID, len(r.boxes), len(r.lines), r.clusters, boxes, lines, frameCount(p.frames))
		}
		for _, b := range p.boxes {
			if got, want := r.boxes[b.key], strings.Join(b.label, "\n"); got != want {
				t.Errorf("%s: %s is read as %q, want %q", w.ID, b.key, got, want)
			}
		}
		for _, l := range p.lines {
			if want := l.from.key + ">" + l.to.key + " " + strings.Join(l.label, "\n"); !slices.Contains(r.lines, want) {
				t.Errorf("%s: there is no line %q", w.ID, want)
			}
		}
	}
}

func frameCount(frames []*frame) int {
	n := len(frames)
	for _, f := range frames {
		n += frameCount(f.inner)
	}
	return n
}
