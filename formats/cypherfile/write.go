package cypherfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// Write gives a workflow as a .cypher file: one CREATE of everything, that Neo4j runs as
// it is and that Parse reads back to the same graph. STEPs carry the workflow's ID unless
// that is empty. An error names a property that a file cannot hold. A path into another
// workflow is left out with a comment, for its target is not here.
func Write(w *engine.Workflow) ([]byte, error) {
	out := writer{variables: map[string]string{}, taken: map[string]bool{}, numbers: map[string]int{}}
	out.header(w)
	if err := out.workflow(w); err != nil {
		return nil, err
	}
	for i := range w.Steps {
		if err := out.step(w.ID, &w.Steps[i]); err != nil {
			return nil, err
		}
	}
	for i := range w.Paths {
		if err := out.path(&w.Paths[i]); err != nil {
			return nil, err
		}
	}
	return out.bytes(), nil
}

type writer struct {
	comments  []string
	elements  []string
	variables map[string]string // by step id
	taken     map[string]bool
	numbers   map[string]int // by base, where the search for a free name goes on
}

func (out *writer) bytes() []byte {
	var b strings.Builder
	for _, c := range out.comments {
		b.WriteString("// " + c + "\n")
	}
	if len(out.elements) > 0 {
		b.WriteString("\nCREATE\n  " + strings.Join(out.elements, ",\n  ") + ";\n")
	}
	return []byte(b.String())
}

// comment adds a line of comment. Texts in it must be quoted: Neo4j decodes \uXXXX in
// comments as well, so a bare one could end the line and begin a statement.
func (out *writer) comment(format string, args ...any) {
	out.comments = append(out.comments, fmt.Sprintf(format, args...))
}

func (out *writer) header(w *engine.Workflow) {
	if w.ID == "" {
		out.comment("A workflow, written by stepgraph.")
		return
	}
	out.comment("Workflow %s, written by stepgraph. To replace it in Neo4j, first run:", quoted(w.ID))
	out.comment("MATCH (s:STEP {workflow: %s}) DETACH DELETE s;", quoted(w.ID))
}

// workflow writes the WORKFLOW node, where it would say anything.
func (out *writer) workflow(w *engine.Workflow) error {
	properties := map[string]any{}
	for key, v := range w.Extra {
		properties[key] = v
	}
	for key, text := range map[string]string{"id": w.ID, "name": w.Name, "description": w.Description} {
		if text != "" {
			properties[key] = text
		}
	}
	if !w.Settings.IsZero() {
		settings, err := json.Marshal(w.Settings)
		if err != nil {
			return fmt.Errorf("settings of workflow %s: %w", w.ID, err)
		}
		properties["settings"] = string(settings)
	}
	if _, named := properties["id"]; len(w.Steps) > 0 && named && len(properties) == 1 || len(properties) == 0 {
		return nil
	}
	text, err := propertiesText(properties, "    ")
	if err != nil {
		return fmt.Errorf("workflow %s: %w", w.ID, err)
	}
	out.elements = append(out.elements, "(:WORKFLOW "+text+")")
	return nil
}

func (out *writer) step(workflow string, s *engine.Step) error {
	properties := s.Properties()
	if delete(properties, "workflow"); workflow != "" {
		properties["workflow"] = workflow
	}
	text, err := propertiesText(properties, "    ")
	if err != nil {
		return fmt.Errorf("step %s: %w", s.ID, err)
	}
	out.elements = append(out.elements, "("+out.variable(s.ID)+":STEP "+text+")")
	return nil
}

// variable chooses a name for a step that reads like its id and is not used yet.
func (out *writer) variable(id string) string {
	base := strings.Map(func(c rune) rune {
		if c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) {
			return c
		}
		return '_'
	}, id)
	if len(base) > 40 {
		base = base[:40]
	}
	if !isPlainName(base) || slices.Contains([]string{"NULL", "TRUE", "FALSE", "IS", "WHERE", "SHORTESTPATH", "ALLSHORTESTPATHS"}, strings.ToUpper(base)) {
		base = "step_" + base
	}
	variable := base
	for n := max(out.numbers[base], 2); out.taken[variable]; n++ {
		variable = base + "_" + strconv.Itoa(n)
		out.numbers[base] = n + 1 // thousands of ids may be alike in their first letters
	}
	out.taken[variable] = true
	if _, twice := out.variables[id]; !twice {
		out.variables[id] = variable
	}
	return variable
}

func (out *writer) path(p *engine.Path) error {
	from, to := out.variables[p.Source], out.variables[p.Target]
	if from == "" || to == "" || p.TargetWorkflow != "" {
		out.comment("Left out: %s from %s to %s, which is not a step of this workflow.", quoted(string(p.Kind)), quoted(p.Source), quoted(p.Target))
		return nil
	}
	relation := ":" + nameText(string(p.Kind))
	if properties := p.Properties(); len(properties) > 0 {
		text, err := propertiesText(properties, "")
		if err != nil {
			return fmt.Errorf("path %s: %w", p.ID, err)
		}
		relation += " " + text
	}
	out.elements = append(out.elements, "("+from+")-["+relation+"]->("+to+")")
	return nil
}

// LeftOut are warnings for the paths that Write leaves out: their targets are no steps of the
// workflow.
func LeftOut(w *engine.Workflow) []engine.Problem {
	steps := make(map[string]bool, len(w.Steps))
	for i := range w.Steps {
		steps[w.Steps[i].ID] = true
	}
	var problems []engine.Problem
	for i := range w.Paths {
		if p := &w.Paths[i]; !steps[p.Source] || !steps[p.Target] || p.TargetWorkflow != "" {
			problems = append(problems, engine.Problem{Level: "warning", Step: p.Source, Path: p.ID, Code: "path_left_out",
				Message: fmt.Sprintf("the %s path from %q to %q is left out: that is not a step of this workflow", p.Kind, p.Source, p.Target)})
		}
	}
	return problems
}

// propertyOrder is what comes first in a node or relationship; the rest is in order of name.
var propertyOrder = []string{"id", "workflow", "name", "description", "function", "input", "condition", "operator", "priority", "label"}

// propertiesText writes {key: value, …}, one a line when there are several and indent is
// not empty.
func propertiesText(properties map[string]any, indent string) (string, error) {
	keys := make([]string, 0, len(properties))
	for key := range properties {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool {
		if a, b := rank(keys[i]), rank(keys[j]); a != b {
			return a < b
		}
		return keys[i] < keys[j]
	})
	parts := make([]string, len(keys))
	for i, key := range keys {
		text, err := literalText(properties[key])
		if err != nil {
			return "", fmt.Errorf("property %s: %w", key, err)
		}
		if key == "" {
			return "", fmt.Errorf("a property without name cannot be written")
		}
		if strings.ContainsRune(key, 0) {
			return "", fmt.Errorf("property %q cannot be written: Neo4j takes no name with U+0000", key)
		}
		parts[i] = nameText(key) + ": " + text
	}
	if len(parts) < 2 || indent == "" {
		return "{" + strings.Join(parts, ", ") + "}", nil
	}
	return "{\n" + indent + strings.Join(parts, ",\n"+indent) + "\n  }", nil
}

func rank(key string) int {
	if i := slices.Index(propertyOrder, key); i >= 0 {
		return i
	}
	return len(propertyOrder)
}
