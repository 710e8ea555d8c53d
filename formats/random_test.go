package formats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// A maker makes random workflows: every property of steps and paths, with texts and numbers
// that files are most likely to change.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) *maker { return &maker{rand.New(rand.NewPCG(seed, 0))} }

func (m *maker) some(one int) bool { return m.IntN(one) == 0 }

func pick[T any](m *maker, list []T) T { return list[m.IntN(len(list))] }

var words = []string{"", " ", "a", "greet", "Ünï", "日本", "👩‍👧", "\n", "\r\n", "\t", "\x00", "\x1b", "\x7f", "\u0085", "\u00a0", "\u2028", "\u2029", "\ufeff", "\ufffd", "\U0010ffff", "\ue000", "\u202e",
	`'`, `"`, "`", "``", `\`, `\\`, `\'`, `\u0041`, `\u000a`, `\\u0041`, `\n`, `\uD83D\uDE00`, "//", "/*", "*/", "--", ";", ";\n", ":param x", "$p", "{", "}", "[", "]", "(", ")", "<&>", "&amp;", "null", "true", "NaN",
	"CREATE (:STEP {id: 'x'});", "MATCH (n) DETACH DELETE n;", "@{SESSION_ID}.a.b|x", "@{", "%", "a>b", "a>b#2", "STEP", "#", "=", "0", "-1", "1e3", "01"}

func (m *maker) text() string {
	if m.some(3) {
		return ""
	}
	var b strings.Builder
	for range 1 + m.IntN(4) {
		if m.some(4) {
			b.WriteRune(m.rune())
			continue
		}
		b.WriteString(pick(m, words))
	}
	if m.some(200) {
		return strings.Repeat(b.String(), 2000)
	}
	return b.String()
}

func (m *maker) rune() rune {
	for {
		if c := rune(m.IntN(0x110000)); c < 0xD800 || c > 0xDFFF {
			return c
		}
	}
}

// json is JSON text as people and programs write it, and now and then what only looks so.
func (m *maker) json() string {
	switch m.IntN(8) {
	case 0:
		return ""
	case 1:
		return m.text()
	case 2:
		return pick(m, []string{"{}", "[]", "null", "true", "0", `""`, " {} ", `{"a":1,"a":2}`, `{"a": 1.0}`, `{"a":1.50}`, `{"n":12345678901234567890.5}`, `{"e":1E+2}`, `{"a":"\ud800"}`, `{"a":"\u0000<\/b>"}`,
			"{\n  \"a\": 1\n}", `{"a":1}` + "\n", "{", `{"a":}`, `{"a":1}{}`, `{"":{"":{}}}`, strings.Repeat(`{"a":`, 190) + "1" + strings.Repeat("}", 190),
			strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300), strings.Repeat(`[`, 9000) + strings.Repeat("]", 9000), `{"a":[` + strings.Repeat(`[`, 220) + strings.Repeat("]", 220) + `]}`})
	}
	text, err := json.Marshal(m.value(3))
	if err != nil {
		panic(err)
	}
	if m.some(4) {
		return strings.ReplaceAll(string(text), ",", " ,\n")
	}
	return string(text)
}

func (m *maker) value(depth int) any {
	if depth > 0 && m.some(2) {
		object := map[string]any{}
		for range m.IntN(4) {
			object[m.text()] = m.value(depth - 1)
		}
		return object
	}
	if depth > 0 && m.some(3) {
		return []any{m.value(depth - 1), m.value(depth - 1)}
	}
	return pick(m, []any{nil, true, false, m.text(), m.Int64(), 1.5, math.Copysign(0, -1), "@{SESSION_ID}.a", math.MaxInt64})
}

