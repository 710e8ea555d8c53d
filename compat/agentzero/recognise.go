package agentzero

import "encoding/json"

// Recognise reports whether a file is a flow of Agent Zero: JSON with nodes and edges, most of
// whose nodes have a type of Agent Zero.
func Recognise(_ string, src []byte) bool {
	var shape struct {
		Nodes []struct {
			Type string `json:"type"`
		} `json:"nodes"`
		Edges *json.RawMessage `json:"edges"`
	}
	if json.Unmarshal(src, &shape) != nil || shape.Edges == nil {
		return false
	}
	known := 0
	for _, n := range shape.Nodes {
		if kinds[n.Type] != "" {
			known++
		}
	}
	return known > 0 && 2*known > len(shape.Nodes)
}
