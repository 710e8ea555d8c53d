package cypherfile

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/graph"
)

// Labels of the nodes that make a workflow. Neo4j tells upper from lower case.
const (
	stepLabel     = "STEP"
	workflowLabel = "WORKFLOW"
)

// A collector turns what a file has made into workflows.
type collector struct {
	source *source
	groups map[string]*group
	steps  map[*node]*engine.Step // the STEPs that count
	notes  []engine.Problem
}

// A group is a workflow in the making. Paths are kept with their places until they are
// named.
type group struct {
	workflow engine.Workflow
	lines    Lines
	hasNode  bool // a WORKFLOW node has described it
	paths    []placedPath
}

type placedPath struct {
	path     engine.Path
	line     int
	problems []engine.Problem
}

func collect(s *source, g *fileGraph, statements []*statement) *File {
	c := &collector{source: s, groups: map[string]*group{}, steps: map[*node]*engine.Step{}}
	for _, st := range statements {
		if schema, ok := st.clauses[0].(*schemaClause); ok {
			c.note(schema.at, "schema_left_out", "%s is left out: the schema is made by stepgraph migrate", schema.what)
		}
	}
	var described []*node
	for _, n := range g.nodes {
		switch {
		case slices.Contains(n.labels, stepLabel):
			c.step(n)
		case slices.Contains(n.labels, workflowLabel):
			described = append(described, n)
		case len(n.labels) > 0:
			c.otherNode(n)
		case len(n.in)+len(n.out) == 0:
			c.note(n.at, "unlabelled_node", "%s without label is left out: a step needs the label STEP", nodeName(n))
		}
	}
	for _, n := range described {
		c.describe(n, len(described) == 1)
	}
	for _, r := range g.relations {
		c.relation(r)
	}
	return c.file()
}

func (c *collector) note(at int, code, format string, args ...any) {
	c.notes = append(c.notes, engine.Problem{Level: "warning", Line: c.source.line(at), Code: code, Message: fmt.Sprintf(format, args...)})
}

func (c *collector) group(id string) *group {
	g := c.groups[id]
	if g == nil {
		g = &group{workflow: engine.Workflow{ID: id}, lines: Lines{Steps: map[string]int{}, Paths: map[string]int{}}}
		c.groups[id] = g
	}
	return g
}

func (g *group) problem(p engine.Problem) { g.workflow.Problems = append(g.workflow.Problems, p) }

func (c *collector) step(n *node) {
	s, problems := graph.StepFromProperties(n.properties)
	g := c.group(s.Workflow)
	line := c.source.line(n.at)
	for _, p := range problems {
		p.Line = line
		g.problem(p)
	}
	for _, label := range n.labels {
		if label != stepLabel {
			g.problem(engine.Problem{Level: "warning", Step: s.ID, Line: line, Code: "extra_label",
				Message: fmt.Sprintf("label %s is left out: a step keeps the label STEP only", label)})
		}
	}
	if s.ID == "" {
		g.problem(engine.Problem{Level: "error", Line: line, Code: "step_without_id",
			Message: nodeName(n) + " is a STEP without id: give it the property id"})
		return
	}
	c.steps[n] = &s
	if first, twice := g.lines.Steps[s.ID]; twice {
		g.problem(engine.Problem{Level: "error", Step: s.ID, Line: line, Code: "duplicate_step",
			Message: fmt.Sprintf("a STEP with id %q is already made in line %d", s.ID, first)})
		return
	}
	g.lines.Steps[s.ID] = line
	g.workflow.Steps = append(g.workflow.Steps, s)
}

// otherNode notes a node that no workflow holds, and a label that is STEP but for case.
func (c *collector) otherNode(n *node) {
	for _, label := range n.labels {
		if strings.EqualFold(label, stepLabel) || strings.EqualFold(label, workflowLabel) {
			c.note(n.at, "label_case", "%s with label %s is left out: Neo4j tells upper from lower case, write %s", nodeName(n), label, strings.ToUpper(label))
			return
		}
	}
	c.note(n.at, "other_node", "%s with label %s is left out: a workflow holds STEP and WORKFLOW nodes", nodeName(n), strings.Join(n.labels, ":"))
}