func (m *maker) float() float64 {
	if m.some(2) {
		return float64(m.IntN(2000) - 1000)
	}
	if m.some(2) {
		return pick(m, []float64{0.1, -0.5, 1e21, 1e300, -1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, math.MaxInt64, math.MinInt64, 123456.789, 1e15, 1e6})
	}
	for {
		if f := math.Float64frombits(m.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

func (m *maker) place() *float64 {
	if m.some(2) {
		return nil
	}
	f := m.float()
	if f == 0 {
		f = 0 // a graph does not tell -0 from 0
	}
	return &f
}

// property is a value a node of the graph can hold.
func (m *maker) property() any {
	lists := [][]any{{}, {m.text(), m.text()}, {true, false}, {m.Int64(), int64(0)}, {m.float(), 1.0}}
	return pick(m, []any{m.text(), true, false, m.Int64(), int64(0), int64(math.MinInt64), int64(math.MaxInt64), m.float(), pick(m, lists), pick(m, lists)})
}

// known are the properties that mean something, in which nothing of one's own can stand.
var known = map[string]bool{"id": true, "workflow": true, "function": true, "input": true, "name": true, "description": true, "join": true, "retry": true, "timeout": true, "on_error": true,
	"approval": true, "output_schema": true, "x": true, "y": true, "bypass": true, "inactive": true, "config": true, "settings": true, "condition": true, "conditions": true, "operator": true,
	"priority": true, "label": true, "back": true, "group": true}

func (m *maker) extra() map[string]any {
	var extra map[string]any
	for range m.IntN(3) {
		key := m.text()
		if key == "" || known[key] || strings.ContainsRune(key, 0) {
			continue // no name of a property
		}
		if extra == nil {
			extra = map[string]any{}
		}
		extra[key] = m.property()
	}
	return extra
}

func (m *maker) condition() any {
	return pick(m, []any{nil, nil, m.text(), m.json(), "@{SESSION_ID}.a.b", `{"true": "@{SESSION_ID}.a"}`, []any{}, []any{m.text(), m.json()}, []any{true}, []any{int64(3)}, []any{1.5}})
}

// workflow makes one. outside: some paths lead into other workflows.
func (m *maker) workflow(outside bool) *engine.Workflow {
	w := &engine.Workflow{ID: m.id("w", 0), Name: m.text(), Description: m.text(), Extra: m.extra()}
	if m.some(3) {
		w.Settings = engine.Settings{History: pick(m, []string{"", "full", "none"}), MaxSteps: m.IntN(9), MessageWindow: m.IntN(9)}
		if m.some(2) {
			w.Settings.Extra = map[string]json.RawMessage{"own" + m.text(): json.RawMessage(pick(m, []string{`{"a":1}`, `null`, `[1,2.0]`, `"x"`}))}
		}
	}
	for i := range 1 + m.IntN(7) {
		s := m.step(i)
		s.Workflow = w.ID
		w.Steps = append(w.Steps, s)
	}
	for i := range m.IntN(10) {
		w.Paths = append(w.Paths, m.path(w, i))
		if p := &w.Paths[i]; outside && m.some(5) {
			p.TargetWorkflow = m.id("other", m.IntN(2))
		}
	}
	w.Normalize()
	return w
}

// id is a name that is like no other of its kind and not longer than a name may be.
func (m *maker) id(kind string, n int) string {
	text := m.text()
	for len(text) > 150 {
		text = ""
	}
	return pick(m, []string{fmt.Sprintf("%s%d%s", text, n, kind), fmt.Sprintf("%s%d", kind, n), fmt.Sprintf("%s %d%s", kind, n, text)})
}

func (m *maker) step(n int) engine.Step {
	s := engine.Step{ID: m.id("s", n), Function: pick(m, []string{"", "agent", "loop", "utils.reply.reply", m.text()}), Input: m.json(), Name: m.text(), Description: m.text(),
		Join: pick(m, []string{"", "any", "all", "required"}), Retry: m.json(), Timeout: pick(m, []string{"", "30s", "5", "1.50", m.text()}), OnError: pick(m, []string{"", "stop_path", "continue", "fail_session"}),
		Approval: m.some(3), OutputSchema: m.json(), X: m.place(), Y: m.place(), Bypass: m.some(3), Inactive: m.some(3), Config: m.json(), Extra: m.extra()}
	if n == 0 && m.some(2) {
		s.ID = engine.DefaultEntry
	}
	return s
}

// groups are names that mean something: blank ones do not count.
func (m *maker) groups() []string {
	return pick(m, [][]string{nil, nil, nil, {"a" + m.text()}, {"a", "b" + m.text()}})
}

func (m *maker) path(w *engine.Workflow, n int) engine.Path {
	p := engine.Path{Kind: pick(m, []engine.PathKind{engine.Next, engine.Next, engine.Tool, engine.Contains}), Source: pick(m, w.Steps).ID, Target: pick(m, w.Steps).ID,
		Condition: m.condition(), Operator: pick(m, []string{"", "AND", "or", m.text()}), Priority: m.place(), Label: m.text(), Back: m.some(4), Group: m.groups(), Name: m.text(), Description: m.text(), Extra: m.extra()}
	if m.some(2) {
		p.ID, p.Stored = pick(m, []string{m.id("p", n), p.Source + ">" + p.Target + strings.Repeat(" ", n)}), true
	}
	return p
}
