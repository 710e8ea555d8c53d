package agentzero_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// flowOf writes a flow: nodes as "id:type" or "id:type:data" or "id:type@parent:data", edges
// as "a>b" or "a>b:handle".
func flowOf(nodes, edges []string) []byte {
	var n, e []string
	for _, text := range nodes {
		head, data, _ := strings.Cut(text, ":{")
		if data = "{" + data; data == "{" {
			data = "{}"
		}
		id, kind, _ := strings.Cut(head, ":")
		kind, parent, _ := strings.Cut(kind, "@")
		n = append(n, fmt.Sprintf(`{"id": %q, "type": %q, "parentId": %q, "position": {"x": 10, "y": 20}, "data": %s}`, id, kind, parent, data))
	}
	for i, text := range edges {
		ends, handle, _ := strings.Cut(text, ":")
		from, to, _ := strings.Cut(ends, ">")
		e = append(e, fmt.Sprintf(`{"id": "e%d", "source": %q, "target": %q, "sourceHandle": %q}`, i, from, to, handle))
	}
	return []byte(`{"name": "t", "description": "d", "nodes": [` + strings.Join(n, ",\n") + `], "edges": [` + strings.Join(e, ",\n") + `], "viewport": {"x": 1, "y": 2, "zoom": 3}}`)
}

// codes are the codes of the faults a flow is refused for.
func codes(t *testing.T, text []byte) []string {
	t.Helper()
	_, err := agentzero.Parse("t.json", text)
	var faults *source.Faults
	if err != nil && !errors.As(err, &faults) {
		t.Fatal(err)
	}
	out := []string{}
	if faults != nil {
		for _, f := range faults.List {
			out = append(out, f.Code)
		}
	}
	slices.Sort(out)
	return out
}

