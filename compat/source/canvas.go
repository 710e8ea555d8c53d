package source

import "encoding/json"

// A Position is where a node stands on a canvas.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// An Edge is an edge of a file whose canvas is React Flow's: all formats except NebulaFlow's
// read theirs as this.
type Edge struct {
	ID           string `json:"id"`
	Source       string `json:"source"`
	Target       string `json:"target"`
	SourceHandle string `json:"sourceHandle"`
	TargetHandle string `json:"targetHandle"`

	Raw   json.RawMessage `json:"-"` // the edge as written
	Index int             `json:"-"` // its place in the file
}

// A Canvas holds the nodes and edges of a file as written.
type Canvas struct {
	Nodes []json.RawMessage `json:"nodes"`
	Edges []json.RawMessage `json:"edges"`
}

// Number sets Raw and Index of decoded edges. An edge that is null in the file becomes an empty
// one.
func (c *Canvas) Number(edges []*Edge) {
	for i := range edges {
		if edges[i] == nil {
			edges[i] = &Edge{}
		}
		edges[i].Index, edges[i].Raw = i, Compact(c.Edges[i])
	}
}

// NodeTypes are the types of the nodes of a JSON object with nodes and edges; nil for any other text.
func NodeTypes(src []byte) []string {
	var shape struct {
		Nodes []struct {
			Type string `json:"type"`
		} `json:"nodes"`
		Edges *json.RawMessage `json:"edges"`
	}
	if json.Unmarshal(src, &shape) != nil || shape.Edges == nil {
		return nil
	}
	types := make([]string, len(shape.Nodes))
	for i := range shape.Nodes {
		types[i] = shape.Nodes[i].Type
	}
	return types
}
