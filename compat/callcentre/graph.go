package callcentre

import (
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/compat/source"
)

// Format is the name of this format in Workflow.Extra and in Loaded.Format.
const Format = "callcentre"

// Kinds of node.
const (
	kindRouter      = "router"
	kindDepartment  = "department"
	kindTool        = "tool"
	kindIntegration = "integration"
	kindCanvas      = "canvas" // notes and other nodes that create no tools
)

// kinds maps the types of nodes, in the editor's and in the seed's spelling, to their kind.
var kinds = map[string]string{
	"routerNode": kindRouter, "ROUTER": kindRouter,
	"departmentNode": kindDepartment, "DEPARTMENT": kindDepartment,
	"subAgentNode": kindTool, "SUB_AGENT": kindTool,
	"integrationNode": kindIntegration, "INTEGRATION": kindIntegration,
	"noteNode": kindCanvas, "NOTE": kindCanvas,
	"logicNode": kindCanvas, "LOGIC": kindCanvas,
	"knowledgeBaseNode": kindCanvas, "KNOWLEDGE_BASE": kindCanvas,
	"customerProfileNode": kindCanvas, "CUSTOMER_PROFILE": kindCanvas,
}

// A graph is one file.
type graph struct {
	Nodes []*node `json:"nodes"`
	Edges []*edge `json:"edges"`

	byID     map[string]*node
	out      map[string][]*edge // edges by the id they come from, in the order of the file
	repeated map[*node]bool
}

type node struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Position source.Position `json:"position"`
	Data     nodeData        `json:"data"`

	raw   json.RawMessage
	index int
	kind  string

	reads *node // of a tool: the first integration it leads to, nil for none
	offer *offer
}

// nodeData holds what the kinds of node that run have in data.
type nodeData struct {
	Label        string `json:"label"`
	AgentName    string `json:"agentName"`
	SystemPrompt string `json:"systemPrompt"`
	Description  string `json:"description"`

	// Router.
	Intents       []string    `json:"intents"`
	Style         string      `json:"style"`
	SpeaksFirst   bool        `json:"speaksFirst"`
	FirstSentence string      `json:"firstSentence"`
	Guardrails    guardrails  `json:"guardrails"`
	Timeout       looseNumber `json:"communicationTimeout"` // milliseconds
	Language      string      `json:"language"`

	// Department.
	Model string   `json:"model"`
	Tools []string `json:"tools"`

	// Tool.
	Specialty       string      `json:"specialty"`
	FunctionName    string      `json:"functionName"`
	Parameters      []parameter `json:"parameters"`
	IsGoal          bool        `json:"isGoal"`
	SuccessCriteria string      `json:"successCriteria"`

	// Integration.
	IntegrationType  string      `json:"integrationType"`
	URL              string      `json:"url"`
	Method           string      `json:"method"`
	AuthType         string      `json:"authType"`
	APIHeaderName    string      `json:"apiHeaderName"`
	AuthToken        string      `json:"authToken"`
	Headers          looseText   `json:"headers"`
	Body             looseText   `json:"body"`
	GraphQLQuery     string      `json:"graphQLQuery"`
	GraphQLVariables looseText   `json:"graphQLVariables"`
	MockOutput       *looseText  `json:"mockOutput"`
	AIInstructions   string      `json:"aiInstructions"`
	DataStructure    looseText   `json:"dataStructure"`
	Latency          looseNumber `json:"latency"` // milliseconds
}

type guardrails struct {
	BannedPhrases    []string `json:"bannedPhrases"`
	FallbackResponse string   `json:"fallbackResponse"`
}

type parameter struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // string, number, boolean or json
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

type edge = source.Edge

// readGraph decodes a file.
func readGraph(name string, src []byte) (*graph, error) {
	g := &graph{byID: map[string]*node{}, out: map[string][]*edge{}, repeated: map[*node]bool{}}
	if err := source.Decode(name, src, g); err != nil {
		return nil, err
	}
	var raw source.Canvas
	if err := source.Decode(name, src, &raw); err != nil {
		return nil, err
	}
	for i, n := range g.Nodes {
		if n == nil {
			n = &node{}
			g.Nodes[i] = n
		}
		n.index, n.raw, n.kind = i, source.Compact(raw.Nodes[i]), kinds[n.Type]
		if g.byID[n.ID] != nil {
			g.repeated[n] = true
			continue
		}
		g.byID[n.ID] = n
	}
	raw.Number(g.Edges)
	for _, e := range g.Edges {
		g.out[e.Source] = append(g.out[e.Source], e)
		from, to := g.byID[e.Source], g.byID[e.Target]
		if from != nil && from.reads == nil && to != nil && to.kind == kindIntegration {
			from.reads = to
		}
	}
	return g, nil
}

func (g *graph) ofKind(kind string) []*node {
	var out []*node
	for _, n := range g.Nodes {
		if n.kind == kind {
			out = append(out, n)
		}
	}
	return out
}

// makesTool reports whether an edge makes its target a tool of its source.
func makesTool(from, to *node) bool { return offersTool(from.kind, to.kind) }

func offersTool(from, to string) bool {
	switch from {
	case kindRouter, kindDepartment:
		return to == kindDepartment || to == kindTool
	case kindTool:
		return to == kindIntegration
	}
	return false
}

// Recognise reports whether a file is a call-centre graph: JSON with nodes and edges, of which
// some node is a router, department, sub-agent or integration of the call centre.
func Recognise(_ string, src []byte) bool {
	return slices.ContainsFunc(source.NodeTypes(src), func(t string) bool { return kinds[t] != "" && kinds[t] != kindCanvas })
}
