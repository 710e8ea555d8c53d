package nebulaflow

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/compat/source"
)

// Types of node.
const (
	kindText        = "text-format"
	kindLLM         = "llm"
	kindCLI         = "cli"
	kindIfElse      = "if-else"
	kindLoopStart   = "loop-start"
	kindLoopEnd     = "loop-end"
	kindAccumulator = "accumulator"
	kindVariable    = "variable"
	kindPreview     = "preview"
	kindSubflow     = "subflow"
	kindInput       = "subflow-input"
	kindOutput      = "subflow-output"
)

var kinds = map[string]bool{kindText: true, kindLLM: true, kindCLI: true, kindIfElse: true, kindLoopStart: true, kindLoopEnd: true,
	kindAccumulator: true, kindVariable: true, kindPreview: true, kindSubflow: true, kindInput: true, kindOutput: true}

// A flow is a file as it was read: a workflow, or a subflow with ports.
type flow struct {
	graph
	Version  string      `json:"version"`
	State    *savedState `json:"state"`
	OnError  string      `json:"onError"`  // our own key: fail-fast (the default) or continue-subgraph
	Parallel *bool       `json:"parallel"` // our own key: false makes one call at a time; see oneByOne
	ID       string      `json:"id"`
	Title    string      `json:"title"`
	Inputs   []port      `json:"inputs"`
	Outputs  []port      `json:"outputs"`
	Graph    *graph      `json:"graph"`
	byID     map[string]*node
	portsIn  map[string]int // places of ports by their ids
	portsOut map[string]int
	at       string // JSON pointer of nodes and edges: "" or "/graph"
	regions  []*region
	inRegion map[string]*region // the innermost loop around a node
}

type graph struct {
	Nodes []*node `json:"nodes"`
	Edges []*edge `json:"edges"`
}

type port struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Index int    `json:"index"`
}

type node struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Data     data            `json:"data"`
	Position source.Position `json:"position"`
	index    int
	raw      json.RawMessage
	fault    string  // what in it is of another kind than it must be
	in, out  []*edge // live, in the order of the file
	values   []*edge // as inputs gives them
	next     []*edge // out of the node, whether or not they are live
}

// data is everything a node may be configured with; each type uses some of it.
type data struct {
	Title        string `json:"title"`
	Content      string `json:"content"`
	Active       *bool  `json:"active"`
	Bypass       bool   `json:"bypass"`
	Approval     bool   `json:"needsUserApproval"`
	ShouldAbort  bool   `json:"shouldAbort"`
	VariableName string `json:"variableName"`
	InitialValue string `json:"initialValue"`

	Model                *model            `json:"model"`
	SystemPromptTemplate string            `json:"systemPromptTemplate"`
	TimeoutSec           *seconds          `json:"timeoutSec"`
	ReasoningEffort      string            `json:"reasoningEffort"`
	DisabledTools        []string          `json:"disabledTools"`
	DangerouslyAllowAll  bool              `json:"dangerouslyAllowAll"`
	Attachments          []json.RawMessage `json:"attachments"`

	Mode         string `json:"mode"`
	Shell        string `json:"shell"`
	StreamOutput bool   `json:"streamOutput"`
	SafetyLevel  string `json:"safetyLevel"`
	Stdin        stdin  `json:"stdin"`
	Env          env    `json:"env"`
	Flags        flags  `json:"flags"`

	Iterations         whole  `json:"iterations"`
	LoopVariable       string `json:"loopVariable"`
	LoopMode           string `json:"loopMode"`
	CollectionVariable string `json:"collectionVariable"`
	MaxSafeIterations  whole  `json:"maxSafeIterations"`

	SubflowID       string `json:"subflowId"`
	InputPortCount  whole  `json:"inputPortCount"`
	OutputPortCount whole  `json:"outputPortCount"`
	PortID          string `json:"portId"`
}

type model struct {
	ID       string `json:"id"`
	Provider string `json:"provider"`
}

type stdin struct {
	Source          string `json:"source"`
	ParentIndex     whole  `json:"parentIndex"`
	Literal         string `json:"literal"`
	StripCodeFences *bool  `json:"stripCodeFences"`
	NormalizeCRLF   *bool  `json:"normalizeCRLF"`
}

type env struct {
	ExposeParents bool            `json:"exposeParents"`
	Names         []string        `json:"names"`
	Static        map[string]word `json:"static"`
}

