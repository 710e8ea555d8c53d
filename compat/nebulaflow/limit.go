package nebulaflow

import (
	"fmt"

	"github.com/stepgraph/stepgraph/compat/source"
)

// Limits of one file besides those of every drawing (source.MostNodes, source.MostEdges).
const (
	mostLoops = 500  // people nest three or four
	mostPorts = 1000 // of one node that runs a subflow
	// mostText is what the texts may come to, in bytes, when each reader has what it reads
	// of text nodes in its own input: little text can stand for very much.
	mostText = 32 << 20
	// What a text, and each piece of it, takes besides its letters.
	textSize  = 32
	pieceSize = 4
	// waySize is about what a node or a way into one takes in the input of gatherScript
	// besides its name.
	waySize = 40
)

// spend counts the bytes of text given to a node and reports whether the limit allows them.
// Once it is exceeded all texts are empty, and the file is refused when the compiler is done.
func (b *builder) spend(n *node, bytes int) bool {
	if b.spent += bytes; b.spent > mostText && b.over == nil {
		b.over = n
	}
	return b.over == nil
}

// whole is a text as a complete input of a step: one in a template has
// been counted there.
func (b *builder) whole(reader *node, t text) any {
	if !b.spend(reader, t.size()) {
		return ""
	}
	return t.value()
}

// tooMuch is the fault of a flow whose texts are too large, nil when they are not.
func (b *builder) tooMuch(faults *source.Faults) error {
	if b.over == nil {
		return nil
	}
	faults.AddFor([]string{b.over.ID}, b.flow.pointer(b.over), "too_large",
		"node %q: up to here the texts that nodes read of each other come to more than %d MB; let an llm or a variable node stand between, whose result is read instead", b.over.ID, mostText>>20)
	return faults.Err()
}

// size is about how many bytes a text takes in an input.
func (t text) size() int {
	n := textSize
	for _, p := range t {
		n += pieceSize + len(p.lit) + len(p.ref)
	}
	return n
}

// checkSize refuses files that would take too much time or memory to compile.
func (f *flow) checkSize(faults *source.Faults) bool {
	loops := 0
	for _, n := range f.Nodes {
		if n.Type == kindLoopStart {
			loops++
		}
		if n.Data.InputPortCount > mostPorts || n.Data.OutputPortCount > mostPorts {
			faults.AddFor([]string{n.ID}, f.pointer(n), "too_large", "node %q has more than %d ports", n.ID, mostPorts)
		}
	}
	if loops > mostLoops {
		faults.Add(f.at+"/nodes", "too_large", "there are %d loops, more than the %d that are read from such a file", loops, mostLoops)
	}
	for _, list := range []struct {
		name  string
		ports []port
	}{{"inputs", f.Inputs}, {"outputs", f.Outputs}} {
		if len(list.ports) > mostPorts {
			faults.Add(fmt.Sprintf("/%s", list.name), "too_large", "there are %d %s, more than the %d that are read from such a file", len(list.ports), list.name, mostPorts)
		}
	}
	return faults.CheckSize(f.at, len(f.Nodes), len(f.Edges))
}
