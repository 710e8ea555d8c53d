package diagram

import (
	"compress/gzip"
	"encoding/json"
	"html"
	"io"
	"os"
	"strings"
	"testing"

	"modernc.org/quickjs"

	"github.com/stepgraph/stepgraph/engine"
)

// readMermaid is what Mermaid's own reader finds in a text.
type readMermaid struct {
	Title  string
	Config map[string]any
	Boxes  map[string]struct {
		Text, Type string
		Classes    []string
	}
	Lines  []struct{ Start, End, Text, Stroke string }
	Frames []struct {
		ID, Title string
		Nodes     []string
	}
}

// mermaidReader runs Mermaid's reader of flowcharts.
func mermaidReader(t *testing.T) func(text string) (readMermaid, error) {
	t.Helper()
	file, err := os.Open("testdata/mermaid/flowchart.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := quickjs.NewVM()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = vm.Close() })
	if _, err := vm.Eval(`globalThis.console = {log() {}, warn() {}, error() {}, info() {}, debug() {}};`+string(script)+`
globalThis.read = (text) => {
	const {code, title, config} = mermaid.preprocessDiagram(text);
	const db = new mermaid.FlowDB();
	mermaid.parser.parser.yy = db;
	mermaid.parser.parse(mermaid.encodeEntities(code.cleaned) + '\n');
	return JSON.stringify({title, config, boxes: Object.fromEntries(db.getVertices()), lines: db.getEdges(), frames: db.getSubGraphs()});
};`, quickjs.EvalGlobal); err != nil {
		t.Fatal(err)
	}
	return func(text string) (r readMermaid, err error) {
		argument, err := json.Marshal(text)
		if err != nil {
			return r, err
		}
		answer, err := vm.Eval("read("+string(argument)+")", quickjs.EvalGlobal)
		if err != nil {
			return r, err
		}
		return r, json.Unmarshal([]byte(answer.(string)), &r)
	}
}

// seen is a label as a browser shows it: Mermaid keeps #35; as signs of its own until it
// draws, and then shows HTML.
func seen(label string) string {
	label = strings.NewReplacer("ﬂ°°", "&#", "ﬂ°", "&", "¶ß", ";", "<br/>", "\n").Replace(label)
	return html.UnescapeString(label)
}

// TestMermaidIsRead by Mermaid's own grammar, label for label, whatever stands in them.
func TestMermaidIsRead(t *testing.T) {
	read := mermaidReader(t)
	for _, w := range []*engine.Workflow{shop(), nastyWorkflow(), {}, {ID: "one", Steps: []engine.Step{{ID: "root"}}}} {
		p := planOf(w)
		text, _ := Mermaid(w)
		r, err := read(string(text))
		if err != nil {
			t.Fatalf("%s: Mermaid does not read it: %v\n%s", w.ID, err, text)
		}
		if r.Title != p.title || len(r.Config) > 0 {
			t.Errorf("title %q, config %v", r.Title, r.Config)
		}
		boxes, lines := len(p.boxes), len(p.lines)
		if p.entry != nil {
			boxes, lines = boxes+1, lines+1
		}
		if len(r.Boxes) != boxes || len(r.Lines) != lines || len(r.Frames) != frameCount(p.frames) {
			t.Fatalf("%s: read %d boxes, %d lines, %d frames; drawn are %d, %d, %d", w.ID, len(r.Boxes), len(r.Lines), len(r.Frames), boxes, lines, frameCount(p.frames))
		}
		for _, b := range p.boxes {
			if got, want := seen(r.Boxes[b.key].Text), strings.Join(b.label, "\n"); got != want {
				t.Errorf("%s: %s is read as %q, want %q", w.ID, b.key, got, want)
			}
		}
		for i, l := range p.lines {
			got := r.Lines[i+lines-len(p.lines)]
			if got.Start != l.from.key || got.End != l.to.key || seen(got.Text) != strings.Join(l.label, "\n") {
				t.Errorf("%s: line %d is read as %+v, want %s to %s, %q", w.ID, i, got, l.from.key, l.to.key, l.label)
			}
		}
	}
}

// TestMermaidReaderIsStrict: the reader the test relies on does refuse what is wrong, and
// labels that are not escaped are read as something else.
func TestMermaidReaderIsStrict(t *testing.T) {
	read := mermaidReader(t)
	if r, err := read("flowchart TD\n a[\"x#34;\"] --> b"); err != nil || seen(r.Boxes["a"].Text) != `x"` || len(r.Lines) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, wrong := range []string{"flowchart TD\n a[\"x\"\"]", "flowchart TD\n a --> end", "flowchart TD\n subgraph b\n a", "flowchart TD\n a[x(y]", "flowchart TD\n a[\"%%{init: {'theme': 'dark'}}%%\"]"} {
		if r, err := read(wrong); err == nil {
			t.Errorf("%q is read as %+v", wrong, r)
		}
	}
}
