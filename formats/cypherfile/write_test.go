package cypherfile

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine"
)

// workflows generates workflows as a store can hold them: every text, every known
// property, unknown ones of all storable types, parallel paths of all kinds.
func workflows() *rapid.Generator[*engine.Workflow] {
	return rapid.Custom(func(t *rapid.T) *engine.Workflow {
		w := &engine.Workflow{
			ID: anyText(t, "workflow"), Name: anyText(t, "name"), Description: anyText(t, "description"),
			Extra: extra(t, "w"),
		}
		if rapid.Bool().Draw(t, "settings") {
			w.Settings = engine.Settings{History: engine.HistoryErrors, MaxSteps: 7, Extra: map[string]json.RawMessage{"x": json.RawMessage(`[1]`)}}
		}
		n := rapid.IntRange(1, 6).Draw(t, "steps")
		for i := range n {
			w.Steps = append(w.Steps, step(t, w.ID, i))
		}
		for range rapid.IntRange(0, 10).Draw(t, "paths") {
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			to := rapid.IntRange(0, n-1).Draw(t, "to")
			w.Paths = append(w.Paths, newPath(t, w.Steps[from].ID, w.Steps[to].ID, len(w.Paths)))
		}
		w.Normalize()
		return w
	})
}

func step(t *rapid.T, workflow string, i int) engine.Step {
	s := engine.Step{
		ID: anyText(t, "id") + strconv.Itoa(i), Workflow: workflow, Function: anyText(t, "function"), Input: anyText(t, "input"),
		Name: anyText(t, "name"), Description: anyText(t, "description"), Retry: anyText(t, "retry"), Timeout: anyText(t, "timeout"),
		OutputSchema: anyText(t, "schema"), Config: anyText(t, "config"),
		Join:     rapid.SampledFrom([]string{"", engine.JoinAny, engine.JoinAll}).Draw(t, "join"),
		OnError:  rapid.SampledFrom([]string{"", engine.OnErrorContinue}).Draw(t, "on_error"),
		Approval: rapid.Bool().Draw(t, "approval"), Bypass: rapid.Bool().Draw(t, "bypass"), Inactive: rapid.Bool().Draw(t, "inactive"),
		Extra: extra(t, "s"),
	}
	if rapid.Bool().Draw(t, "place") {
		x, y := rapid.Float64Range(-1e6, 1e6).Draw(t, "x"), float64(rapid.IntRange(-999, 999).Draw(t, "y"))
		s.X, s.Y = &x, &y
	}
	return s
}

func newPath(t *rapid.T, from, to string, i int) engine.Path {
	p := engine.Path{
		Kind:   rapid.SampledFrom([]engine.PathKind{engine.Next, engine.Next, engine.Tool, engine.Contains}).Draw(t, "kind"),
		Source: from, Target: to, Operator: anyText(t, "operator"), Label: anyText(t, "label"), Back: rapid.Bool().Draw(t, "back"),
		Group: rapid.SampledFrom([][]string{nil, {"a"}, {"a", "b c"}}).Draw(t, "group"),
		Name:  anyText(t, "name"), Description: anyText(t, "description"), Extra: extra(t, "p"),
	}
	if rapid.Bool().Draw(t, "stored") {
		p.ID, p.Stored = "path"+strconv.Itoa(i), true
	}
	if rapid.Bool().Draw(t, "priority") {
		priority := float64(rapid.IntRange(-3, 3).Draw(t, "priority")) / 2
		p.Priority = &priority
	}
	switch rapid.IntRange(0, 3).Draw(t, "condition") {
	case 1:
		p.Condition = anyText(t, "condition")
	case 2:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "clauses") {
			list = append(list, anyText(t, "clause"))
		}
		p.Condition = list
	case 3:
		p.Condition = []any{true}
	}
	return p
}

// anyText generates what people and machines put into texts, with everything that quoting
// can get wrong.
func anyText(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.Just(""), rapid.Just("plain"), rapid.String(),
		rapid.StringOf(rapid.SampledFrom([]rune("ab u0041'\"`\\\n\r\t\b\f/*{}$;:é😀\u2028\ufeff\x00"))),
	).Draw(t, label)
}

func extra(t *rapid.T, label string) map[string]any {
	n := rapid.IntRange(0, 2).Draw(t, label)
	if n == 0 {
		return nil
	}
	m := map[string]any{}
	for i := range n {
		key := "x" + strings.ReplaceAll(anyText(t, "key"), "\x00", "") + strconv.Itoa(i)
		m[key] = value(t)
	}
	return m
}

func value(t *rapid.T) any {
	switch rapid.IntRange(0, 6).Draw(t, "type") {
	case 0:
		return rapid.Int64().Draw(t, "int")
	case 1:
		return rapid.Float64().Draw(t, "float")
	case 2:
		return rapid.Bool().Draw(t, "bool")
	case 3:
		return []any{int64(1), rapid.Int64().Draw(t, "int")}
	case 4:
		return []any{rapid.Float64().Draw(t, "float"), 2.0}
	case 5:
		return []any{anyText(t, "item"), anyText(t, "item")}
	}
	return anyText(t, "value")
}

func TestWriteThenParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := workflows().Draw(t, "workflow")
		src, err := Write(want)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse("x.cypher", src)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if len(f.Workflows) != 1 || len(f.Notes) > 0 {
			t.Fatalf("%d workflows, notes %v\n%s", len(f.Workflows), f.Notes, src)
		}
		got := &f.Workflows[0]
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\ngot  %+v\nwant %+v", src, got, want)
		}
	})
}

func TestWriteRefuses(t *testing.T) {
	for name, v := range map[string]any{
		"a map":                       map[string]any{"a": 1},
		"a list in a list":            []any{[]any{1}},
		"a list of several types":     []any{"a", int64(1)},
		"a value that JSON has not":   struct{}{},
		"a list with nothing in it: ": []any{nil},
	} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "ask", Extra: map[string]any{"odd": v}}}}
		src, err := Write(w)
		if err == nil || !strings.HasPrefix(err.Error(), "step ask: property odd: ") {
			t.Errorf("%s: got %v\n%s", name, err, src)
		}
	}
}

func TestWriteRefusesNamesThatNeo4jHasNot(t *testing.T) {
	for _, key := range []string{"", "a\x00b"} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "ask", Extra: map[string]any{key: 1}}}}
		if src, err := Write(w); err == nil || !strings.HasPrefix(err.Error(), "step ask: ") {
			t.Errorf("%q: got %v\n%s", key, err, src)
		}
	}
}

// What is left out is named in a comment, and no name can break out of it.
func TestWriteNamesWhatItLeavesOut(t *testing.T) {
	for _, odd := range []string{"b", "b\nCREATE (:STEP {id: 'x'})", `b\u000aCREATE (:STEP {id: 'x'})`, `b\u`} {
		w := &engine.Workflow{ID: odd, Steps: []engine.Step{{ID: "a", Workflow: odd}},
			Paths: []engine.Path{{Kind: engine.Next, Source: "a", Target: odd, TargetWorkflow: "other"}}}
		src, err := Write(w)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(src), "// Left out: 'NEXT' from 'a' to 'b") {
			t.Errorf("%s", src)
		}
		if f, err := Parse("x", src); err != nil || len(f.Workflows) != 1 || len(f.Workflows[0].Steps) != 1 || f.Workflows[0].ID != odd {
			t.Errorf("%v\n%s", err, src)
		}
	}
}
