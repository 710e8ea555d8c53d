package flowise_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// A graph is one as the recorded cases have it.
type graph struct {
	Nodes []struct{ ID, Name, Extent string }
	Edges []struct{ Source, Target, SourceHandle string }
}

func (g graph) edges() string {
	var list []string
	for _, e := range g.Edges {
		from := e.Source
		if _, handle, ok := strings.Cut(e.SourceHandle, "-output-"); ok {
			from += ":" + handle
		}
		list = append(list, from+">"+e.Target)
	}
	return strings.Join(list, " ")
}

// faultsOf are the codes of what is wrong with a document.
func faultsOf(document string) []string {
	_, err := flowise.Parse("x.json", []byte(document))
	var faults *source.Faults
	var codes []string
	if errors.As(err, &faults) {
		for _, f := range faults.List {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// Where a flow starts: at a node that no edge leads to, not even one that comes from nothing.
func TestStartingNodes(t *testing.T) {
	replies := func(ids ...string) (out []string) {
		for _, id := range ids {
			out = append(out, drawnNode(t, id, "directReplyAgentflow", "", object{}))
		}
		return out
	}
	check := func(t *testing.T, document string, starts int) {
		t.Helper()
		want := "start_input_type" // none of these flows begins with a start node
		if starts > 1 {
			want = "multiple_starts"
		}
		if got := faultsOf(document); !slices.Equal(got, []string{want}) {
			t.Errorf("%v, want %s", got, want)
		}
	}
	eachLogic(t, "graph_and_queue", "constructGraphs", func(t *testing.T, c logicCase) {
		var in graph
		var want struct{ NodeDependencies map[string]int }
		decode(t, c.Input, &in)
		decode(t, c.Output, &want)
		var ids []string
		for _, n := range in.Nodes {
			ids = append(ids, n.ID)
		}
		starts := 0
		for _, n := range want.NodeDependencies {
			if n == 0 {
				starts++
			}
		}
		check(t, drawn(replies(ids...), in.edges()), starts)
	})
	eachLogic(t, "graph_and_queue", "getStartingNode", func(t *testing.T, c logicCase) {
		var in struct{ NodeDependencies map[string]int }
		var want struct{ StartingNodeIDs []string }
		decode(t, c.Input, &in)
		decode(t, c.Output, &want)
		var ids, edges []string
		for id, n := range in.NodeDependencies {
			if ids = append(ids, id); n > 0 {
				edges = append(edges, want.StartingNodeIDs[0]+">"+id)
			}
		}
		check(t, drawn(replies(ids...), strings.Join(edges, " ")), len(want.StartingNodeIDs))
	})
	eachLogic(t, "graph_and_queue", "checkForMultipleStartNodes", func(t *testing.T, c logicCase) {
		var in struct {
			graph
			IsRecursive bool
		}
		decode(t, c.Input, &in)
		nodes := []string{drawnNode(t, "begin", "startAgentflow", "", object{"startInputType": "chatInput"}), drawnNode(t, "iteration", "iterationAgentflow", "", object{})}
		edges := "begin>iteration"
		for i, n := range in.Nodes {
			parent := ""
			if n.Extent == "parent" {
				parent = "iteration"
			} else if i == 0 {
				edges += " iteration>" + n.ID
			}
			nodes = append(nodes, drawnNode(t, n.ID, "directReplyAgentflow", parent, object{}))
		}
		if got := strings.Join(faultsOf(drawn(nodes, edges)), " "); (got == "multiple_starts") != (c.Error != "") || c.Error == "" && got != "" {
			t.Errorf("%q, want %q", got, c.Error)
		}
	})
}

// played runs a recorded graph with nodes that say their id and decisions that choose a
// branch, and returns the ids of nodes in the order they ran.
func (r running) played(id string, g graph, branch string) []string {
	r.t.Helper()
	nodes, edges := []string{}, g.edges()
	if !slices.ContainsFunc(g.Nodes, func(n struct{ ID, Name, Extent string }) bool { return n.Name == "startAgentflow" }) {
		nodes = append(nodes, drawnNode(r.t, "begin", "startAgentflow", "", object{"startInputType": "chatInput"}))
		edges += " begin>" + g.Nodes[0].ID
	}
	var answer json.RawMessage
	for _, n := range g.Nodes {
		kind, inputs := "customFunctionAgentflow", object{"customFunctionJavascriptFunction": "return '" + n.ID + "'"}
		switch n.Name {
		case "startAgentflow":
			kind, inputs = n.Name, object{"startInputType": "chatInput"}
		case "conditionAgentflow":
			kind, inputs = n.Name, object{"conditions": []object{{"type": "string", "value1": branch, "operation": "equal", "value2": "0"}}}
		case "conditionAgentAgentflow":
			kind, inputs = n.Name, object{"conditionAgentScenarios": []object{{"scenario": "choose 0"}, {"scenario": "choose 1"}}, "conditionAgentInput": branch}
		case "humanInputAgentflow":
			kind, inputs = n.Name, object{"humanInputDescriptionType": "fixed"}
			answer = flowise.HumanInput{Type: map[string]string{"0": "proceed", "1": "reject"}[branch]}.Answer()
		}
		nodes = append(nodes, drawnNode(r.t, n.ID, kind, "", inputs))
	}
	session, entries := r.record(id, drawn(nodes, edges), engine.StartRequest{}, answer)
	if session.Status != engine.StatusComplete {
		r.t.Fatalf("%s: %+v", session.Status, session.Error)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.NodeID)
	}
	return ids
}

// chooser is a model that chooses the scenario its input names.
func chooser(_ context.Context, q models.Request) (models.Response, error) {
	_, rest, _ := strings.Cut(q.LastUser(), `{"input": `)
	return models.Response{Text: fmt.Sprintf(`{"output": "choose %s"}`, rest[:1]), FinishReason: models.FinishStop}, nil
}

// A node that several edges lead to runs once, after all of its sources that ran; one that
// needs several of a group runs with the one that was chosen.
func TestJoins(t *testing.T) {
	r := start(t, chooser, nil)
	eachLogic(t, "graph_and_queue", "setupNodeDependencies", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in struct {
			graph
			NodeID string
		}
		decode(t, c.Input, &in)
		for _, branch := range []string{"0", "1"} {
			ran := r.played("join-"+c.ID+branch, in.graph, branch)
			at := slices.Index(ran, in.NodeID)
			reached := false
			for _, e := range in.Edges {
				if e.Target == in.NodeID && slices.Contains(ran, e.Source) {
					reached = true
					if slices.Index(ran, e.Source) > at {
						t.Errorf("branch %s: %s before its source %s: %v", branch, in.NodeID, e.Source, ran)
					}
				}
			}
			if reached != (at >= 0) || at >= 0 && slices.Contains(ran[at+1:], in.NodeID) {
				t.Errorf("branch %s: %s in %v", branch, in.NodeID, ran)
			}
		}
	})
}

// Nodes run in the order of Flowise's queue. A target of two branches of one node runs with
// the one that was chosen, which Flowise skips.
func TestQueue(t *testing.T) {
	r := start(t, chooser, nil)
	eachLogic(t, "graph_and_queue", "processNodeOutputs sequence", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in struct {
			graph
			Sequence []struct{ NodeID string }
		}
		var want []struct{ Queue []string }
		decode(t, c.Input, &in)
		decode(t, c.Output, &want)
		if in.Sequence[0].NodeID != "s" {
			return // of a loop node: TestLoops and the recorded runs
		}
		ran := r.played("queue-"+c.ID, in.graph, "0")
		if queue := append([]string{"s"}, want[len(want)-1].Queue...); !slices.Equal(ran, queue) {
			t.Errorf("ran %v, want %v", ran, queue)
		}
	})
	eachLogic(t, "graph_and_queue", "determineNodesToIgnore", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in struct {
			graph
			NodeName, NodeID string
		}
		var want struct {
			Ignore          []string
			ConditionsAfter []struct{ IsFulfilled bool }
		}
		decode(t, c.Input, &in)
		decode(t, c.Output, &want)
		g := graph{Edges: in.Edges}
		add := func(id, name string) { g.Nodes = append(g.Nodes, struct{ ID, Name, Extent string }{id, name, ""}) }
		add(in.NodeID, in.NodeName)
		for _, e := range in.Edges {
			if !slices.ContainsFunc(g.Nodes, func(n struct{ ID, Name, Extent string }) bool { return n.ID == e.Target }) {
				add(e.Target, "directReplyAgentflow")
			}
		}
		branch := "0"
		if len(want.ConditionsAfter) > 1 && want.ConditionsAfter[1].IsFulfilled {
			branch = "1"
		}
		ran := r.played("ignore-"+c.ID, g, branch)
		for _, n := range g.Nodes[1:] {
			skipped := slices.Contains(want.Ignore, n.ID) && c.ID != "ignore-shared-target-of-two-branches"
			if slices.Contains(ran, n.ID) == skipped {
				t.Errorf("ran %v, want %s skipped: %t", ran, n.ID, skipped)
			}
		}
	})
}
