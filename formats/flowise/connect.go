package flowise

import "strings"

// A Connection is an edge somebody wants to draw on a canvas.
type Connection struct {
	Source       string `json:"source"`
	Target       string `json:"target"`
	SourceHandle string `json:"sourceHandle"`
	TargetHandle string `json:"targetHandle"`
}

// An Anchor is where edges may end; List says that several may.
type Anchor struct {
	ID   string `json:"id"`
	List bool   `json:"list"`
}

// CanFollow is the rule of AgentFlow V2: a node does not lead to itself, and no edge closes a
// circle. A second edge between the same nodes is allowed.
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

// CanConnect is the rule of typed anchors: a source gives one of the types that stand, with |
// between them, at the end of its handle's id, a target takes those at the end of its own, and
// an anchor that is no list takes one edge. anchors are all of the target node, its parameters
// included, which are no lists.
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