type flags struct {
	ExitOnError    bool  `json:"exitOnError"`
	UnsetVars      bool  `json:"unsetVars"`
	Pipefail       bool  `json:"pipefail"`
	NoProfile      *bool `json:"noProfile"`
	NonInteractive *bool `json:"nonInteractive"`
	PolicyBypass   bool  `json:"executionPolicyBypass"`
}

type edge struct {
	ID           string `json:"id"`
	Source       string `json:"source"`
	Target       string `json:"target"`
	SourceHandle string `json:"sourceHandle"`
	TargetHandle string `json:"targetHandle"`
	index        int
	raw          json.RawMessage
	fault        string
	from, to     *node // nil where the file has no such node
}

type savedState struct {
	NodeResults map[string]struct {
		Status string `json:"status"`
		Output word   `json:"output"`
	} `json:"nodeResults"`
	IfElseDecisions map[string]word `json:"ifElseDecisions"`
}

// UnmarshalJSON keeps the text of the node beside what we read of it.
func (n *node) UnmarshalJSON(b []byte) error {
	type plain node
	var err error
	n.fault, err = fitting(b, (*plain)(n))
	n.raw = compact(b)
	return err
}

// UnmarshalJSON keeps the text of the edge beside what we read of it.
func (e *edge) UnmarshalJSON(b []byte) error {
	type plain edge
	var err error
	e.fault, err = fitting(b, (*plain)(e))
	e.raw = compact(b)
	return err
}

func compact(b []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil {
		return bytes.Clone(b)
	}
	return out.Bytes()
}

// Recognise reports whether a JSON text looks like a workflow or subflow file of NebulaFlow: it
// has nodes, and most are of types only NebulaFlow has. One with faults is recognised too.
func Recognise(_ string, src []byte) bool {
	var shape struct {
		Nodes []struct{ Type string }
		Graph struct{ Nodes []struct{ Type string } }
	}
	if !bytes.HasPrefix(bytes.TrimSpace(src), []byte("{")) || json.Unmarshal(src, &shape) != nil {
		return false
	}
	nodes, known := append(shape.Nodes, shape.Graph.Nodes...), 0
	for _, n := range nodes {
		if kinds[n.Type] {
			known++
		}
	}
	return known > 0 && 2*known >= len(nodes)
}

func readFlow(name string, src []byte) (*flow, error) {
	f := &flow{}
	if err := source.Decode(name, src, f); err != nil {
		return nil, err
	}
	if f.Graph != nil {
		f.graph, f.at = *f.Graph, "/graph"
	}
	f.prepare()
	return f, nil
}

// prepare numbers nodes and edges, finds nodes by id and edges by their ends.
func (f *flow) prepare() {
	f.byID = map[string]*node{}
	for i, n := range f.Nodes {
		if n == nil {
			f.Nodes[i] = &node{}
			n = f.Nodes[i]
		}
		n.index = i
		if f.byID[n.ID] == nil {
			f.byID[n.ID] = n
		}
	}
	for i, e := range f.Edges {
		if e == nil {
			f.Edges[i] = &edge{}
			e = f.Edges[i]
		}
		e.index, e.from, e.to = i, f.byID[e.Source], f.byID[e.Target]
		if f.live(e) {
			e.from.out, e.to.in = append(e.from.out, e), append(e.to.in, e)
		}
		if e.from != nil && e.to != nil {
			e.from.next = append(e.from.next, e)
			if e.TargetHandle != handleOverride {
				e.to.values = append(e.to.values, e)
			}
		}
	}
	for _, n := range f.Nodes {
		sort.SliceStable(n.values, func(i, j int) bool {
			return portOf(n.values[i].TargetHandle, "in-") < portOf(n.values[j].TargetHandle, "in-")
		})
	}
	f.portsIn, f.portsOut = portIndex(f.Inputs), portIndex(f.Outputs)
}

func (n *node) active() bool { return n.Data.Active == nil || *n.Data.Active }

func (n *node) title() string {
	if t := strings.TrimSpace(n.Data.Title); t != "" {
		return t
	}
	return n.ID
}

// isSubflow reports whether the file has ports.
func (f *flow) isSubflow() bool { return f.Graph != nil }

// live reports whether an edge joins two nodes that take part.
func (f *flow) live(e *edge) bool {
	return e.from != nil && e.to != nil && e.from.active() && e.to.active()
}

// into are the live edges into a node, in the order of the file.
func (f *flow) into(id string) []*edge {
	if n := f.byID[id]; n != nil {
		return n.in
	}
	return nil
}

func (f *flow) outOf(id string) []*edge {
	if n := f.byID[id]; n != nil {
		return n.out
	}
	return nil
}
