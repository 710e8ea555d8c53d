package nebulaflow

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

var version1 = regexp.MustCompile(`^(1\..*)?$`)

// check finds everything for which a file is refused, at once.
func (f *flow) check(faults *source.Faults) {
	if !version1.MatchString(f.Version) {
		faults.Add("/version", "unsupported_version", "version %q is none of 1.x.y", f.Version)
	}
	if f.OnError != "" && f.OnError != failFast && f.OnError != continueSubgraph {
		faults.Add("/onError", "error_policy", "onError: want %s or %s, not %q", failFast, continueSubgraph, f.OnError)
	}
	for _, n := range f.Nodes {
		f.checkNode(faults, n)
	}
	for _, e := range f.Edges {
		f.checkEdge(faults, e)
	}
	f.checkPorts(faults)
	if len(faults.List) > 0 {
		return // what follows needs ids that can be trusted
	}
	if circle := f.circle(); circle != nil {
		faults.AddFor(circle, f.at+"/edges", "cycle", "the edges go in a circle: %s; a loop is a region between loop-start and loop-end", strings.Join(circle, ", "))
		return
	}
	alone := f.findRegions()
	for _, n := range alone {
		faults.AddFor([]string{n.ID}, f.pointer(n), "loop_alone", "%s %q has no partner", n.Type, n.ID)
	}
	f.checkRegions(faults)
	f.checkRoot(faults)
}

func (f *flow) pointer(n *node) string { return fmt.Sprintf("%s/nodes/%d", f.at, n.index) }

func (f *flow) checkNode(faults *source.Faults, n *node) {
	bad := func(code, format string, args ...any) {
		faults.AddFor([]string{n.ID}, f.pointer(n), code, format, args...)
	}
	switch {
	case n.ID == "":
		bad("node_without_id", "a node has no id")
	case f.byID[n.ID] != n:
		bad("duplicate_node", "two nodes are called %q", n.ID)
	case !referable(n.ID):
		bad("node_id", "node id %q: references can only name letters, digits, _ and -", n.ID)
	}
	if n.fault != "" {
		bad("bad_value", "node %q: %s", n.ID, n.fault)
	}
	if !n.active() {
		return // it takes no part, whatever it is
	}
	if !kinds[n.Type] {
		bad("unknown_type", "node %q: unknown node type %q", n.ID, n.Type)
	}
	d := &n.Data
	switch n.Type {
	case kindSubflow:
		if d.SubflowID == "" {
			bad("subflow_missing", "node %q names no subflow", n.ID)
		}
	case kindVariable, kindAccumulator:
		if strings.TrimSpace(d.VariableName) == "" {
			bad("variable_name", "node %q has no variableName", n.ID)
		}
	case kindCLI:
		if strings.TrimSpace(d.Content) == "" && !d.Bypass {
			bad("empty_command", "node %q has no command", n.ID)
		}
		switch d.Shell {
		case "", "bash", "sh", "zsh", "pwsh":
		default:
			bad("unknown_shell", "node %q: commands run in bash, sh, zsh or pwsh here, not in %q", n.ID, d.Shell)
		}
	case kindLLM:
		f.checkAttachments(faults, n)
	case kindInput, kindOutput:
		if !f.isSubflow() {
			bad("boundary_outside", "node %q: %s is only for subflows", n.ID, n.Type)
		}
	}
}

func (f *flow) checkAttachments(faults *source.Faults, n *node) {
	for i, raw := range n.Data.Attachments {
		var a attachment
		if json.Unmarshal(raw, &a) != nil || a.Source != "url" && !a.inFolder() {
			faults.AddFor([]string{n.ID}, fmt.Sprintf("%s/data/attachments/%d", f.pointer(n), i), "attachment",
				"node %q: an image is an address, or a file below the configured folder (a relative path that ends with .png, .jpg, .gif or .webp)", n.ID)
		}
	}
}

