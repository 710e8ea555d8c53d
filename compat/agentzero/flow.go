package agentzero

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/source"
)

// Format is the name of this format in Workflow.Extra and in Loaded.Format.
const Format = "agentzero"

// Kinds of node, in the design's spelling.
const (
	kindInput     = "input"
	kindAgent     = "agent"
	kindGroup     = "parallelGroup"
	kindCondition = "condition"
	kindOutput    = "output"
)

// kinds maps both spellings of a type to its kind.
var kinds = map[string]string{
	"input": kindInput, "inputNode": kindInput,
	"agent": kindAgent, "agentNode": kindAgent,
	"parallelGroup": kindGroup, "parallelGroupNode": kindGroup,
	"condition": kindCondition, "conditionNode": kindCondition,
	"output": kindOutput, "outputNode": kindOutput,
}

// A flow is one file, normalised to the design document's form: children have their group in
// group, and no edge leads from a group to its own child.
type flow struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Nodes       []*node         `json:"nodes"`
	Edges       []*edge         `json:"edges"`
	Viewport    json.RawMessage `json:"viewport"`

	byID     map[string]*node
	in, out  map[string][]*edge // edges by the ids of their ends, in the order of the file
	dropped  []*edge            // from a group to its child, in the public implementation's form
	draws    map[string]*edge   // the first of these, by the id of the child
	repeated map[*node]bool     // with an id another node has
	given    map[*node][]*node  // see named
	visits   []int              // the search that has last come to each node, see upstream
	searches int
}

type node struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Position source.Position `json:"position"`
	ParentID string          `json:"parentId"`
	Data     nodeData        `json:"data"`

	raw      json.RawMessage
	index    int
	kind     string // "" for a type that is not known
	group    *node
	children []*node // of a group, in the order of the file
	loose    bool    // a group of the public implementation, whose children may have edges
	rivals   []string
	name     string  // by which expressions can refer to it, "" for none
	needs    []*node // see dependencies
}

// nodeData holds what all kinds of node have in data.
type nodeData struct {
	Label                string   `json:"label"`
	PromptMode           string   `json:"promptMode"`
	FixedPrompt          string   `json:"fixedPrompt"`
	AgentProfile         string   `json:"agentProfile"`
	SystemPromptOverride string   `json:"systemPromptOverride"`
	PromptOverride       string   `json:"promptOverride"` // the public implementation's word
	Model                string   `json:"model"`
	Tools                []string `json:"tools"`
	OutputVariable       string   `json:"outputVariable"`
	MergeStrategy        string   `json:"mergeStrategy"`
	Branches             []string `json:"branches"`
	Concurrency          float64  `json:"concurrency"` // of a group; absent or 0: all children at once
	Expression           string   `json:"expression"`
	TrueLabel            string   `json:"trueLabel"`
	FalseLabel           string   `json:"falseLabel"`
	Format               string   `json:"format"`
}

type edge = source.Edge

// override returns the instruction that precedes an agent's input.
func (n *node) override() string {
	if text := strings.TrimSpace(n.Data.PromptOverride); text != "" {
		return text
	}
	return strings.TrimSpace(n.Data.SystemPromptOverride)
}

// profile is the agent's profile, "" for the default one.
func (n *node) profile() string {
	if name := strings.TrimSpace(n.Data.AgentProfile); name != "default" {
		return name
	}
	return ""
}

// label is what people call the node.
func (n *node) label() string {
	if text := strings.TrimSpace(n.Data.Label); text != "" {
		return text
	}
	return n.ID
}

func (n *node) fixed() bool { return n.Data.PromptMode == "fixed" }

// Merge strategies of groups.
const (
	mergeConcatenate = "concatenate"
	mergeSummarize   = "summarize"
	mergeFirst       = "first"
)

// concurrency is how many children of a group run at once.
func (n *node) concurrency() int {
	if most := int(n.Data.Concurrency); most > 0 {
		return min(most, max(len(n.children), 1))
	}
	return len(n.children)
}

