package flowise

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// shownFlow is a workflow with a node for each name and the paths between them; a name with a
// ~ is a step the compiler added for the node before it.
func shownFlow(paths ...string) *engine.Workflow {
	w := &engine.Workflow{ID: "w"}
	add := func(id string) {
		if w.Step(id) != nil {
			return
		}
		s := engine.Step{ID: id, Config: `{"data":{"name":"customFunctionAgentflow","label":"` + strings.ToUpper(id) + `"}}`}
		if of, _, generated := strings.Cut(id, "~"); generated {
			s = engine.Step{ID: id, Extra: map[string]any{"generated": true, "of": of}}
		}
		w.Steps = append(w.Steps, s)
	}
	for _, p := range paths {
		from, to, _ := strings.Cut(p, ">")
		add(from)
		add(to)
		w.Paths = append(w.Paths, engine.Path{ID: p, Kind: engine.Next, Source: from, Target: to})
	}
	return w
}

// history makes EXECUTIONs of texts such as "c<a,b": c was led to by the newest a and b.
func history(list ...string) []engine.Execution {
	var out []engine.Execution
	newest := map[string]string{}
	for i, text := range list {
		step, from, _ := strings.Cut(text, "<")
		step, state, hasState := strings.Cut(step, "=")
		x := engine.Execution{ID: fmt.Sprint("s/", i+1), Seq: int64(i + 1), Step: step, Visit: 1, Status: engine.StatusComplete,
			Output: json.RawMessage(fmt.Sprintf(`{"text":%q}`, step))}
		if hasState {
			x.Output = json.RawMessage(`{"state":{"n":` + state + `}}`)
		}
		for _, before := range strings.Split(from, ",") {
			if before != "" {
				x.Took = append(x.Took, engine.Lineage{Execution: newest[before], Label: before + ">" + step})
			}
		}
		newest[step] = x.ID
		out = append(out, x)
	}
	return out
}

func orderIn(w *engine.Workflow, list []engine.Execution) []string {
	var out []string
	for _, e := range Executed(Run{Workflow: w, Session: &engine.Session{ID: "s", Status: engine.StatusComplete}, Executions: list}) {
		out = append(out, e.NodeID)
	}
	return out
}

// Whatever ended first, entries stand as Flowise's queue would have had them.
func TestQueueOrder(t *testing.T) {
	wide := shownFlow("a>b", "a>c", "b>d", "c>e", "d>f", "e>f")
	for name, c := range map[string]struct {
		flow *engine.Workflow
		ran  []string
		want string
	}{
		"as it ran":              {wide, []string{"a", "b<a", "c<a", "d<b", "e<c", "f<d,e"}, "a b c d e f"},
		"the second branch won":  {wide, []string{"a", "c<a", "e<c", "b<a", "d<b", "f<d,e"}, "a b c d e f"},
		"a step in between":      {shownFlow("a>b", "a>c", "b>b~state", "b~state>d", "c>e"), []string{"a", "b<a", "c<a", "e<c", "b~state=1<b", "d<b~state"}, "a b c d e"},
		"back and again":         {shownFlow("a>b", "b>c", "c>b"), []string{"a", "b<a", "c<b", "b<c", "c<b"}, "a b c b c"},
		"nothing tells":          {wide, []string{"a", "c", "b"}, "a c b"},
		"edges in another order": {shownFlow("a>c", "a>b"), []string{"a", "b<a", "c<a"}, "a c b"},
	} {
		if got := strings.Join(orderIn(c.flow, history(c.ran...)), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// A node's state is what the step behind it made of it, also when another branch ran between.
func TestStates(t *testing.T) {
	w := shownFlow("a>b", "a>c", "b>b~state", "b~state>d")
	var states []string
	for _, e := range Executed(Run{Workflow: w, Session: &engine.Session{ID: "s", Status: engine.StatusComplete},
		Executions: history("a", "b<a", "c<a", "b~state=1<b", "d<b~state")}) {
		states = append(states, e.NodeID+string(e.Data.State))
	}
	if want := []string{`a{}`, `b{"n":1}`, `c{}`, `d{"n":1}`}; !slices.Equal(states, want) {
		t.Errorf("got %v, want %v", states, want)
	}
}

// Parents of an entry are those of the flow, whatever ran: steps in between are not seen.
func TestPreviousNodes(t *testing.T) {
	w := shownFlow("a>b", "b>b~state", "b~state>d", "c>d", "a>c")
	for _, e := range Executed(Run{Workflow: w, Session: &engine.Session{ID: "s", Status: engine.StatusComplete}, Executions: history("a", "b<a", "d<b")}) {
		if want := map[string][]string{"a": {}, "b": {"a"}, "d": {"b", "c"}}[e.NodeID]; !slices.Equal(e.PreviousNodeIDs, want) {
			t.Errorf("%s: got %v, want %v", e.NodeID, e.PreviousNodeIDs, want)
		}
	}
}

// An attempt that is made again is not the end of its node.
func TestRetriedAttemptsAreNoEntries(t *testing.T) {
	list := history("a", "b<a", "b<a")
	list[1].Status, list[1].Output, list[1].Error = engine.StatusError, nil, json.RawMessage(`{"kind":"rate_limit","message":"too many","transient":true,"retried":true}`)
	var shown []string
	for _, e := range Executed(Run{Workflow: shownFlow("a>b"), Executions: list, Session: &engine.Session{Status: engine.StatusComplete}}) {
		shown = append(shown, e.NodeID+" "+e.Status)
	}
	if got := strings.Join(shown, ", "); got != "a FINISHED, b FINISHED" {
		t.Errorf("got %s", got)
	}
}
