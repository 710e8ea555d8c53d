package native

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// Format and Version are what a document says of itself.
const (
	Format  = "stepgraph"
	Version = 1
)

// Lines tells where in the file steps and paths begin, counted from 1, by id.
type Lines struct {
	Steps map[string]int
	Paths map[string]int
}

// schemaKey is where editors of JSON look for a document's schema. It says nothing of the workflow.
const schemaKey = "$schema"

var (
	documentKeys = []string{"format", "version", "id", "name", "description", "settings", "extra", "steps", "paths", schemaKey}
	stepKeys     = []string{"id", "workflow", "name", "description", "function", "input", "join", "retry", "timeout", "on_error",
		"approval", "output_schema", "x", "y", "bypass", "inactive", "config", "extra"}
	pathKeys = []string{"id", "kind", "source", "target", "target_workflow", "condition", "operator", "priority", "label", "back", "group",
		"name", "description", "extra"}
)

// Read reads a document. The workflow is normalized; its ID is empty where the document
// names none. The error is an *Error.
func Read(name string, src []byte) (*engine.Workflow, Lines, error) {
	root, err := (&file{name: name, src: src}).parse()
	if err != nil {
		return nil, newLines(), err
	}
	w, at, err := readWorkflow(root)
	return w, at.lines(), err
}

// An index says which value of a document a step or path was read from, by its id.
type index struct {
	steps, paths map[string]*value
}

func newLines() Lines { return Lines{Steps: map[string]int{}, Paths: map[string]int{}} }

func (x index) lines() Lines {
	l := newLines()
	for id, v := range x.steps {
		l.Steps[id] = v.line()
	}
	for id, v := range x.paths {
		l.Paths[id] = v.line()
	}
	return l
}

// readWorkflow makes a workflow of the tree of a document, whatever it was written in.
func readWorkflow(root *value) (*engine.Workflow, index, error) {
	x := index{map[string]*value{}, map[string]*value{}}
	o := asObject(root, documentKeys)
	if o.err == nil {
		o.err = checkVersion(root)
	}
	w := &engine.Workflow{ID: o.text("id"), Name: o.text("name"), Description: o.text("description"), Extra: o.extra()}
	if v := o.get("settings"); v != nil && o.err == nil {
		if err := json.Unmarshal([]byte(compact(v.raw())), &w.Settings); err != nil {
			o.err = v.fail(err.Error())
		}
	}
	if o.err != nil {
		return nil, x, o.err
	}
	for _, v := range o.list("steps") {
		s, err := step(v)
		if err == nil && x.steps[s.ID] != nil {
			err = v.fail("a step with the id " + s.ID + " is already there")
		}
		if err != nil {
			return nil, x, err
		}
		x.steps[s.ID] = v
		w.Steps = append(w.Steps, s)
	}
	if err := readPaths(w, o.list("paths"), x); err != nil {
		return nil, x, err
	}
	return w, x, o.err
}

func (v *value) line() int {
	if v.yaml {
		return v.file.line(v.file.offset(v.row, 1))
	}
	return v.file.line(v.from)
}

func checkVersion(root *value) error {
	format := root.get("format")
	if format == nil || format.scalar != Format {
		return root.fail(notOurs(root))
	}
	if v := root.get("version"); v == nil || v.scalar != json.Number("1") {
		if v == nil {
			v = root
		}
		return v.fail("this version of stepgraph reads documents of version 1")
	}
	return nil
}

func notOurs(root *value) string {
	if root.yaml {
		return "not a stepgraph document: it has the lines `format: stepgraph` and `version: 1`"
	}
	return `not a stepgraph document: it begins with "format": "stepgraph", "version": 1`
}

func step(v *value) (engine.Step, error) {
	o := asObject(v, stepKeys)
	s := engine.Step{
		ID: o.required("id"), Workflow: o.text("workflow"), Name: o.text("name"), Description: o.text("description"),
		Function: o.text("function"), Input: o.jsonText("input"), Join: strings.ToLower(o.text("join")), Retry: o.jsonText("retry"),
		Timeout: o.timeout("timeout"), OnError: strings.ToLower(o.text("on_error")), Approval: o.yes("approval"),
		OutputSchema: o.jsonText("output_schema"), X: o.number("x"), Y: o.number("y"),
		Bypass: o.yes("bypass"), Inactive: o.yes("inactive"), Config: o.jsonText("config"), Extra: o.extra(),
	}
	return s, o.err
}

// readPaths adds the paths, puts all in order, names what has no id, and indexes them.
func readPaths(w *engine.Workflow, values []*value, x index) error {
	for i, v := range values {
		p, err := path(v)
		if err != nil {
			return err
		}
		p.Ref = order(i)
		w.Paths = append(w.Paths, p)
	}
	w.Normalize()
	for i := range w.Paths {
		p := &w.Paths[i]
		x.paths[p.ID] = values[number(p.Ref)]
		p.Ref = ""
	}
	return nil
}

func path(v *value) (engine.Path, error) {
	o := asObject(v, pathKeys)
	p := engine.Path{
		ID: o.text("id"), Kind: engine.PathKind(o.text("kind")), Source: o.required("source"), Target: o.required("target"),
		TargetWorkflow: o.text("target_workflow"), Condition: o.condition(), Operator: o.text("operator"),
		Priority: o.number("priority"), Label: o.text("label"), Back: o.yes("back"), Group: o.texts("group"),
		Name: o.text("name"), Description: o.text("description"), Extra: o.extra(),
	}
	p.Stored = p.ID != ""
	switch p.Kind {
	case engine.Next, engine.Tool, engine.Contains:
	case "":
		p.Kind = engine.Next
	default:
		if o.err == nil {
			o.err = o.get("kind").fail("a path is NEXT, TOOL or CONTAINS")
		}
	}
	return p, o.err
}

// condition is a text or a list of plain values as they are; anything else is JSON that
// becomes its text, which the condition language reads.
func (o *object) condition() any {
	v := o.get("condition")
	if v == nil {
		return nil
	}
	if s, ok := v.scalar.(string); ok {
		return s
	}
	if property, ok := o.property(v); ok {
		if list, ok := property.([]any); ok {
			return list
		}
		return []any{property}
	}
	return compact(v.raw())
}

// Recognise tells whether a file looks like a document of this format, also when it is
// not valid: what is wrong with it is then Read's to say.
func Recognise(src []byte) bool { return mark.Match(src) }

var mark = regexp.MustCompile(`"format"\s*:\s*"` + Format + `"`)
