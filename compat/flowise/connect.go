package flowise

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// A Connection is an edge that a user wants to add on a canvas.
type Connection struct {
	Source       string `json:"source"`
	Target       string `json:"target"`
	SourceHandle string `json:"sourceHandle"`
	TargetHandle string `json:"targetHandle"`
}

// An Anchor is a target of edges; List means that it accepts several.
type Anchor struct {
	ID   string `json:"id"`
	List bool   `json:"list"`
}

// CanFollow applies the connection rule of AgentFlow V2: no edge from a node to itself, and no
// cycle. A second edge between the same nodes is allowed.
func CanFollow(c Connection, edges []Connection) bool {
	if c.Source == c.Target {
		return false
	}
	out := map[string][]string{}
	for _, e := range edges {
		out[e.Source] = append(out[e.Source], e.Target)
	}
	seen := map[string]bool{}
	open := []string{c.Target}
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		if id == c.Source {
			return false
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		open = append(open, out[id]...)
	}
	return true
}

// CanConnect applies the connection rule of typed anchors: the types at the end of the source
// handle's id, separated by |, must include one of those of the target handle, and an anchor
// that is not a list accepts one edge. anchors are all anchors of the target node, including
// its parameters, which are not lists.
func CanConnect(c Connection, edges []Connection, anchors []Anchor) bool {
	gives, takes := handleTypes(c.SourceHandle), handleTypes(c.TargetHandle)
	fits := false
	for kind := range gives {
		fits = fits || takes[kind]
	}
	if !fits {
		return false
	}
	occupied := false
	for _, e := range edges {
		occupied = occupied || e.TargetHandle == c.TargetHandle
	}
	for _, a := range anchors {
		if a.ID == c.TargetHandle {
			return !occupied || a.List
		}
	}
	return !occupied
}

// handleTypes are the types at the end of a handle's id, behind its last hyphen.
func handleTypes(handle string) map[string]bool {
	out := map[string]bool{}
	for _, kind := range strings.Split(handle[strings.LastIndex(handle, "-")+1:], "|") {
		if kind = strings.TrimSpace(kind); kind != "" {
			out[kind] = true
		}
	}
	return out
}

// Refuses returns why a flow cannot have a path, "" if it can: by the handles in from_port and
// to_port if they are typed anchors, and by the rule against cycles. Steps that are not nodes
// of the flow may be connected freely.
func Refuses(w *engine.Workflow, p *engine.Path) string {
	g := shownGraphOf(w)
	from, to := g.nodeOf(p.Source), g.nodeOf(p.Target)
	if from == nil || to == nil {
		return ""
	}
	var edges []Connection
	for i := range w.Paths {
		if q := &w.Paths[i]; q.Extra[propertyGenerated] == nil && q.Kind == engine.Next && !q.Back {
			if a, b := g.nodeOf(q.Source), g.nodeOf(q.Target); a != nil && b != nil {
				edges = append(edges, connectionOf(a.id, b.id, q))
			}
		}
	}
	c := connectionOf(from.id, to.id, p)
	switch {
	case !CanFollow(c, edges):
		return fmt.Sprintf("node %q leads to node %q already, or is the same: go back with a Loop node", to.id, from.id)
	case to.name == kindStart:
		return fmt.Sprintf("nothing leads to %q, where the flow starts", to.id)
	case strings.Contains(c.TargetHandle, "-input-") && !CanConnect(c, edges, anchorsOf(w.Step(to.id))):
		return fmt.Sprintf("handle %q gives none of the types that %q takes, or that one has its only edge already", c.SourceHandle, c.TargetHandle)
	}
	return handleFault(w.Step(from.id), from, c)
}

func connectionOf(from, to string, p *engine.Path) Connection {
	c := Connection{Source: from, Target: to}
	c.SourceHandle, _ = p.Extra[propertyFromPort].(string)
	c.TargetHandle, _ = p.Extra[propertyToPort].(string)
	return c
}

// handleFault says that a decision has no such branch.
func handleFault(s *engine.Step, from *shownNode, c Connection) string {
	n := &node{}
	m := branchHandle.FindStringSubmatch(c.SourceHandle)
	if m == nil || s == nil || json.Unmarshal([]byte(s.Config), n) != nil || !n.decides() {
		return ""
	}
	branch := 0
	if _, err := fmt.Sscan(m[1], &branch); err != nil || branch >= n.branches() {
		return fmt.Sprintf("node %q has %d branches, %s-output-0 to -output-%d: there is no %q", from.id, n.branches(), from.id, n.branches()-1, c.SourceHandle)
	}
	return ""
}

// anchorsOf are the anchors and parameters of a node at which edges may end.
func anchorsOf(s *engine.Step) []Anchor {
	var n struct {
		Data struct {
			InputAnchors, InputParams []Anchor
		}
	}
	if s == nil || json.Unmarshal([]byte(s.Config), &n) != nil {
		return nil
	}
	return append(n.Data.InputAnchors, n.Data.InputParams...)
}