func (f *flow) checkEdge(faults *source.Faults, e *edge) {
	pointer := fmt.Sprintf("%s/edges/%d", f.at, e.index)
	if e.fault != "" {
		faults.AddFor([]string{e.ID}, pointer, "bad_value", "edge %q: %s", e.ID, e.fault)
	}
	for _, end := range []struct{ name, id string }{{"source", e.Source}, {"target", e.Target}} {
		if f.byID[end.id] == nil {
			faults.AddFor([]string{e.ID, end.id}, pointer+"/"+end.name, "edge_end", "edge %q: there is no node %q", e.ID, end.id)
		}
	}
	if from := f.byID[e.Source]; f.live(e) && from.Type == kindIfElse && e.SourceHandle != "true" && e.SourceHandle != "false" {
		faults.AddFor([]string{e.ID, from.ID}, pointer, "branch", "edge %q leaves the if/else %q by neither true nor false", e.ID, from.ID)
	}
}

func (f *flow) checkPorts(faults *source.Faults) {
	if !f.isSubflow() {
		return
	}
	if f.ID == "" {
		faults.Add("/id", "subflow_id", "the subflow has no id")
	}
	if len(f.Outputs) == 0 {
		faults.Add("/outputs", "no_output", "the subflow has no output")
	}
	found := map[string]bool{}
	for _, n := range f.Nodes {
		ports, list := f.portsIn, "inputs"
		switch n.Type {
		case kindOutput:
			ports, list = f.portsOut, "outputs"
			found[n.Data.PortID] = true
		case kindInput:
		default:
			continue
		}
		if _, ok := ports[n.Data.PortID]; !ok {
			faults.AddFor([]string{n.ID}, f.pointer(n), "unknown_port", "node %q: there is no port %q in %s", n.ID, n.Data.PortID, list)
		}
	}
	for i, p := range f.Outputs {
		if !found[p.ID] {
			faults.AddFor([]string{p.ID}, fmt.Sprintf("/outputs/%d", i), "output_without_node", "no subflow-output node stands for the port %q", p.ID)
		}
		if f.byID[outPort(i)] != nil {
			faults.AddFor([]string{outPort(i)}, f.pointer(f.byID[outPort(i)]), "node_id", "node id %q is what the port is called here", outPort(i))
		}
	}
}

// checkRegions: loops may lie in one another, not across.
func (f *flow) checkRegions(faults *source.Faults) {
	ends := map[*node]*region{}
	for _, r := range f.regions {
		if other := ends[r.end]; other != nil {
			faults.AddFor([]string{other.start.ID, r.start.ID, r.end.ID}, f.pointer(r.start), "loop_shared", "the loops %q and %q share the end %q", other.start.ID, r.start.ID, r.end.ID)
		}
		ends[r.end] = r
		for _, o := range f.regions {
			if o != r && o.has(r.start) != o.has(r.end) {
				faults.AddFor([]string{o.start.ID, r.start.ID}, f.pointer(r.start), "loop_crossed", "the loops %q and %q lie across each other", o.start.ID, r.start.ID)
			}
		}
	}
}

// checkRoot: a node called as the step sessions begin at must be the only beginning.
func (f *flow) checkRoot(faults *source.Faults) {
	root := f.byID[engine.DefaultEntry]
	if root == nil || !root.active() {
		return
	}
	for _, n := range f.Nodes {
		if n.active() && (n == root) != (len(f.into(n.ID)) == 0) || f.inRegion[root.ID] != nil || root.Type == kindIfElse {
			faults.AddFor([]string{root.ID}, f.pointer(root), "root", "a node called %q must be where the workflow begins, alone; rename it", root.ID)
			return
		}
	}
}

// circle is a circle of edges between nodes that take part, nil when there is none.
func (f *flow) circle() []string {
	const open, closed = 1, 2
	state := map[string]int{}
	var way []string
	var visit func(id string) []string
	visit = func(id string) []string {
		state[id] = open
		way = append(way, id)
		for _, e := range f.outOf(id) {
			if state[e.Target] == open {
				for i := range way {
					if way[i] == e.Target {
						return append([]string(nil), way[i:]...)
					}
				}
			}
			if state[e.Target] == 0 {
				if found := visit(e.Target); found != nil {
					return found
				}
			}
		}
		state[id], way = closed, way[:len(way)-1]
		return nil
	}
	for _, n := range f.Nodes {
		if state[n.ID] == 0 {
			if found := visit(n.ID); found != nil {
				return found
			}
		}
	}
	return nil
}

var referableText = regexp.MustCompile(`^[\pL\pN_-]+$`)

// referable reports whether a reference can name a step of this id.
func referable(id string) bool { return referableText.MatchString(id) }
