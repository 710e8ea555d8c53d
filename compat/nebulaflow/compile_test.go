package nebulaflow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/tidwall/gjson"
)

// A sketch writes a flow in a line a node, "id type content", and a line an edge,
// "source:handle -> target:handle".
func sketch(lines ...string) []byte {
	var nodes, edges []any
	for i, line := range lines {
		if from, to, ok := strings.Cut(line, " -> "); ok {
			s, sh, _ := strings.Cut(from, ":")
			t, th, _ := strings.Cut(to, ":")
			edges = append(edges, map[string]any{"id": fmt.Sprintf("e%d", i), "source": s, "sourceHandle": sh, "target": t, "targetHandle": th})
			continue
		}
		part := strings.SplitN(line, " ", 3)
		data := map[string]any{"content": ""}
		if len(part) == 3 && strings.HasPrefix(part[2], "{") {
			_ = json.Unmarshal([]byte(part[2]), &data)
		} else if len(part) == 3 {
			data["content"] = part[2]
		}
		nodes = append(nodes, map[string]any{"id": part[0], "type": part[1], "data": data, "position": map[string]any{"x": i, "y": 0}})
	}
	text, _ := json.Marshal(map[string]any{"version": "1.1.0", "nodes": nodes, "edges": edges})
	return text
}

func TestFlows(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  map[string]string // "-" is a node that did not run
	}{
		{"a join runs with what was taken", []string{"t text-format yes", "c if-else ${1} == yes", "y llm Y", "n llm N", "j preview",
			"t -> c", "c:true -> y", "c:false -> n", "y -> j:in-0", "n -> j:in-1"},
			map[string]string{"y": "echo: Y", "n": "-", "j": "echo: Y"}},
		{"branches of a loop are free in each round", []string{`L loop-start {"iterations":3,"loopVariable":"k"}`, "b text-format r${k}", "c if-else ${1} != r1", "y llm Y${k}", "n llm N${k}",
			`A accumulator {"variableName":"log","content":"<${1}|${2}>"}`, "Z loop-end", "out preview",
			"L -> b", "b -> c", "c:true -> y", "c:false -> n", "y -> A:in-0", "n -> A:in-1", "A -> Z", "Z -> out"},
			map[string]string{"y": "echo: Y2", "out": "<echo: Y0|>\n<|echo: N1>\n<echo: Y2|>"}},
		{"a while loop stops at its limit", []string{`v variable {"variableName":"q","content":"x"}`, `L loop-start {"loopMode":"while-variable-not-empty","collectionVariable":"q","maxSafeIterations":3}`,
			`A accumulator {"variableName":"log","content":"${i}","initialValue":"s"}`, "Z loop-end", "out preview", "v -> L:main", "L -> A", "A -> Z", "Z -> out"},
			map[string]string{"out": "s\n0\n1\n2"}},
		{"templates", []string{"a text-format  one ", `v variable {"variableName":"name","content":"Ada"}`, "r llm say ${literal}", "x text-format ${name}|${1}|${2}|${0}|${other}", "p preview",
			"a -> x:in-0", "v -> x:in-1", "r -> x:in-2", "x -> p"},
			map[string]string{"x": "Ada| one |Ada||${other}", "p": "Ada| one |Ada||${other}"}},
		{"bypassed and inactive nodes give nothing", []string{"a text-format A", `b llm {"content":"B","bypass":true}`, `d llm {"content":"D","active":false}`, "e llm E", "p preview",
			"a -> b", "a -> d", "b -> p:in-0", "d -> p:in-1", "a -> p:in-2", "d -> e"},
			map[string]string{"p": "A", "d": "-", "e": "echo: E"}},
		{"an operator in a value decides nothing", []string{"t text-format a == a", "c if-else ${1} === b", "y preview", "n preview", "t -> c", "c:true -> y", "c:false -> n"},
			map[string]string{"c": "false", "y": "-"}},
		{"not equal", []string{"t text-format a", "c if-else ${1} !== a", "y preview", "n preview", "t -> c", "c:true -> y", "c:false -> n"},
			map[string]string{"c": "false", "y": "-"}},
		{"side input of a loop and two loops in sequence", []string{`L loop-start {"iterations":2}`, "s text-format S${i}", `A accumulator {"variableName":"a","content":"${1}${2}"}`, "Z loop-end",
			`M loop-start {"iterations":2,"loopVariable":"m"}`, `B accumulator {"variableName":"b","content":"${m}"}`, "Y loop-end", "out preview",
			"L -> A:in-1", "s -> A:in-0", "A -> Z", "Z -> M:main", "M -> B", "B -> Y", "Y -> out:in-0", "Z -> out:in-1"},
			map[string]string{"Z": "\nS0\nS1", "out": "0\n1\n\nS0\nS1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, recordedRun{}, []*engine.Workflow{parse(t, "flow.json", sketch(c.lines...))}, engine.StartRequest{Workflow: "flow"})
			for id, want := range c.want {
				result := nodeResult{Status: "not-run"}
				if want != "-" {
					result = done(want)
				}
				p.checkNode(t, id, result, recordedRun{})
			}
			if p.session.Status != engine.StatusComplete {
				t.Errorf("the session is %s: %+v %+v", p.session.Status, p.session.Error, p.session.Problems)
			}
		})
	}
}

