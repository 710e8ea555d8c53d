package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

type document struct {
	Format      string           `json:"format"`
	Version     int              `json:"version"`
	ID          string           `json:"id,omitempty"`
	Name        string           `json:"name,omitempty"`
	Description string           `json:"description,omitempty"`
	Settings    *engine.Settings `json:"settings,omitempty"`
	Extra       map[string]any   `json:"extra,omitempty"`
	Steps       []stepDocument   `json:"steps"`
	Paths       []pathDocument   `json:"paths"`
}

type stepDocument struct {
	ID           string         `json:"id"`
	Workflow     string         `json:"workflow,omitempty"`
	Name         string         `json:"name,omitempty"`
	Description  string         `json:"description,omitempty"`
	Function     string         `json:"function,omitempty"`
	Input        any            `json:"input,omitempty"`
	Join         string         `json:"join,omitempty"`
	Retry        any            `json:"retry,omitempty"`
	Timeout      string         `json:"timeout,omitempty"`
	OnError      string         `json:"on_error,omitempty"`
	Approval     bool           `json:"approval,omitempty"`
	OutputSchema any            `json:"output_schema,omitempty"`
	X            *float64       `json:"x,omitempty"`
	Y            *float64       `json:"y,omitempty"`
	Bypass       bool           `json:"bypass,omitempty"`
	Inactive     bool           `json:"inactive,omitempty"`
	Config       any            `json:"config,omitempty"`
	Extra        map[string]any `json:"extra,omitempty"`
}

type pathDocument struct {
	ID             string          `json:"id,omitempty"`
	Kind           engine.PathKind `json:"kind"`
	Source         string          `json:"source"`
	Target         string          `json:"target"`
	TargetWorkflow string          `json:"target_workflow,omitempty"`
	Condition      any             `json:"condition,omitempty"`
	Operator       string          `json:"operator,omitempty"`
	Priority       *float64        `json:"priority,omitempty"`
	Label          string          `json:"label,omitempty"`
	Back           bool            `json:"back,omitempty"`
	Group          []string        `json:"group,omitempty"`
	Name           string          `json:"name,omitempty"`
	Description    string          `json:"description,omitempty"`
	Extra          map[string]any  `json:"extra,omitempty"`
}

// Write gives a workflow as a document, indented, with JSON texts as JSON where that
// loses nothing. An error names a property that JSON cannot hold.
func Write(w *engine.Workflow) ([]byte, error) {
	d := document{Format: Format, Version: Version, ID: w.ID, Name: w.Name, Description: w.Description, Extra: numbers(w.Extra),
		Steps: make([]stepDocument, len(w.Steps)), Paths: make([]pathDocument, len(w.Paths))}
	if !w.Settings.IsZero() {
		d.Settings = &w.Settings
	}
	for i := range w.Steps {
		d.Steps[i] = documentOfStep(&w.Steps[i])
	}
	for i := range w.Paths {
		d.Paths[i] = documentOfPath(&w.Paths[i])
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		return nil, fmt.Errorf("write workflow %s: %w", w.ID, err)
	}
	return b.Bytes(), nil
}

func documentOfStep(s *engine.Step) stepDocument {
	return stepDocument{ID: s.ID, Workflow: s.Workflow, Name: s.Name, Description: s.Description, Function: s.Function,
		Input: jsonOrText(s.Input), Join: s.Join, Retry: jsonOrText(s.Retry), Timeout: s.Timeout, OnError: s.OnError,
		Approval: s.Approval, OutputSchema: jsonOrText(s.OutputSchema), X: s.X, Y: s.Y, Bypass: s.Bypass, Inactive: s.Inactive,
		Config: jsonOrText(s.Config), Extra: numbers(s.Extra)}
}

func documentOfPath(p *engine.Path) pathDocument {
	d := pathDocument{Kind: p.Kind, Source: p.Source, Target: p.Target, TargetWorkflow: p.TargetWorkflow,
		Operator: p.Operator, Priority: p.Priority, Label: p.Label, Back: p.Back, Group: p.Group, Name: p.Name, Description: p.Description,
		Extra: numbers(p.Extra)}
	if p.Condition != nil {
		d.Condition = number64(p.Condition)
	}
	if p.Stored {
		d.ID = p.ID
	}
	return d
}

// jsonOrText is the JSON of a text that is the compact form of an object, so that people
// can read it; any other text stays as it is, to the last blank. So does an object that Read
// would refuse: one with a key twice, or nested too deep.
func jsonOrText(s string) any {
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "{") && json.Valid([]byte(s)) && compact([]byte(s)) == s && isReadable(s) {
		return json.RawMessage(s)
	}
	return s
}

// inside is how deep the JSON of a step's property stands in a document.
const inside = 3

func isReadable(s string) bool {
	f := &file{src: []byte(s)}
	_, err := f.reader().value("", inside)
	return err == nil
}

// numbers writes floats so that they are read as floats again.
func numbers(m map[string]any) map[string]any {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]any, len(m))
	for key, v := range m {
		out[key] = number64(v)
	}
	return out
}

func number64(v any) any {
	switch v := v.(type) {
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return json.Number(s)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = number64(v[i])
		}
		return list
	}
	return v
}

// order and number carry a path's place in the file through the sort of Normalize.
func order(i int) string { return fmt.Sprintf("%012d", i) }

func number(ref string) int {
	n, _ := strconv.Atoi(ref)
	return n
}
