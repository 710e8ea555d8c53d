package formats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// A connector says why a flow of a system cannot have a path between two of its nodes, "" when
// it can.
type connector struct {
	kind    engine.PathKind // that edges become
	loop    string          // how a loop is made there
	refuses func(w *engine.Workflow, p *engine.Path) string
}

var connectors = map[string]connector{
	flowise.Format:    {engine.Next, "go back with a Loop node", flowise.Refuses},
	nebulaflow.Format: {engine.Next, "a loop is a region between loop-start and loop-end", nebulaflow.Refuses},
	agentzero.Format:  {engine.Next, "its flows have no loops", agentzero.Refuses},
	callcentre.Format: {engine.Tool, "agents do not consult each other in turn", callcentre.Refuses},
}

// Refuses returns why a path cannot be added to an imported workflow, "" if it can, by the
// connection rules of the original system. There are no rules for native workflows and for paths
// of a kind that no edges become.
func Refuses(w *engine.Workflow, p *engine.Path) string {
	format, _ := w.Extra[PropertySource].(string)
	rules, known := connectors[format]
	if !known || cmp.Or(p.Kind, engine.Next) != rules.kind || w.Step(p.Source) == nil || w.Step(p.Target) == nil {
		return ""
	}
	if p.Source == p.Target {
		return fmt.Sprintf("a path from %q to itself: %s does not connect a node with itself; %s", p.Source, format, rules.loop)
	}
	if circle := circleOf(w, p, rules.kind); circle != nil {
		return fmt.Sprintf("it closes a circle: %s; %s", strings.Join(circle, " > "), rules.loop)
	}
	return rules.refuses(w, p)
}

// RefusesChange is Refuses for the first path that an edit of a whole workflow adds or takes to
// another handle.
func RefusesChange(before, after *engine.Workflow) (path *engine.Path, reason string) {
	if before == nil {
		return nil, ""
	}
	had := map[string]bool{}
	for i := range before.Paths {
		had[connectionText(&before.Paths[i])] = true
	}
	for i := range after.Paths {
		p := &after.Paths[i]
		if p.Extra[refit.Generated] != nil || had[connectionText(p)] {
			continue
		}
		rest := *after
		rest.Paths = slices.Delete(slices.Clone(after.Paths), i, i+1)
		if reason := Refuses(&rest, p); reason != "" {
			return p, reason
		}
	}
	return nil, ""
}

// connectionText is what connection rules look at in a path.
func connectionText(p *engine.Path) string {
	return fmt.Sprintf("%s %q %q %v %v", p.Kind, p.Source, p.Target, p.Extra[refit.FromPort], p.Extra[refit.ToPort])
}

// circleOf is the way back from a path's target to its source, nil when there is none. The way
// back of a loop that the file says is none.
func circleOf(w *engine.Workflow, p *engine.Path, kind engine.PathKind) []string {
	next := map[string][]string{}
	for i := range w.Paths {
		if q := &w.Paths[i]; q.Kind == kind && !q.Back {
			next[q.Source] = append(next[q.Source], q.Target)
		}
	}
	before := map[string]string{p.Target: p.Source}
	for todo := []string{p.Target}; len(todo) > 0; todo = todo[1:] {
		for _, target := range next[todo[0]] {
			if _, seen := before[target]; seen {
				continue
			}
			before[target] = todo[0]
			if target != p.Source {
				todo = append(todo, target)
				continue
			}
			way := []string{p.Source}
			for at := todo[0]; at != p.Source; at = before[at] {
				way = append(way, at)
			}
			way = append(way, p.Source)
			slices.Reverse(way)
			return way
		}
	}
	return nil
}
