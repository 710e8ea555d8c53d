package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/native"
)

// ErrUnknownFormat is returned for a file that no format recognises.
var ErrUnknownFormat = errors.New("not a workflow file of a known format")

// Loaded is what a file holds. Nothing has been stored or run.
type Loaded struct {
	Format    string
	Workflows []engine.Workflow // each with an ID; their Problems carry lines
	Lines     []Lines           // of each workflow, in the same order; may be empty
	Notes     []engine.Problem  // problems of the file that belong to no workflow of it
	Saved     *source.Saved     // the state that came with it, where its format keeps one
}

// Lines has the line in the file, from 1, of each of a workflow's steps and paths, by id.
type Lines struct {
	Steps map[string]int
	Paths map[string]int
}

// Load reads a workflow file of any format, also if the workflow is nested in a larger JSON
// document ({"flow": {…}}). A workflow without an id gets the file's name without its extension.
// Errors of formats with lines begin with FILE:LINE:COL, one error a line. With such an error,
// Workflows may hold what could be read, for further checks.
func Load(name string, src []byte) (Loaded, error) {
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	if f := recognised(name, src); f != nil {
		return loadAs(f, name, src)
	}
	if isJSON(src) {
		if err := native.Syntax(name, src); err != nil {
			return Loaded{}, err
		}
		inside, err := unwrap(name, src)
		if err != nil {
			return Loaded{}, err
		}
		if inside != nil {
			return loadAs(inside.format, name, inside.text)
		}
	}
	return Loaded{}, fmt.Errorf("%s:1:1: %w%s: known are %s", name, ErrUnknownFormat, whyUnknown(src), strings.Join(Names(), ", "))
}

// whyUnknown says what a file that no format recognises is instead, and what to write.
func whyUnknown(src []byte) string {
	const begin = `{"format": "stepgraph", "version": 1, "steps": […], "paths": […]}`
	switch {
	case len(bytes.TrimSpace(src)) == 0:
		return " (it is empty; a workflow in JSON is " + begin + ")"
	case bytes.IndexByte(src, 0) >= 0:
		return " (it is no UTF-8 text; save it as UTF-8)"
	case isJSON(src) && bytes.TrimLeft(src, " \t\r\n")[0] == '[':
		return " (it is a list; a file holds one workflow, " + begin + ")"
	case isJSON(src):
		return ` (it has no "format": a workflow in JSON is ` + begin + ")"
	}
	return ""
}

// Recognised reports whether a file is a workflow file, valid or with errors, or a canvas with
// nodes and edges of a system that is not supported. An empty .json file, or one that is not UTF-8,
// counts as a workflow file with an error. It is false for other valid JSON and YAML,
// such as editor settings in the same folder.
func Recognised(name string, src []byte) bool {
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	f := recognised(name, src)
	if _, isYAML := f.(yamlFormat); isYAML { // by its content: other YAML files may lie beside it
		return native.RecogniseYAML(src)
	}
	if f != nil {
		return true
	}
	if !json.Valid(src) {
		return isJSON(src) || strings.EqualFold(filepath.Ext(name), ".json") && (len(bytes.TrimSpace(src)) == 0 || bytes.IndexByte(src, 0) >= 0)
	}
	inside, err := unwrap(name, src)
	return err != nil || inside != nil || drawn(src)
}

// drawn reports whether a JSON document has nodes and edges: a canvas, also one of a kind that no
// format knows.
func drawn(src []byte) bool {
	var f struct {
		Nodes []any `json:"nodes"`
		Edges []any `json:"edges"`
	}
	return json.Unmarshal(src, &f) == nil && f.Nodes != nil && f.Edges != nil
}