// TestErrorPolicies: the first error ends a run, unless the flow says that parts which do not
// need the failed node go on.
func TestErrorPolicies(t *testing.T) {
	flow := sketch(`bad llm {"content":""}`, "d preview", "a llm A", "b llm ${1}!", "bad -> d", "a -> b")
	for policy, want := range map[string]string{"fail-fast": "-", "continue-subgraph": "echo: echo: A!"} {
		run := recordedRun{}
		run.EngineOptions.OnError = policy
		p := play(t, run, []*engine.Workflow{parse(t, "flow.json", changed(t, flow, run))}, engine.StartRequest{Workflow: "flow"})
		p.checkNode(t, "bad", nodeResult{Status: "error"}, run)
		p.checkNode(t, "d", nodeResult{Status: "not-run"}, run)
		if want != "-" {
			p.checkNode(t, "b", done(want), run)
		}
		if p.session.Status != engine.StatusError {
			t.Errorf("%s: the session is %s", policy, p.session.Status)
		}
	}
}

// A flow makes one call at a time where its file says so, or the environment as for NebulaFlow;
// the file counts more, and its key is written back.
func TestOneByOne(t *testing.T) {
	flow := string(sketch("a llm A", "b llm B"))
	with := func(parallel string) []byte {
		return []byte(strings.Replace(flow, "{", `{"parallel": `+parallel+`, `, 1))
	}
	for _, c := range []struct {
		file        []byte
		environment string
		want        int
	}{{[]byte(flow), "", 0}, {[]byte(flow), "0", 0}, {[]byte(flow), "False", 0}, {[]byte(flow), "1", 1}, {[]byte(flow), "true", 1},
		{with("false"), "", 1}, {with("true"), "1", 0}} {
		t.Setenv("NEBULAFLOW_DISABLE_HYBRID_PARALLEL", c.environment)
		w := parse(t, "flow.json", c.file)
		if got := w.Settings.StepsAtOnce; got != c.want {
			t.Errorf("%q, %.20s: steps_at_once is %d, want %d", c.environment, c.file, got, c.want)
		}
	}
	text, problems, err := nebulaflow.Export(parse(t, "flow.json", with("false")))
	if err != nil || len(problems) > 0 || !gjson.GetBytes(text, "parallel").Exists() {
		t.Errorf("%v %v\n%s", err, problems, text)
	}
}

func TestFaultsAreNamedAtOnce(t *testing.T) {
	src := []byte(`{"version":"2.0.0","nodes":[{"id":"a","type":"llm","data":{}},{"id":"a","type":"nope","data":{}},{"id":"s","type":"subflow","data":{}},
		{"id":"x y","type":"variable","data":{}},{"id":"k","type":"cli","data":{}},{"id":"c","type":"if-else","data":{}},{"id":"i","type":"subflow-input","data":{}},
		{"id":"w","type":"loop-start","data":{"loopMode":"while-variable-not-empty"}},{"id":"m","type":"llm","data":{"attachments":[{"source":"file"}]}}],
		"edges":[{"id":"e","source":"a","target":"gone"},{"id":"f","source":"c","target":"a"}]}`)
	want := []string{"attachment", "boundary_outside", "branch", "duplicate_node", "edge_end", "empty_command", "node_id", "subflow_missing", "unknown_type", "unsupported_version", "variable_name"}
	if got := codes(t, src); !slices.Equal(got, want) {
		t.Errorf("codes are %q, want %q", got, want)
	}
	for _, c := range []struct {
		code  string
		lines []string
	}{
		{"cycle", []string{"a preview", "b preview", "a -> b", "b -> a"}},
		{"loop_alone", []string{"L loop-start", "p preview", "L -> p"}},
		{"loop_alone", []string{"L loop-start", "Z loop-end", "Y loop-end", "L -> Z", "Z -> Y"}},
		{"loop_shared", []string{"L loop-start", "M loop-start", "Z loop-end", "L -> Z", "M -> Z"}},
		{"root", []string{"root llm x", "b llm y"}},
	} {
		if got := codes(t, sketch(c.lines...)); !slices.Equal(got, []string{c.code}) {
			t.Errorf("codes are %q, want %s", got, c.code)
		}
	}
}

