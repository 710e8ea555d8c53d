package cypherfile

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/stepgraph/stepgraph/engine"
)

// describe gives a workflow the name, description and settings of its WORKFLOW node. The
// only one of a file describes the steps that name no workflow, and names them.
func (c *collector) describe(n *node, only bool) {
	id, _ := n.properties["id"].(string)
	if id == "" && n.properties["id"] != nil {
		c.note(n.at, "workflow_id", "the id of a WORKFLOW must be a text")
	}
	unnamed := c.groups[""]
	if unnamed != nil && only && c.groups[id] == nil {
		unnamed.workflow.ID = id
		c.fill(unnamed, n)
		return
	}
	c.fill(c.group(id), n)
}

func (c *collector) fill(g *group, n *node) {
	line := c.source.line(n.at)
	w := &g.workflow
	if g.hasNode {
		g.problem(engine.Problem{Level: "error", Line: line, Code: "duplicate_workflow",
			Message: fmt.Sprintf("a WORKFLOW node with id %q is already there: this one is left out", w.ID)})
		return
	}
	g.hasNode = true
	for key, v := range n.properties {
		text, isText := v.(string)
		switch {
		case key == "id" && isText:
		case key == "name" && isText:
			w.Name = text
		case key == "description" && isText:
			w.Description = text
		case key == "settings" && isText && c.settings(g, text, line):
		default:
			if w.Extra == nil {
				w.Extra = map[string]any{}
			}
			w.Extra[key] = v
		}
	}
}

// settings reads the JSON of the property settings; false leaves it among the properties
// that are only kept.
func (c *collector) settings(g *group, text string, line int) bool {
	var s engine.Settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		g.problem(engine.Problem{Level: "error", Line: line, Code: "settings_unreadable",
			Message: "settings of the WORKFLOW are kept but not used: " + err.Error()})
		return false
	}
	g.workflow.Settings = s
	return true
}

// namePaths puts steps and paths in order and names paths without stored id, keeping
// their lines. A path is followed through the sort by its number in Ref, which is empty
// afterwards.
func (g *group) namePaths() {
	for i := range g.paths {
		p := g.paths[i].path
		p.Ref = fmt.Sprintf("%012d", i)
		g.workflow.Paths = append(g.workflow.Paths, p)
	}
	g.workflow.Normalize()
	for i := range g.workflow.Paths {
		p := &g.workflow.Paths[i]
		n, _ := strconv.Atoi(p.Ref)
		p.Ref = ""
		g.lines.Paths[p.ID] = g.paths[n].line
		for _, problem := range g.paths[n].problems {
			problem.Path, problem.Line = p.ID, g.paths[n].line
			g.problem(problem)
		}
	}
}
