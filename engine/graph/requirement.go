package graph

import (
	"fmt"
	"slices"
	"strings"
)

func (q Requirement) String() string {
	if q.Group == "" {
		return "path " + q.Paths[0]
	}
	return fmt.Sprintf("any of group %q (%s)", q.Group, strings.Join(q.Paths, ", "))
}

// findRequirements gives each step with `join: required` its requirements, in path order.
// Back paths are no part of any: a jump goes where it goes without what came before.
func (d *Definition) findRequirements() {
	for _, id := range d.ids {
		for _, p := range d.steps[id].Next {
			target := d.steps[p.Target]
			if !p.Forward() || target.Join != JoinRequired {
				continue
			}
			if len(p.Group) == 0 {
				target.Required = append(target.Required, Requirement{Paths: []string{p.ID}})
			}
			for _, group := range p.Group {
				target.require(group, p.ID)
			}
		}
	}
}

func (c *CompiledStep) require(group, path string) {
	for i := range c.Required {
		if c.Required[i].Group == group && group != "" {
			c.Required[i].Paths = append(c.Required[i].Paths, path)
			return
		}
	}
	c.Required = append(c.Required, Requirement{Group: group, Paths: []string{path}})
}

// Demands reports whether a path is part of a requirement of the step.
func (c *CompiledStep) Demands(path string) bool {
	return slices.ContainsFunc(c.Required, func(q Requirement) bool { return slices.Contains(q.Paths, path) })
}
