package flowise

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// referable are the ids that references can name.
var referable = regexp.MustCompile(`^[\p{L}\p{M}\p{Nd}_-]+$`)

// check finds all faults for which a document is refused: what Flowise refuses when it runs a
// flow, and what cannot be compiled here.
func (f *flow) check(faults *source.Faults) {
	for _, n := range f.Nodes {
		f.checkID(faults, n)
	}
	if len(faults.List) > 0 {
		return // what follows needs ids that can be trusted
	}
	f.checkStarts(faults)
	for _, n := range f.Nodes {
		f.checkNode(faults, n)
	}
	if circle := f.circle(); circle != nil {
		faults.AddFor(circle, f.at+"/edges", "cycle", "the edges go in a circle: %s; go back with a Loop node", strings.Join(circle, ", "))
	}
}

func (f *flow) checkID(faults *source.Faults, n *node) {
	bad := func(code, format string, args ...any) {
		faults.AddFor([]string{n.ID}, f.pointer(n), code, format, args...)
	}
	switch {
	case n.ID == "":
		bad("node_without_id", "a node has no id")
	case f.byID[n.ID] != n:
		bad("duplicate_node", "two nodes are called %q", n.ID)
	case !referable.MatchString(n.ID):
		bad("node_id", "node id %q: references can only name letters, digits, _ and -", n.ID)
	case reserved[n.ID] || n.ID == engine.DefaultEntry:
		bad("node_id", "a node cannot be called %q: a value of each session has this name", n.ID)
	}
	if !kinds[n.kind()] {
		bad("unknown_type", "node %q: unknown node type %q", n.ID, n.kind())
	}
}

// start is where the flow begins, nil when that is not clear.
func (f *flow) start() *node {
	if starts := f.starts(nil); len(starts) == 1 {
		return starts[0]
	}
	return nil
}

// starts are the nodes of the flow, or of an iteration, that no edge leads to.
func (f *flow) starts(parent *node) []*node {
	among := f.Nodes
	if parent != nil {
		among = parent.children
	}
	var out []*node
	for _, n := range among {
		if n.parent == parent && len(f.into(n)) == 0 && !f.fed[n.ID] {
			out = append(out, n)
		}
	}
	return out
}

func (f *flow) checkStarts(faults *source.Faults) {
	starts := f.starts(nil)
	ids := make([]string, len(starts))
	for i, n := range starts {
		ids[i] = n.ID
	}
	switch {
	case len(f.Nodes) == 0:
		faults.Add(f.at+"/nodes", "no_nodes", "the flow has no nodes")
	case len(starts) == 0:
		faults.Add(f.at+"/nodes", "start_input_type", "Start input type not found: every node has an edge leading to it")
	case len(starts) > 1:
		faults.AddFor(ids, f.at+"/nodes", "multiple_starts", "Multiple starting nodes are not allowed: nothing leads to %s", strings.Join(ids, ", "))
	case starts[0].kind() != kindStart || starts[0].Data.Inputs.text("startInputType") == "":
		faults.AddFor(ids, f.pointer(starts[0])+"/data", "start_input_type", "Start input type not found: the flow begins with %q, which is not a Start node with an input type", starts[0].ID)
	}
	for _, n := range f.Nodes {
		if n.kind() == kindStart && (len(starts) == 0 || n != starts[0]) && len(f.into(n)) > 0 {
			faults.AddFor([]string{n.ID}, f.pointer(n), "second_start", "a flow has one Start node, and %q is another", n.ID)
		}
	}
}