// LoadAs reads a workflow file of a named format, for text that is not recognised as what it is.
// With the format "" it is Load.
func LoadAs(format, name string, src []byte) (Loaded, error) {
	if format == "" {
		return Load(name, src)
	}
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	all := All()
	at := slices.IndexFunc(all, func(f Format) bool { return f.Name() == format })
	if at < 0 {
		return Loaded{}, fmt.Errorf("%s:1:1: %q is %w: known are %s", name, format, ErrUnknownFormat, strings.Join(Names(), ", "))
	}
	if isJSON(src) && !all[at].Recognise(name, src) {
		if inside, err := unwrap(name, src); err == nil && inside != nil && inside.format.Name() == format {
			src = inside.text
		}
	}
	return loadAs(all[at], name, src)
}

func loadAs(f Format, name string, src []byte) (Loaded, error) {
	l, err := f.Parse(name, src)
	if err != nil && len(l.Workflows) == 0 {
		return Loaded{}, err
	}
	l.Format = f.Name()
	l.name(WorkflowName(name))
	return l, err
}

// Names are the names of the formats that LoadAs takes.
func Names() []string {
	var all []string
	for _, f := range All() {
		all = append(all, f.Name())
	}
	return all
}

// WorkflowName is what a file's workflow is called when nothing in it says so.
func WorkflowName(file string) string {
	base := filepath.Base(filepath.ToSlash(file))
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		return name
	}
	return base
}

// Problems are all that was found while reading, in the order of lines.
func (l *Loaded) Problems() []engine.Problem {
	all := append([]engine.Problem(nil), l.Notes...)
	for i := range l.Workflows {
		all = append(all, l.Workflows[i].Problems...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Line < all[j].Line })
	return all
}

// name gives the workflow without ID its name, joins it to one that already has that
// name, makes every step say where it belongs, and puts all in order, so that the graph is
// the one a store gives back.
func (l *Loaded) name(id string) {
	unnamed, same := -1, -1
	for i := range l.Workflows {
		switch l.Workflows[i].ID {
		case "":
			unnamed = i
		case id:
			same = i
		}
	}
	if unnamed >= 0 {
		l.Workflows[unnamed].ID = id
		l.retarget(id)
		if same >= 0 {
			l.join(same, unnamed)
		}
	}
	for i := range l.Workflows {
		w := &l.Workflows[i]
		for k := range w.Steps {
			w.Steps[k].Workflow = w.ID
		}
		for k := range w.Paths {
			if w.Paths[k].TargetWorkflow == w.ID {
				w.Paths[k].TargetWorkflow = ""
			}
		}
		w.Normalize()
	}
}

// retarget corrects paths to steps that name no workflow: a format calls that one
// "default", which it is in Neo4j, unless the file has such a workflow as well.
func (l *Loaded) retarget(id string) {
	for i := range l.Workflows {
		if l.Workflows[i].ID == engine.DefaultWorkflow {
			return
		}
	}
	for i := range l.Workflows {
		for k := range l.Workflows[i].Paths {
			if p := &l.Workflows[i].Paths[k]; p.TargetWorkflow == engine.DefaultWorkflow {
				p.TargetWorkflow = id
			}
		}
	}
}

// join adds the second workflow to the first and removes it.
func (l *Loaded) join(first, second int) {
	into, from := &l.Workflows[first], l.Workflows[second]
	for _, s := range from.Steps {
		if into.Step(s.ID) != nil {
			into.Problems = append(into.Problems, engine.Problem{Level: "error", Step: s.ID, Code: "duplicate_step",
				Message: fmt.Sprintf("a STEP with id %q is there twice in workflow %s", s.ID, into.ID)})
			continue
		}
		into.Steps = append(into.Steps, s)
	}
	into.Problems = append(into.Problems, from.Problems...)
	into.Paths = append(into.Paths, from.Paths...)
	into.Normalize()
	if second < len(l.Lines) && first < len(l.Lines) {
		l.Lines[first].add(l.Lines[second])
		l.Lines = append(l.Lines[:second], l.Lines[second+1:]...)
	}
	l.Workflows = append(l.Workflows[:second], l.Workflows[second+1:]...)
}

func (l *Lines) add(other Lines) {
	for id, line := range other.Steps {
		l.Steps[id] = line
	}
	for id, line := range other.Paths {
		l.Paths[id] = line
	}
}
