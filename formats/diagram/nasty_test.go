package diagram

import (
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// nasty are texts that mean something to Mermaid, Graphviz, HTML, YAML or terminals.
var nasty = []string{
	`"`, `""`, `\`, `\\`, `\n`, `\"`, `"]`, `"); DROP`, "`", "``` code ```", "`**bold**`", "'", "[", "]", "[[x]]", "(", ")", "((", "{", "}", "{{x}}",
	"<b>bold</b>", "<script>alert(1)</script>", `<img src=x onerror="alert(1)">`, "<", ">", "&", "&amp;", "&lt;", "&quot;", "&#34;", "#", "#35;", "#quot;", "#lt;", ";", ";;", "|", "||",
	"end", "End", "END", "subgraph", "graph", "flowchart", "class", "click", "style", "linkStyle", "default", "digraph", "strict", "node", "edge", "o", "x", "--> x", "--o", "x-->|y|z", "-.->", "===", "~~~", ":::class", "@{shape: circle}",
	"%%", "%% comment", `%%{init: {"theme": "dark"}}%%`, "---", "--- \ntitle: x\n---", "$$x^2$$", "$", "\\N", `\G`, "//", "/*", "*/", "//x", "href https://example.org", "fa:fa-user",
	"line\nbreak", "carriage\rreturn\r\n", "tab\there", "\x00", "\x01\x1b[31mred\x1b[0m", "\x7f", "\u0085", "\u2028", "\u2029", "\u202eright to left", "\u200b", "\ufeff", "\xff\xfe broken", "  blanks  ",
	"Ünïcödé", "日本語", "עברית", "👩‍👩‍👧 family", "e\u0301", "style x fill:#f00;", "classDef a fill:#123;", "1. item", "- item", "* item", "_x_", "~~x~~", "",
	strings.Repeat("long ", 2000), strings.Repeat("\"]", 5000), strings.Repeat("é", 10000), strings.Repeat(" ", 9000) + "x",
}

// nastyWorkflow has each text as an id, name, function, label, condition and workflow.
func nastyWorkflow() *engine.Workflow {
	w := &engine.Workflow{ID: "nasty", Name: `a "title": {x} # <b>`}
	for k := 0; k < len(nasty); k += slower {
		i, text := k/slower, nasty[k]
		id := text + string(rune('a'+i%26)) + strings.Repeat("!", i/26)
		functions := []string{text, "request", "condition", "agent", "loop", "subflow", "wait", "reply", ""}
		w.Steps = append(w.Steps, engine.Step{ID: id, Name: text, Function: functions[i%len(functions)], Inactive: i%7 == 0, Bypass: i%5 == 0, Approval: i%3 == 0})
		priority := float64(i) / 3
		kinds := []engine.PathKind{engine.Next, engine.Next, engine.Tool, engine.Contains}
		p := engine.Path{Kind: kinds[i%len(kinds)], Source: w.Steps[i/2].ID, Target: id, Label: text, Condition: text, Operator: text, Name: text, Back: i%11 == 0, Priority: &priority}
		if i%13 == 0 {
			p.TargetWorkflow = text
		}
		if i%17 == 0 {
			p.Target = text + "?"
		}
		w.Paths = append(w.Paths, p, engine.Path{Kind: engine.Next, Source: id, Target: id, Condition: []any{text, text}})
	}
	w.Normalize()
	return w
}