func codes(t *testing.T, src []byte) []string {
	t.Helper()
	_, err := nebulaflow.Parse("f.json", src)
	var faults *source.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("no faults: %v", err)
	}
	var all []string
	for _, f := range faults.List {
		all = append(all, f.Code)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestSwitchedOff: what takes no part is not asked whether it could.
func TestSwitchedOff(t *testing.T) {
	flow := sketch("a text-format A", `w widget {"active":false}`, `c if-else {"active":false}`, `L loop-start {"active":false,"loopMode":"while-variable-not-empty"}`, "p preview",
		"a -> w", "w -> p:in-0", "c -> p:in-1", "a -> p:in-2", "a -> L")
	p := play(t, recordedRun{}, []*engine.Workflow{parse(t, "f.json", flow)}, engine.StartRequest{Workflow: "flow"})
	p.checkNode(t, "p", done("A"), recordedRun{})
}

func TestLints(t *testing.T) {
	f, err := nebulaflow.Parse("f.json", sketch(`k cli {"content":"ls","mode":"script"}`, "p text-format ${nobody}", "c if-else", `v variable {"variableName":"v","initialValue":"1"}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range f.Notes {
		got = append(got, n.Step+" "+n.Code)
	}
	slices.Sort(got)
	want := []string{"c empty_condition", "c no_branch", "k unguarded_shell", "p unknown_variable", "v initial_value"}
	if !slices.Equal(got, want) {
		t.Errorf("notes are %q, want %q", got, want)
	}
}

func TestSavedState(t *testing.T) {
	f, err := nebulaflow.Parse("f.json", []byte(`{"version":"1.1.0","nodes":[{"id":"a","type":"llm","data":{"content":"x"}},{"id":"c","type":"if-else","data":{}}],"edges":[],
		"state":{"nodeResults":{"a":{"status":"completed","output":"A"},"c":{"status":"completed","output":"false"},"z":{"status":"completed"}},"ifElseDecisions":{"c":false}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if f.Saved == nil || string(f.Saved.Seeds["a"]) != `{"text":"A"}` || string(f.Saved.Seeds["c"]) != `{"result":false,"text":"false"}` || !slices.Equal(f.Saved.Done, []string{"a", "c"}) {
		t.Errorf("saved is %+v", f.Saved)
	}
}

// TestTextsInTextsStaySmall: what doubles at each node is read as a result at some point.
func TestTextsInTextsStaySmall(t *testing.T) {
	lines := []string{"t0 text-format x"}
	for i := 1; i <= 40; i++ {
		lines = append(lines, fmt.Sprintf("t%d text-format ${1}-${2}", i), fmt.Sprintf("t%d -> t%d:in-0", i-1, i), fmt.Sprintf("t%d -> t%d:in-1", i-1, i))
	}
	for _, s := range parse(t, "f.json", sketch(lines...)).Steps {
		if len(s.Input) > 100_000 {
			t.Fatalf("the input of %s has %d bytes", s.ID, len(s.Input))
		}
	}
}

// A bypassed node without a seed shows an empty text.
func TestBypassedNodeShowsEmptyText(t *testing.T) {
	file, err := nebulaflow.Parse("f.json", []byte(`{"nodes":[{"id":"a","type":"text-format","position":{"x":0,"y":0},"data":{"content":"A","bypass":true}},
		{"id":"b","type":"preview","position":{"x":0,"y":0},"data":{}}],"edges":[{"id":"e","source":"a","target":"b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{})
	file.Workflows[0].ID = "f"
	r := enginetest.Play(t, enginetest.Game{Workflow: &file.Workflows[0], Registry: registry, Timeout: time.Minute})
	if got := string(r.Output("a")); got != `{"text":""}` {
		t.Errorf("the bypassed node put out %s", got)
	}
	if got := string(r.Output("b")); !strings.Contains(got, `"text":""`) {
		t.Errorf("its reader put out %s", got)
	}
}

// An image of the workspace is read below the operator's folder by a step in front of the node; a
// path that leads out of it, and a file that is not an image, are refused.
func TestImagesFromFiles(t *testing.T) {
	flow := func(path string) []byte {
		return []byte(`{"nodes":[{"id":"t","type":"text-format","data":{"content":"x"},"position":{"x":0,"y":0}},{"id":"m","type":"llm","data":{"content":"see ${1}","attachments":[
			{"id":"1","kind":"image","source":"url","url":"https://example.com/a.png"},{"id":"2","kind":"image","source":"file","path":"` + path + `"}]},"position":{"x":0,"y":0}}],
			"edges":[{"id":"e","source":"t","target":"m"}],"version":"1.1.0"}`)
	}
	w := parse(t, "flow.json", flow("pictures/b.JPG"))
	read := w.Step("m-image-2")
	if read == nil || read.Function != "file.read" || read.Input != `{"path":"pictures/b.JPG","encoding":"base64"}` {
		t.Fatalf("reads with %+v", read)
	}
	if in := w.Step("m").Input; !strings.Contains(in, `"images":["https://example.com/a.png",{"data":"@{SESSION_ID}.m-image-2.text","media_type":"image/jpeg"}]`) {
		t.Errorf("the node gets %s", in)
	}
	for i := range w.Paths {
		if p := &w.Paths[i]; p.Source == "t" && p.Target != "m-image-2" {
			t.Errorf("path %+v", p)
		}
	}
	if _, problems, err := nebulaflow.Export(w); err != nil || len(problems) > 0 {
		t.Errorf("written back: %v %v", err, problems)
	}
	for _, path := range []string{"/etc/a.png", "../a.png", "notes.txt", ""} {
		if _, err := nebulaflow.Parse("flow.json", flow(path)); err == nil {
			t.Errorf("%q is not refused", path)
		}
	}
}
