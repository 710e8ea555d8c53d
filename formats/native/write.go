package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// The types of a document. The tags doc, enum, const and schema are for Schema.
type document struct {
	Format      string           `json:"format" const:"\"stepgraph\""`
	Version     int              `json:"version" const:"1"`
	ID          string           `json:"id,omitempty" doc:"name of the workflow; without one it is the name of the file"`
	Name        string           `json:"name,omitempty" doc:"for people"`
	Description string           `json:"description,omitempty" doc:"for people"`
	Settings    *engine.Settings `json:"settings,omitempty" schema:"settings" doc:"what holds for all sessions of the workflow"`
	Extra       map[string]any   `json:"extra,omitempty" doc:"properties of your own, kept with the WORKFLOW"`
	Steps       []stepDocument   `json:"steps" schema:"steps" doc:"a session begins at the step root, unless it names another"`
	Paths       []pathDocument   `json:"paths" schema:"paths" doc:"which step follows which, and when"`
}

type stepDocument struct {
	ID           string         `json:"id" doc:"name of the step, as references use it"`
	Workflow     string         `json:"workflow,omitempty" doc:"the workflow the step belongs to; the file's by default"`
	Name         string         `json:"name,omitempty" doc:"for people"`
	Description  string         `json:"description,omitempty" doc:"for people"`
	Function     string         `json:"function,omitempty"`
	Input        any            `json:"input,omitempty" schema:"json" doc:"what the function gets; texts may hold references such as @{SESSION_ID}.ask.response"`
	Join         string         `json:"join,omitempty" enum:"any,all,required" doc:"any (the default): runs for each path that is taken; all: once, when no other path can be taken any more; required: as all, and only if every required path was taken"`
	Retry        any            `json:"retry,omitempty" schema:"retry"`
	Timeout      string         `json:"timeout,omitempty" schema:"duration" doc:"of one attempt, such as 30s, or a number of seconds"`
	OnError      string         `json:"on_error,omitempty" enum:"stop_path,continue,fail_session" doc:"stop_path (the default): what follows does not run; continue: the paths are followed, the output is the error; fail_session: the session ends"`
	Approval     bool           `json:"approval,omitempty" doc:"true: a person approves the step before it runs"`
	OutputSchema any            `json:"output_schema,omitempty" schema:"json" doc:"JSON Schema that the output must fit"`
	X            *float64       `json:"x,omitempty" doc:"place on the canvas"`
	Y            *float64       `json:"y,omitempty" doc:"place on the canvas"`
	Bypass       bool           `json:"bypass,omitempty" doc:"true: the step is passed over and its paths are followed"`
	Inactive     bool           `json:"inactive,omitempty" doc:"true: the step does not run and its paths are not followed"`
	Config       any            `json:"config,omitempty" schema:"json" doc:"what an importer could not say otherwise"`
	Extra        map[string]any `json:"extra,omitempty" doc:"properties of your own, kept with the STEP"`
}

type pathDocument struct {
	ID             string          `json:"id,omitempty" doc:"source>target by default"`
	Kind           engine.PathKind `json:"kind" enum:"NEXT,TOOL,CONTAINS" doc:"NEXT (the default): what follows; TOOL: a step that an agent may call; CONTAINS: a step of a container's body"`
	Source         string          `json:"source" doc:"the step the path leads from"`
	Target         string          `json:"target" doc:"the step the path leads to"`
	TargetWorkflow string          `json:"target_workflow,omitempty" doc:"where the target is in another workflow; such a path is never taken"`
	Condition      any             `json:"condition,omitempty" schema:"condition"`
	Operator       string          `json:"operator,omitempty" enum:"AND,OR,and,or" doc:"how the elements of a list of conditions are combined; AND by default"`
	Priority       *float64        `json:"priority,omitempty" doc:"order of the paths of one step: lower first, none last"`
	Label          string          `json:"label,omitempty" doc:"for people"`
	Back           bool            `json:"back,omitempty" doc:"true: the path closes a loop"`
	Group          []string        `json:"group,omitempty" doc:"where the target has join: required: one taken path of each group is enough"`
	Name           string          `json:"name,omitempty" doc:"of a TOOL path: the tool's name for the model"`
	Description    string          `json:"description,omitempty" doc:"of a TOOL path: what the model reads about the tool"`
	Extra          map[string]any  `json:"extra,omitempty" doc:"properties of your own, kept with the path"`
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

// inside is the depth of the JSON of a step's property in a document.
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
