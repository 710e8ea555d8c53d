package agentzero

import "github.com/stepgraph/stepgraph/compat/source"

// Recognise reports whether a file is a flow of Agent Zero: JSON with nodes and edges, most of
// whose nodes have a type of Agent Zero.
func Recognise(_ string, src []byte) bool {
	types, known := source.NodeTypes(src), 0
	for _, t := range types {
		if kinds[t] != "" {
			known++
		}
	}
	return known > 0 && 2*known > len(types)
}