func (n *node) merge() string {
	if n.Data.MergeStrategy == "" {
		return mergeConcatenate
	}
	return n.Data.MergeStrategy
}

func (n *node) format() string {
	if n.Data.Format == "" {
		return "markdown"
	}
	return n.Data.Format
}

// readFlow decodes a file and brings it into the form of the design.
func readFlow(name string, src []byte) (*flow, error) {
	f := &flow{byID: map[string]*node{}, repeated: map[*node]bool{}, draws: map[string]*edge{}, given: map[*node][]*node{}}
	if err := source.Decode(name, src, f); err != nil {
		return nil, err
	}
	var raw source.Canvas
	if err := source.Decode(name, src, &raw); err != nil {
		return nil, err
	}
	for i, n := range f.Nodes {
		if n == nil {
			n = &node{}
			f.Nodes[i] = n
		}
		n.index, n.raw, n.kind = i, source.Compact(raw.Nodes[i]), kinds[n.Type]
		if name := strings.TrimSpace(n.Data.OutputVariable); n.kind == kindAgent && identifier(name) && name != inputName {
			n.name = name
		}
		if f.byID[n.ID] != nil {
			f.repeated[n] = true
			continue
		}
		f.byID[n.ID] = n
	}
	raw.Number(f.Edges)
	f.findGroups()
	return f, nil
}

// findGroups sets the group of every child and removes the edges from groups to their own
// children.
func (f *flow) findGroups() {
	parents := map[*node]bool{}
	for _, n := range f.Nodes {
		if g := f.byID[n.ParentID]; n.ParentID != "" && g != nil && g.kind == kindGroup && g != n {
			n.group, parents[g] = g, true
		}
	}
	out := map[string][]*edge{}
	for _, e := range f.Edges {
		out[e.Source] = append(out[e.Source], e)
	}
	for _, g := range f.Nodes {
		if g.kind == kindGroup && !parents[g] {
			f.adoptBranches(g, out[g.ID])
		}
	}
	var kept []*edge
	for _, e := range f.Edges {
		if n := f.byID[e.Target]; n != nil && n.group != nil && n.group.ID == e.Source {
			if f.dropped = append(f.dropped, e); f.draws[e.Target] == nil {
				f.draws[e.Target] = e
			}
			continue
		}
		kept = append(kept, e)
	}
	f.Edges, f.in, f.out = kept, map[string][]*edge{}, map[string][]*edge{}
	for _, e := range kept {
		f.in[e.Target], f.out[e.Source] = append(f.in[e.Target], e), append(f.out[e.Source], e)
	}
	for _, n := range f.Nodes {
		if n.group != nil {
			n.group.children = append(n.group.children, n)
		}
	}
	for _, g := range f.Nodes {
		if g.loose { // the public implementation goes by the edges
			slices.SortStableFunc(g.children, func(a, b *node) int { return f.draws[a.ID].Index - f.draws[b.ID].Index })
		}
	}
}

// adoptBranches reads a group of the public implementation: its children are the successors
// that data.branches lists, or all following agents if there is no list.
func (f *flow) adoptBranches(g *node, out []*edge) {
	named := map[string]bool{}
	for _, id := range g.Data.Branches {
		named[id] = true
	}
	if len(named) == 0 && g.Type != "parallelGroupNode" {
		return
	}
	for _, e := range out {
		n := f.byID[e.Target]
		if n == nil || n == g || !named[n.ID] && (len(named) > 0 || n.kind != kindAgent) {
			continue
		}
		if n.group != nil && n.group != g {
			n.rivals = append(n.rivals, n.group.ID, g.ID)
			continue
		}
		n.group, g.loose = g, true
	}
}

// into lists the edges into a node, in the order of the file.
func (f *flow) into(n *node) []*edge { return f.in[n.ID] }

// outOf lists the edges out of a node, in the order of the file.
func (f *flow) outOf(n *node) []*edge { return f.out[n.ID] }

func (f *flow) ofKind(kind string) []*node {
	var out []*node
	for _, n := range f.Nodes {
		if n.kind == kind {
			out = append(out, n)
		}
	}
	return out
}