func (f *flow) checkNode(faults *source.Faults, n *node) {
	bad := func(field, code, format string, args ...any) {
		faults.AddFor([]string{n.ID}, f.pointer(n)+"/data"+field, code, "node %q: "+format, append([]any{n.ID}, args...)...)
	}
	in := n.Data.Inputs
	if n.Data.InputParams == nil && len(in) > 0 && n.kind() != kindStart {
		bad("", "missing_input_params", "it has no inputParams, which say where variables are resolved")
	}
	for _, field := range listsOf(n) {
		if _, ok := in.rows(field); !ok {
			code := "bad_list"
			message := "%s is not a list of objects"
			if field == "startState" {
				code, message = "invalid_state", "Invalid Flow State: %s is not a list of {key, value}"
			}
			bad("/inputs/"+field, code, message, field)
		}
	}
	switch n.kind() {
	case kindAgent:
		if _, ok := in["agentTools"]; !ok {
			bad("/inputs", "missing_tools", "tools is not iterable: agentTools is missing; a node without tools has an empty text there")
		}
	case kindCondition:
		f.checkConditions(bad, n)
	case kindLoop:
		if in.text("loopBackToNode") == "" {
			bad("/inputs/loopBackToNode", "loop_target", "it names no node to go back to")
		}
	case kindIteration:
		if n.parent != nil || n.ParentNode != "" && f.byID[n.ParentNode] != nil {
			bad("", "nested_iteration", "an iteration cannot stand in an iteration")
		}
	case kindHumanInput:
		if n.parent != nil {
			bad("", "human_in_iteration", "a human input cannot stand in an iteration")
		}
	case kindExecuteFlow:
		if in.text("executeFlowSelectedFlow") == "" {
			bad("/inputs/executeFlowSelectedFlow", "flow_missing", "it names no flow to execute")
		}
	}
}

func (f *flow) checkConditions(bad func(field, code, format string, args ...any), n *node) {
	rows, _ := n.Data.Inputs.rows("conditions")
	for i, row := range rows {
		kind := conditionType(row.text("type"))
		if operation := row.text("operation"); operators[kind][operation] == "" {
			bad(fmt.Sprintf("/inputs/conditions/%d/operation", i), "unknown_operation", "condition %d: a %s has no operation %q", i, kind, operation)
		}
	}
}

// listsOf are the inputs of a node that are lists.
func listsOf(n *node) []string {
	switch n.kind() {
	case kindStart:
		return []string{"startState", "formInputTypes"}
	case kindLLM:
		return []string{"llmMessages", "llmStructuredOutput", "llmUpdateState"}
	case kindAgent:
		return []string{"agentMessages", "agentTools", "agentStructuredOutput", "agentUpdateState", "agentKnowledgeDocumentStores", "agentKnowledgeVSEmbeddings"}
	case kindTool:
		return []string{"toolInputArgs", "toolUpdateState"}
	case kindRetriever:
		return []string{"retrieverKnowledgeDocumentStores", "retrieverUpdateState"}
	case kindHTTP:
		return []string{"headers", "queryParams"}
	case kindCondition:
		return []string{"conditions"}
	case kindConditionAgent:
		return []string{"conditionAgentScenarios"}
	case kindLoop:
		return []string{"loopUpdateState"}
	case kindCustomFunction:
		return []string{"customFunctionInputVariables", "customFunctionUpdateState"}
	case kindExecuteFlow:
		return []string{"executeFlowUpdateState"}
	}
	return nil
}

// circle is a circle of edges, nil when there is none.
func (f *flow) circle() []string {
	const open, closed = 1, 2
	state := map[string]int{}
	out := map[string][]string{}
	for _, e := range f.Edges {
		out[e.Source] = append(out[e.Source], e.Target)
	}
	type frame struct {
		id   string
		next int
	}
	for _, first := range f.Nodes {
		if state[first.ID] != 0 {
			continue
		}
		way := []frame{{id: first.ID}} // an explicit stack: chains of nodes may be long
		state[first.ID] = open
		for len(way) > 0 {
			top := &way[len(way)-1]
			if top.next == len(out[top.id]) {
				state[top.id], way = closed, way[:len(way)-1]
				continue
			}
			target := out[top.id][top.next]
			top.next++
			switch state[target] {
			case 0:
				state[target] = open
				way = append(way, frame{id: target})
			case open:
				var ids []string
				for _, f := range way {
					if f.id == target || ids != nil {
						ids = append(ids, f.id)
					}
				}
				return ids
			}
		}
	}
	return nil
}
