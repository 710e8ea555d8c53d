package native

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
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
// names none. The error is an *Error, or Errors when there are several; the workflow is then
// nil or what could be read, which is good for further checks only.
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

// readWorkflow makes a workflow of the tree of a document, whatever it was written in. Where
// something is wrong, the workflow is what could be read, for further checks.
func readWorkflow(root *value) (*engine.Workflow, index, error) {
	x := index{map[string]*value{}, map[string]*value{}}
	f := &faults{}
	if !root.isObject {
		return nil, x, root.fail("want an object, got " + root.is() + "; a file holds one workflow")
	}
	if err := checkVersion(root); err != nil {
		return nil, x, err
	}
	o := asObject(root, documentKeys, f)
	w := &engine.Workflow{ID: o.text("id"), Name: o.text("name"), Description: o.text("description"), Extra: o.extra()}
	if v := o.get("settings"); v != nil {
		if err := json.Unmarshal([]byte(compact(v.raw())), &w.Settings); err != nil {
			f.add(v.fail(wrongSetting(err)))
		}
	}
	for _, v := range o.list("steps") {
		s := step(v, f)
		if x.steps[s.ID] != nil {
			f.add(v.fail("a step with the id " + s.ID + " is already there"))
			continue
		}
		if s.ID != "" {
			x.steps[s.ID] = v
			w.Steps = append(w.Steps, s)
		}
	}
	readPaths(w, o.list("paths"), x, f)
	return w, x, f.err()
}

// wrongSetting says which setting has a value of another type.
func wrongSetting(err error) string {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err.Error()
	}
	want := map[reflect.Kind]string{reflect.Int: "a whole number", reflect.Int64: "a whole number", reflect.Float64: "a number",
		reflect.String: "a text", reflect.Bool: "true or false", reflect.Slice: "a list"}[mismatch.Type.Kind()]
	got, _, _ := strings.Cut(mismatch.Value, " ") // a number comes with its text
	got = map[string]string{"string": "a text", "number": "a number", "bool": "true or false", "array": "a list"}[got]
	text := "want " + cmp.Or(want, "an object") + ", got " + cmp.Or(got, "an object")
	if field := strings.TrimPrefix(mismatch.Field, "."); field != "" {
		text = field + ": " + text
	}
	return text
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
		if v.scalar == "1" {
			return v.fail(`want the number 1, got the text "1"`)
		}
		return v.fail(`this version of stepgraph reads documents with "version": 1`)
	}
	return nil
}

func notOurs(root *value) string {
	if root.yaml {
		return "not a stepgraph document: it has the lines `format: stepgraph` and `version: 1`"
	}
	return `not a stepgraph document: it begins with "format": "stepgraph", "version": 1`
}

func step(v *value, f *faults) engine.Step {
	o := asObject(v, stepKeys, f)
	return engine.Step{
		ID: o.required("id"), Workflow: o.text("workflow"), Name: o.text("name"), Description: o.text("description"),
		Function: o.text("function"), Input: o.jsonText("input", `{"message": "Hello"}`), Join: strings.ToLower(o.text("join")),
		Retry:   o.jsonText("retry", `{"max_attempts": 3}`),
		Timeout: o.timeout("timeout"), OnError: strings.ToLower(o.text("on_error")), Approval: o.yes("approval"),
		OutputSchema: o.jsonText("output_schema", `{"type": "object"}`), X: o.number("x"), Y: o.number("y"),
		Bypass: o.yes("bypass"), Inactive: o.yes("inactive"), Config: o.jsonText("config", `{"key": "value"}`), Extra: o.extra(),
	}
}

// readPaths adds the paths, puts all in order, names what has no id, and indexes them.
func readPaths(w *engine.Workflow, values []*value, x index, f *faults) {
	for i, v := range values {
		p := path(v, f)
		if p.Source == "" || p.Target == "" {
			continue
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
}

func path(v *value, f *faults) engine.Path {
	o := asObject(v, pathKeys, f)
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
		f.add(o.get("kind").fail("a path is NEXT, TOOL or CONTAINS"))
	}
	return p
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

// Recognise reports whether a file looks like a document of this format, also when it is
// not valid: what is wrong with it is then Read's to say.
func Recognise(src []byte) bool { return mark.Match(src) }

var mark = regexp.MustCompile(`"format"\s*:\s*"` + Format + `"`)
