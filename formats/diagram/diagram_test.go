package diagram

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/engine"
)

var update = flag.Bool("update", false, "write the drawings in testdata anew")

func at(n float64) *float64 { return &n }

// shop has one of each thing that is drawn.
func shop() *engine.Workflow {
	w := &engine.Workflow{ID: "shop", Name: "The shop", Steps: []engine.Step{
		{ID: "root"}, {ID: "ask", Name: "What do you want?", Function: "utils.request.request"},
		{ID: "sort", Function: "classify"}, {ID: "clerk", Name: "Clerk", Function: "agent"}, {ID: "stock", Function: "graphql"},
		{ID: "each", Name: "Each thing", Function: "iterate"}, {ID: "price", Function: "code", Approval: true}, {ID: "inner", Function: "loop"}, {ID: "try", Function: "template", Bypass: true},
		{ID: "pay", Function: "subflow"}, {ID: "later", Function: "wait", Inactive: true}, {ID: "bye", Function: "reply", Join: engine.JoinAll},
	}, Paths: []engine.Path{
		{Kind: engine.Next, Source: "root", Target: "ask"},
		{Kind: engine.Next, Source: "ask", Target: "sort", Condition: "@{SESSION_ID}.ask.response"},
		{Kind: engine.Next, Source: "sort", Target: "clerk", Condition: `{"true": "@{SESSION_ID}.sort.branches.0"}`, Priority: at(1), Label: "help"},
		{Kind: engine.Next, Source: "sort", Target: "each", Condition: []any{"@{SESSION_ID}.a", "@{SESSION_ID}.b"}, Operator: "or", Priority: at(2.5)},
		{Kind: engine.Tool, Source: "clerk", Target: "stock", Name: "look_up"},
		{Kind: engine.Contains, Source: "each", Target: "price"}, {Kind: engine.Contains, Source: "each", Target: "inner"},
		{Kind: engine.Contains, Source: "inner", Target: "try"}, {Kind: engine.Contains, Source: "pay", Target: "try"},
		{Kind: engine.Next, Source: "price", Target: "inner"}, {Kind: engine.Next, Source: "each", Target: "pay"},
		{Kind: engine.Next, Source: "pay", Target: "bye"}, {Kind: engine.Next, Source: "clerk", Target: "ask", Back: true},
		{Kind: engine.Next, Source: "pay", Target: "refund", TargetWorkflow: "office"}, {Kind: engine.Next, Source: "later", Target: "gone"},
	}}
	w.Normalize()
	return w
}

func TestGolden(t *testing.T) {
	mermaid, problems := Mermaid(shop())
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	for name, got := range map[string][]byte{"shop.mmd": mermaid, "shop.dot": DOT(shop())} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what is drawn now: run go test ./formats/diagram -update\n%s", name, got)
		}
	}
}

// TestOrderDoesNotMatter: the same graph in any order is one drawing, and is left as it was.
func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(20) {
		w := shop()
		random := rand.New(rand.NewPCG(seed, 1))
		random.Shuffle(len(w.Steps), reflect.Swapper(w.Steps))
		random.Shuffle(len(w.Paths), reflect.Swapper(w.Paths))
		before := append([]engine.Step(nil), w.Steps...)
		got, _ := Mermaid(w)
		want, _ := Mermaid(shop())
		if !bytes.Equal(got, want) || !bytes.Equal(DOT(w), DOT(shop())) {
			t.Fatalf("seed %d draws otherwise:\n%s", seed, got)
		}
		if !reflect.DeepEqual(before, w.Steps) {
			t.Fatal("the workflow's steps are in another order now")
		}
	}
}

func TestFramesOfTangledContainers(t *testing.T) {
	contains := func(pairs ...string) *engine.Workflow {
		w := &engine.Workflow{ID: "w"}
		for _, id := range strings.Split("abcde", "") {
			w.Steps = append(w.Steps, engine.Step{ID: id, Function: "group"})
		}
		for _, pair := range pairs {
			w.Paths = append(w.Paths, engine.Path{Kind: engine.Contains, Source: pair[:1], Target: pair[1:]})
		}
		return w
	}
	for _, c := range []struct {
		w     *engine.Workflow
		want  string
		lines int
	}{
		{contains("ab", "bc"), "a(a b(b c))", 0},
		{contains("cb", "ba"), "c(c b(b a))", 0},
		{contains("ab", "cb"), "a(a b) c(c)", 1},
		{contains("ab", "ba"), "a(a b(b))", 1},
		{contains("aa"), "a(a)", 1},
		{contains("ab", "bc", "ca"), "", 1},
		{contains("ad", "ae", "bd", "da"), "", 2},
	} {
		p := planOf(c.w)
		if got := framesText(p.frames); c.want != "" && got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if len(p.lines) != c.lines {
			t.Errorf("%s: %d lines, want %d", framesText(p.frames), len(p.lines), c.lines)
		}
		seen := strings.NewReplacer("(", " ", ")", " ").Replace(framesText(p.frames))
		for _, b := range p.boxes {
			if n := strings.Count(seen, b.id); b.frame != nil && n != 1 && n != 2 || b.frame == nil && n > 0 {
				t.Errorf("%s stands %d times in %s", b.id, n, seen)
			}
		}
	}
}

func framesText(frames []*frame) string {
	var b strings.Builder
	for i, f := range frames {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s(", f.of.id)
		for k, in := range f.boxes {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(in.id)
		}
		if len(f.inner) > 0 {
			b.WriteString(" " + framesText(f.inner))
		}
		b.WriteByte(')')
	}
	return b.String()
}

// TestShown: what stands in a label is one line that can be seen and is not too long.
func TestShown(t *testing.T) {
	for _, text := range nasty {
		got := shown(text, maxName)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxName || strings.ContainsAny(got, "\n\r\t\x00\x1b") || got != strings.TrimSpace(got) {
			t.Errorf("%.40q is shown as %q", text, got)
		}
		if got == "" && strings.TrimSpace(text) != "" {
			t.Errorf("%.40q is not shown", text)
		}
	}
	for text, want := range map[string]string{"a \n b": "a b", strings.Repeat("x", 61): strings.Repeat("x", 59) + "…", "a\x00b": "a␀b", "\u202eab": "□ab", "\xff": "□", "👩‍👧": "👩‍👧"} {
		if got := shown(text, maxName); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestLargeDrawings(t *testing.T) {
	w := &engine.Workflow{ID: "large"}
	for i := range 2000 {
		id := fmt.Sprintf("s%04d", i)
		w.Steps = append(w.Steps, engine.Step{ID: id, Function: "loop"})
		if i > 0 {
			w.Paths = append(w.Paths, engine.Path{Kind: engine.Contains, Source: w.Steps[i-1].ID, Target: id}, engine.Path{Kind: engine.Next, Source: "s0000", Target: id})
		}
	}
	text, problems := Mermaid(w)
	if len(problems) != 2 || problems[0].Level != "warning" || problems[0].Code != "drawing_too_large" {
		t.Errorf("got %v", problems)
	}
	if n := bytes.Count(text, []byte("subgraph ")); n != 1999 || len(text) > 1_000_000 {
		t.Errorf("%d frames in %d bytes", n, len(text))
	}
}