func TestFaults(t *testing.T) {
	in, out := "in:input", "out:output"
	for _, c := range []struct {
		name         string
		nodes, edges []string
		want         string
	}{
		{"everything at once", []string{"in:input:{\"promptMode\": \"fixed\"}", "in:agent", "a b:agent", "root:agent", "x:robot", "out:output:{\"format\": \"pdf\"}"},
			[]string{"in>in", "out>in"}, "duplicate_node edge_into_input fixed_prompt node_id node_type output_format reserved_id self_loop"},
		{"modes", []string{"in:input:{\"promptMode\": \"later\"}", "a:agent:{\"tools\": [\" \"]}", out}, []string{"in>a"}, "prompt_mode tool_name"},
		{"children of groups", []string{in, "g:parallelGroup", "h:parallelGroup@g", "k:agent@g", "l:agent@g", "c:condition@g:{\"expression\": \"True\"}", out},
			[]string{"in>g", "k>l", "k>out", "g>out"}, "edge_inside_group edge_out_of_group_child group_child_type group_child_type"},
		{"no parallel group as parent", []string{in, "a:agent@in", out}, []string{"in>a"}, "unknown_parent"},
		{"a cycle through a group of the public form", []string{in, "g:parallelGroupNode", "k:agentNode", "b:condition:{\"expression\": \"True\"}", out},
			[]string{"in>g", "g>k", "k>b", "b>g:true"}, "cycle"},
		{"two groups want one agent", []string{in, "g:parallelGroupNode", "h:parallelGroupNode", "k:agentNode", out}, []string{"in>g", "in>h", "g>k", "h>k"}, "edge_into_group_child two_groups"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(codes(t, flowOf(c.nodes, c.edges)), " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestFaultsNameThePlace(t *testing.T) {
	_, err := agentzero.Parse("t.json", []byte("{\n \"nodes\": [\n  {\"id\": \"in\", \"type\": \"input\"},\n  {\"id\": \"a\", \"type\": \"robot\"}\n ],\n \"edges\": []}"))
	if err == nil || !strings.Contains(err.Error(), `t.json:4:23: node "a": type "robot" is not known`) {
		t.Errorf("got %v", err)
	}
	if _, err = agentzero.Parse("t.json", []byte("{\"nodes\": [{\"id\": 1}]}")); err == nil || !strings.HasPrefix(err.Error(), "t.json:1:") {
		t.Errorf("got %v", err)
	}
}

// A flow in the public implementation's form runs as the same flow in the design's does.
func TestBothForms(t *testing.T) {
	design := flowOf([]string{"in:input", "g:parallelGroup:{\"mergeStrategy\": \"concatenate\"}", "k:agent@g:{\"label\": \"K\"}", "l:agent@g:{\"label\": \"L\", \"systemPromptOverride\": \"be brief\"}",
		"after:agent", "out:output"}, []string{"in>g", "g>after", "after>out"})
	for name, public := range map[string][]byte{
		"branches": flowOf([]string{"in:inputNode", "g:parallelGroupNode:{\"mergeStrategy\": \"concatenate\", \"branches\": [\"k\", \"l\"]}", "k:agentNode:{\"label\": \"K\"}",
			"l:agentNode:{\"label\": \"L\", \"promptOverride\": \" be brief \"}", "after:agentNode", "out:outputNode"}, []string{"in>g", "g>k", "g>l", "g>after", "after>out"}),
		"every agent that follows": flowOf([]string{"in:inputNode", "g:parallelGroupNode", "k:agentNode:{\"label\": \"K\"}", "l:agentNode:{\"label\": \"L\", \"systemPromptOverride\": \"be brief\"}",
			"after:conditionNode:{\"expression\": \"True\"}", "out:outputNode"}, []string{"in>g", "g>k", "g>l", "g>after", "after>out:true"}),
	} {
		t.Run(name, func(t *testing.T) {
			run := recordedRun{Prompt: "p"}
			var want, got string
			synctest.Test(t, func(t *testing.T) { want = play(t, design, run).text("g") })
			synctest.Test(t, func(t *testing.T) {
				p := play(t, public, run)
				got = p.text("g")
				if p.Session.Status != engine.StatusComplete || p.text("out") == "" {
					t.Errorf("%s: %+v", p.Session.Status, p.Session.Error)
				}
			})
			if got != want || want != "## K\n\necho: p\n\n---\n\n## L\n\necho: be brief\n\np" {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// Children of a group stand in the order of the nodes in the design's form, and in that of
// the edges in the public one.
func TestOrderOfChildren(t *testing.T) {
	ends := []string{"in>g", "g>out"}
	for want, text := range map[string][]byte{
		"## k\n\nR\n\n---\n\n## l\n\nR": flowOf([]string{"in:input", "k:agent@g", "l:agent@g", "g:parallelGroup", "out:output:{\"format\": \"raw\"}"}, ends),
		"## l\n\nR\n\n---\n\n## k\n\nR": flowOf([]string{"in:inputNode", "k:agentNode", "l:agentNode", "g:parallelGroupNode:{\"branches\": [\"k\", \"l\"]}", "out:outputNode:{\"format\": \"raw\"}"}, append([]string{"g>l", "g>k"}, ends...)),
	} {
		synctest.Test(t, func(t *testing.T) {
			w := compile(t, text)
			if _, problems := export(t, w); len(problems) > 0 {
				t.Errorf("got %v", problems)
			}
			if got := play(t, text, recordedRun{Prompt: "p", AgentStubs: []stub{{Reply: "R"}}}).text("out"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// summarize asks one more agent, with the concatenated text; one text alone is not summarized.
func TestSummarize(t *testing.T) {
	text := flowOf([]string{"in:input", "g:parallelGroup:{\"mergeStrategy\": \"summarize\"}", "k:agent@g:{\"label\": \"K\", \"systemPromptOverride\": \"one\"}",
		"l:agent@g:{\"label\": \"L\", \"systemPromptOverride\": \"two\"}", "out:output"}, []string{"in>g", "g>out"})
	synthesis := stub{Match: `^Synthesize[^#]*\n\n## K\n\nRA\n\n---\n\n## L\n\nRB$`, Reply: "S"}
	for _, c := range []struct {
		stubs       []stub
		text, state string
	}{
		{[]stub{{Match: "^one", Reply: "RA"}, {Match: "^two", Reply: "RB"}, synthesis}, "S", "complete"},
		{[]stub{{Match: "^one", Reply: "RA"}, {Match: "^two", Error: "down"}}, "RA", "complete"},
		{[]stub{{Match: "^one", Reply: "RA"}, {Match: "^two", Reply: "RB"}, {Match: "^Synthesize", Error: "down"}}, "", "failed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := play(t, text, recordedRun{Prompt: "p", AgentStubs: c.stubs})
			if p.text("out") != c.text || nodeState(p, "g") != c.state {
				t.Errorf("got %q, %s (%+v), want %+v", p.text("out"), nodeState(p, "g"), p.Session.Error, c)
			}
		})
	}
}

// An empty answer is the fastest one, and not an answer.
func TestFirstIsNotEmpty(t *testing.T) {
	text := flowOf([]string{"in:input", "g:parallelGroup:{\"mergeStrategy\": \"first\"}", "k:agent@g:{\"systemPromptOverride\": \"one\"}",
		"l:agent@g:{\"systemPromptOverride\": \"two\"}", "out:output"}, []string{"in>g", "g>out"})
	for _, c := range []struct{ slow, text, state string }{{"RB", "RB", "complete"}, {" ", "", "failed"}} {
		synctest.Test(t, func(t *testing.T) {
			p := play(t, text, recordedRun{Prompt: "p", AgentStubs: []stub{{Match: "^one"}, {Match: "^two", Reply: c.slow, DelayMs: 20}}})
			if p.text("out") != c.text || nodeState(p, "g") != c.state || nodeState(p, "k") != "failed" {
				t.Errorf("got %q, %s (%+v), want %+v", p.text("out"), nodeState(p, "g"), p.Session.Error, c)
			}
		})
	}
}

// In the public form an edge may leave a child of a group: it brings the child's own output.
func TestEdgeOutOfAChild(t *testing.T) {
	text := flowOf([]string{"in:inputNode", "g:parallelGroupNode", "k:agentNode", "l:agentNode", "out:outputNode"}, []string{"in>g", "g>k", "g>l", "l>out", "k>out"})
	synctest.Test(t, func(t *testing.T) {
		p := play(t, text, recordedRun{Prompt: "p", AgentStubs: []stub{{Match: "p", Reply: "R"}}})
		if got := p.text("out"); got != "R\n\nR" {
			t.Errorf("got %q", got)
		}
	})
}

// Only edges that were taken bring something, from conditions in each other too.
func TestNestedConditions(t *testing.T) {
	text := flowOf([]string{"in:input", "c1:condition:{\"expression\": \"'a' in input\"}", "c2:condition:{\"expression\": \"'b' in input\"}", "x:agent:{\"outputVariable\": \"v\"}", "y:agent:{\"outputVariable\": \"v\"}",
		"c3:condition:{\"expression\": \"'echo' in v\"}", "out:output"},
		[]string{"in>c1", "c1>c2:true", "c1>y:false", "c2>x:true", "c2>c3:false", "x>c3", "y>c3", "c3>out:true", "c3>y2:false"})
	text = []byte(strings.Replace(string(text), `{"id": "e8", "source": "c3", "target": "y2", "sourceHandle": "false"}`, `{"id": "e8", "source": "in", "target": "out"}`, 1))
	for prompt, want := range map[string]struct{ text, skipped string }{
		"ab": {"echo: ab\n\nab", "y"}, "a": {"a", "x y"}, "c": {"echo: c\n\nc", "c2 x"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := play(t, text, recordedRun{Prompt: prompt})
			var skipped []string
			for _, id := range []string{"c2", "x", "y"} {
				if p.Status(id) == engine.StatusSkipped {
					skipped = append(skipped, id)
				}
			}
			if p.text("out") != want.text || strings.Join(skipped, " ") != want.skipped {
				t.Errorf("%s: got %q, skipped %v, want %+v", prompt, p.text("out"), skipped, want)
			}
		})
	}
}

// What a flow calls its nodes never clashes with the steps added beside them, and text that
// looks like a reference is text.
func TestAwkwardNamesAndTexts(t *testing.T) {
	text := flowOf([]string{"in:input:{\"promptMode\": \"fixed\", \"fixedPrompt\": \"see @{SESSION_ID}.x|y\"}", "in-ask:agent", "out-in:agent:{\"systemPromptOverride\": \"@{SESSION_ID}\"}", "out:output"},
		[]string{"in>in-ask", "in-ask>out-in", "out-in>out"})
	synctest.Test(t, func(t *testing.T) {
		p := play(t, text, recordedRun{})
		if got := p.text("out"); got != "echo: @{SESSION_ID}\n\necho: see @{SESSION_ID}.x|y" {
			t.Errorf("got %q, %s", got, p.Session.Status)
		}
	})
}

// A session's input is an output of a step of its name, which may be a node that does not run.
func TestNodeCalledPrompt(t *testing.T) {
	text := flowOf([]string{"in:input", "c:condition:{\"expression\": \"'x' in input\"}", "prompt:agent:{\"outputVariable\": \"v\"}", "d:condition:{\"expression\": \"v == ''\"}", "out:output"},
		[]string{"in>c", "c>prompt:true", "c>d:false", "prompt>d", "d>out:true"})
	for prompt, want := range map[string]string{"cats": "cats", "x": ""} {
		synctest.Test(t, func(t *testing.T) {
			if p := play(t, text, recordedRun{Prompt: prompt}); p.text("out") != want || p.Session.Status != engine.StatusComplete {
				t.Errorf("%s: got %q, %s %+v", prompt, p.text("out"), p.Session.Status, p.Session.Error)
			}
		})
	}
}

func TestExpressionsHoldNoReferences(t *testing.T) {
	text := flowOf([]string{"in:input", "c:condition:{\"expression\": \"'@{SESSION_ID}.in.text|x' in input\"}", "out:output"}, []string{"in>c", "c>out:true"})
	w := compile(t, text)
	if got, problems := export(t, w); len(problems) > 0 || !strings.Contains(got, `'@{SESSION_ID}.in.text|x' in input`) {
		t.Errorf("got %s, %v", got, problems)
	}
	synctest.Test(t, func(t *testing.T) {
		if p := play(t, text, recordedRun{Prompt: "see @{SESSION_ID}.in.text|x"}); p.text("out") != "see @{SESSION_ID}.in.text|x" {
			t.Errorf("%s %+v: %s", p.Session.Status, p.Session.Error, p.Output("c"))
		}
	})
}

func TestTools(t *testing.T) {
	w := compile(t, flowOf([]string{"in:input", "a:agent:{\"tools\": [\"search_engine\", \"response\"]}", "b:agent:{\"tools\": [\"search_engine\"]}", "out:output"}, []string{"in>a", "a>b", "b>out"}))
	s := w.Step("tool-search_engine")
	if s == nil || s.Function != "search_engine" {
		t.Fatalf("got %+v", s)
	}
	var from []string
	for _, p := range w.Paths {
		if p.Kind == engine.Tool && p.Target == s.ID && p.Name == "search_engine" {
			from = append(from, p.Source)
		}
	}
	if strings.Join(from, " ") != "a b" {
		t.Errorf("tools of %v", from)
	}
	if len(engine.Validate(w, engine.NewRegistry())) == 0 {
		t.Error("validate does not say that nobody has the tool")
	}
}

func TestNamesOfVariables(t *testing.T) {
	for name, want := range map[string]string{"first": "", " größe_2 ": "", "my var": "is not a name", "2nd": "is not a name", "not": "is not a name", "None": "is not a name", "input": "is not a name",
		"a.b": "is not a name", "'x'": "is not a name", "(a)": "is not a name", "len": "hides the function"} {
		data, err := json.Marshal(map[string]string{"outputVariable": name})
		if err != nil {
			t.Fatal(err)
		}
		f, err := agentzero.Parse("t.json", flowOf([]string{"in:input", "a:agent:" + string(data), "out:output"}, []string{"in>a", "a>out"}))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(f.Notes); n > 1 || (n == 1) != (want != "") || n == 1 && (f.Notes[0].Step != "a" || !strings.Contains(f.Notes[0].Message, want)) {
			t.Errorf("%q: got %+v, want %q", name, f.Notes, want)
		}
	}
}

// Two tools whose names read the same as ids are two steps.
func TestToolsThatReadTheSame(t *testing.T) {
	w := compile(t, flowOf([]string{"in:input", "a:agent:{\"tools\": [\"web.search\", \"web_search\", \"web.search\"]}", "out:output"}, []string{"in>a", "a>out"}))
	for id, function := range map[string]string{"tool-web_search": "web.search", "tool-web_search-2": "web_search"} {
		if s := w.Step(id); s == nil || s.Function != function {
			t.Errorf("step %s is %+v, want one that calls %s", id, s, function)
		}
	}
}
