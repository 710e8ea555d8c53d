package flowise

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/compat/source"
)

// Format is the name of this format in Workflow.Extra and in Loaded.Format.
const Format = "flowise"

// Kinds of node, by data.name.
const (
	kindStart          = "startAgentflow"
	kindLLM            = "llmAgentflow"
	kindAgent          = "agentAgentflow"
	kindTool           = "toolAgentflow"
	kindRetriever      = "retrieverAgentflow"
	kindHTTP           = "httpAgentflow"
	kindCondition      = "conditionAgentflow"
	kindConditionAgent = "conditionAgentAgentflow"
	kindHumanInput     = "humanInputAgentflow"
	kindDirectReply    = "directReplyAgentflow"
	kindLoop           = "loopAgentflow"
	kindIteration      = "iterationAgentflow"
	kindCustomFunction = "customFunctionAgentflow"
	kindExecuteFlow    = "executeFlowAgentflow"
	kindStickyNote     = "stickyNoteAgentflow"
)

var kinds = map[string]bool{kindStart: true, kindLLM: true, kindAgent: true, kindTool: true, kindRetriever: true, kindHTTP: true, kindCondition: true,
	kindConditionAgent: true, kindHumanInput: true, kindDirectReply: true, kindLoop: true, kindIteration: true, kindCustomFunction: true,
	kindExecuteFlow: true, kindStickyNote: true}

// A flow is one document. Its sticky notes stand apart, edges to nodes that are not there in
// dangling.
type flow struct {
	ID    string
	Name  string
	Nodes []*node
	Edges []*edge

	at       string // JSON pointer of the object that holds nodes and edges, "" where it is text within the file
	document []byte // the text of that object
	notes    []*node
	dangling []*edge
	fed      map[string]bool // nodes that an edge leads to which is not followed: they are no starts
	byID     map[string]*node
	incoming map[string][]*edge
	outgoing map[string][]*edge
}

type node struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Position   source.Position `json:"position"`
	ParentNode string          `json:"parentNode"`
	Data       struct {
		Name        string   `json:"name"`
		Label       string   `json:"label"`
		InputParams []param  `json:"inputParams"`
		Inputs      settings `json:"inputs"`
	} `json:"data"`

	raw      json.RawMessage
	index    int
	parent   *node // the iteration that contains it
	children []*node
}

// A param defines one input. Only those that accept variables have theirs resolved.
type param struct {
	Name           string  `json:"name"`
	Type           string  `json:"type"`
	AcceptVariable bool    `json:"acceptVariable"`
	Array          []param `json:"array"`
}

type edge = source.Edge

func (n *node) kind() string { return n.Data.Name }

func (n *node) label() string {
	if n.Data.Label != "" {
		return n.Data.Label
	}
	return n.ID
}

// decides reports whether paths out of the node go by its output.
func (n *node) decides() bool {
	switch n.kind() {
	case kindCondition, kindConditionAgent, kindHumanInput:
		return true
	}
	return false
}

// branches are how many ways a node decides between.
func (n *node) branches() int {
	switch n.kind() {
	case kindCondition:
		rows, _ := n.Data.Inputs.rows("conditions")
		return len(rows) + 1
	case kindConditionAgent:
		rows, _ := n.Data.Inputs.rows("conditionAgentScenarios")
		return len(rows)
	case kindHumanInput:
		return 2
	}
	return 0
}

// accepts reports whether the variables in an input are resolved: what the stored document
// says of the parameter counts, not what the component would. A list that accepts variables
// has them resolved in all its rows; of parameters of one name (a body is a text or a list) one
// that accepts them is enough.
func (n *node) accepts(path ...string) bool { return accepted(n.Data.InputParams, path) }

func accepted(params []param, path []string) bool {
	for _, p := range params {
		if p.Name == path[0] && (p.AcceptVariable || len(path) > 1 && accepted(p.Array, path[1:])) {
			return true
		}
	}
	return false
}

// readFlow decodes {nodes, edges}, which also stands as text in the flowData of a chatflow.
func readFlow(name string, src []byte) (*flow, error) {
	var row struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		FlowData any    `json:"flowData"`
	}
	if err := source.Decode(name, src, &row); err != nil {
		return nil, err
	}
	f := &flow{ID: row.ID, Name: row.Name, document: src, byID: map[string]*node{}}
	switch data := row.FlowData.(type) {
	case nil:
		f.ID, f.Name = "", "" // ids of files mean nothing to us
	case string:
		f.document = []byte(data)
		name += "/flowData"
	default:
		f.at = "/flowData"
		f.document, _ = json.Marshal(data)
	}
	var doc source.Canvas
	if err := source.Decode(name, f.document, &doc); err != nil {
		return nil, err
	}
	for i, raw := range doc.Nodes {
		n := &node{}
		if err := decodeAt(name, f.document, fmt.Sprintf("/nodes/%d", i), raw, n); err != nil {
			return nil, err
		}
		n.raw, n.index = raw, i
		f.add(n)
	}
	for i, raw := range doc.Edges {
		e := &edge{}
		if err := decodeAt(name, f.document, fmt.Sprintf("/edges/%d", i), raw, e); err != nil {
			return nil, err
		}
		e.Raw, e.Index = raw, i
		f.Edges = append(f.Edges, e)
	}
	f.nest()
	f.dropDangling()
	return f, nil
}

// decodeAt decodes a part of a document; errors name its place in the whole.
func decodeAt(name string, whole []byte, pointer string, raw json.RawMessage, into any) error {
	if string(bytes.TrimSpace(raw)) == "null" {
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		line, column := source.Locate(whole, pointer)
		return fmt.Errorf("%s:%d:%d: %s: %w", name, line, column, pointer, source.InWords(err))
	}
	return nil
}

func (f *flow) add(n *node) {
	if n.kind() == kindStickyNote || n.Type == "stickyNote" {
		f.notes = append(f.notes, n)
		return
	}
	f.Nodes = append(f.Nodes, n)
	if f.byID[n.ID] == nil {
		f.byID[n.ID] = n
	}
}

// nest puts nodes into the iterations they stand in.
func (f *flow) nest() {
	for _, n := range f.Nodes {
		if p := f.byID[n.ParentNode]; p != nil && p != n && p.kind() == kindIteration {
			n.parent = p
			p.children = append(p.children, n)
		}
	}
}

// dropDangling takes out edges that lead to or from nothing, sticky notes included, and those
// across the border of an iteration, which Flowise follows neither from inside nor outside.
func (f *flow) dropDangling() {
	var kept []*edge
	f.fed = map[string]bool{}
	for _, e := range f.Edges {
		from, to := f.byID[e.Source], f.byID[e.Target]
		if from == nil || to == nil || from.parent != to.parent {
			f.dangling = append(f.dangling, e)
			f.fed[e.Target] = f.fed[e.Target] || to != nil && to.parent == nil
			continue
		}
		kept = append(kept, e)
	}
	f.Edges = kept
	f.incoming, f.outgoing = map[string][]*edge{}, map[string][]*edge{}
	for _, e := range kept {
		f.incoming[e.Target] = append(f.incoming[e.Target], e)
		f.outgoing[e.Source] = append(f.outgoing[e.Source], e)
	}
}

// into lists the edges into a node, in the order of the document.
func (f *flow) into(n *node) []*edge { return f.incoming[n.ID] }

// outOf lists the edges out of a node, in the order of the document.
func (f *flow) outOf(n *node) []*edge { return f.outgoing[n.ID] }

// pointer names the place of a node in the file.
func (f *flow) pointer(n *node) string { return fmt.Sprintf("%s/nodes/%d", f.at, n.index) }