func (c *collector) relation(r *relation) {
	from, to := c.steps[r.from], c.steps[r.to]
	line := c.source.line(r.at)
	if from == nil || to == nil {
		c.loose(r, from, to)
		return
	}
	g := c.group(from.Workflow)
	kind := engine.PathKind(r.kind)
	if kind != engine.Next && kind != engine.Tool && kind != engine.Contains {
		message := fmt.Sprintf("relationship %s from %q to %q is left out: paths are NEXT, TOOL or CONTAINS", r.kind, from.ID, to.ID)
		if slices.Contains([]string{"NEXT", "TOOL", "CONTAINS"}, strings.ToUpper(r.kind)) {
			message += " (in capitals)"
		}
		g.problem(engine.Problem{Level: "warning", Step: from.ID, Line: line, Code: "other_relationship", Message: message})
		return
	}
	p, problems := graph.PathFromProperties(kind, from.ID, to.ID, r.properties)
	if to.Workflow != from.Workflow {
		p.TargetWorkflow = c.group(to.Workflow).workflow.ID
		if p.TargetWorkflow == "" {
			p.TargetWorkflow = engine.DefaultWorkflow
		}
	}
	g.paths = append(g.paths, placedPath{path: p, line: line, problems: problems})
}

// loose notes a relationship with an end that is not a step.
func (c *collector) loose(r *relation, from, to *engine.Step) {
	if from == nil && to == nil && (len(r.from.labels) > 0 || len(r.to.labels) > 0) {
		c.note(r.at, "other_relationship", "relationship %s is left out: neither of its ends is a step", r.kind)
		return
	}
	describe := func(s *engine.Step, n *node) string {
		if s != nil {
			return fmt.Sprintf("step %q", s.ID)
		}
		return nodeName(n)
	}
	code, why := "other_relationship", "both ends must be steps"
	for _, n := range [...]*node{r.from, r.to} {
		if len(n.labels) == 0 {
			code, why = "unlabelled_target", "a node without label is not a step"
			if n.variable != "" && len(n.properties) == 0 {
				why = fmt.Sprintf("no node is bound to %s in this statement, so Cypher makes an empty one here", n.variable)
				if variable := c.variableOf(n.variable); variable != "" {
					why += fmt.Sprintf(" (the step with that id is made as %s)", variable)
				}
			}
		}
	}
	p := engine.Problem{Level: "warning", Line: c.source.line(r.at), Code: code,
		Message: fmt.Sprintf("relationship %s from %s to %s is left out: %s", r.kind, describe(from, r.from), describe(to, r.to), why)}
	for _, s := range [...]*engine.Step{from, to} {
		if s != nil {
			p.Step = s.ID
			c.group(s.Workflow).problem(p)
			return
		}
	}
	c.notes = append(c.notes, p)
}

// variableOf is what the file calls the step of an id, or "".
func (c *collector) variableOf(id string) string {
	for n, s := range c.steps {
		if s.ID == id {
			return n.variable
		}
	}
	return ""
}

func nodeName(n *node) string {
	if n.variable != "" {
		return "node " + n.variable
	}
	return "a node"
}

func (c *collector) file() *File {
	f := &File{Notes: c.notes}
	ids := make([]string, 0, len(c.groups))
	for id := range c.groups {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		g := c.groups[id]
		g.namePaths()
		f.Workflows = append(f.Workflows, g.workflow)
		f.Lines = append(f.Lines, g.lines)
	}
	sort.SliceStable(f.Notes, func(i, j int) bool { return f.Notes[i].Line < f.Notes[j].Line })
	return f
}
