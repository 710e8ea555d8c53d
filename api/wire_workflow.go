package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/stepgraph/stepgraph/engine"
)

// A Workflow is a definition as clients see and send it. A document that `export` wrote
// as JSON can be sent back as it is.
type Workflow struct {
	Format      string            `json:"format,omitempty" doc:"stepgraph, in documents" enum:"stepgraph"`
	Version     int               `json:"version,omitempty" doc:"1, in documents" enum:"1"`
	ID          string            `json:"id,omitempty" maxLength:"200" doc:"that of the address; may be left out"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Settings    json.RawMessage   `json:"settings,omitempty" doc:"{history, max_steps, message_window, steps_at_once, max_sessions_at_once, rate, priority, concurrency_key} and keys of your own"`
	Extra       properties        `json:"extra,omitempty" doc:"further properties of the WORKFLOW node"`
	Steps       []Step            `json:"steps"`
	Paths       []Path            `json:"paths"`
	Problems    []workflowProblem `json:"problems,omitempty" doc:"what is wrong with it; not looked at in a PUT"`
	Force       bool              `json:"force,omitempty" doc:"in a PUT, true: store it although it has errors"`
}

// workflowProblem is engine.Problem, which has another name in the document: Problem is an error there.
type workflowProblem = engine.Problem

// A Step is one STEP. Texts of JSON (input, retry, output_schema, config) are given as
// stored and taken as text or as the JSON itself.
type Step struct {
	ID           string       `json:"id" minLength:"1" maxLength:"200" example:"ask"`
	Workflow     string       `json:"workflow,omitempty" doc:"the workflow it belongs to; may be left out"`
	Function     string       `json:"function,omitempty" example:"utils.request.request"`
	Input        jsonText     `json:"input,omitempty" doc:"JSON text with references, or the object itself"`
	Name         string       `json:"name,omitempty"`
	Description  string       `json:"description,omitempty"`
	Join         string       `json:"join,omitempty" doc:"any (the default), all or required"`
	Retry        jsonText     `json:"retry,omitempty"`
	Timeout      textOrNumber `json:"timeout,omitempty" doc:"30s, or a number of seconds"`
	OnError      string       `json:"on_error,omitempty" doc:"stop_path (the default), continue or fail_session"`
	Approval     bool         `json:"approval,omitempty"`
	OutputSchema jsonText     `json:"output_schema,omitempty"`
	X            *float64     `json:"x,omitempty"`
	Y            *float64     `json:"y,omitempty"`
	Bypass       bool         `json:"bypass,omitempty"`
	Inactive     bool         `json:"inactive,omitempty"`
	Config       jsonText     `json:"config,omitempty"`
	Extra        properties   `json:"extra,omitempty" doc:"further properties of the STEP node"`
}

// A Path is one relationship between two steps.
type Path struct {
	ID             string     `json:"id,omitempty" maxLength:"400" doc:"the stored id, or source>target where none is stored"`
	Kind           string     `json:"kind,omitempty" enum:"NEXT,TOOL,CONTAINS" doc:"NEXT when left out"`
	Source         string     `json:"source" minLength:"1" example:"ask"`
	Target         string     `json:"target" minLength:"1" example:"reply"`
	TargetWorkflow string     `json:"target_workflow,omitempty"`
	Condition      condition  `json:"condition,omitzero" doc:"a text, or a native list; other JSON becomes its text"`
	Operator       string     `json:"operator,omitempty" doc:"AND (the default) or OR"`
	Priority       *float64   `json:"priority,omitempty" doc:"lower first, none last"`
	Label          string     `json:"label,omitempty"`
	Back           bool       `json:"back,omitempty"`
	Group          []string   `json:"group,omitempty" doc:"where the target has join: required: one taken path of each group is enough"`
	Name           string     `json:"name,omitempty"`
	Description    string     `json:"description,omitempty"`
	Extra          properties `json:"extra,omitempty" doc:"further properties of the relationship"`
}

func workflowOf(w *engine.Workflow, problems []engine.Problem) (Workflow, error) {
	out := Workflow{ID: w.ID, Name: w.Name, Description: w.Description, Extra: w.Extra,
		Steps: make([]Step, len(w.Steps)), Paths: make([]Path, len(w.Paths))}
	if !w.Settings.IsZero() {
		text, err := json.Marshal(w.Settings)
		if err != nil {
			return out, fmt.Errorf("workflow %s: settings: %w", w.ID, err)
		}
		out.Settings = text
	}
	for i := range w.Steps {
		out.Steps[i] = stepOf(&w.Steps[i])
	}
	for i := range w.Paths {
		out.Paths[i] = pathOf(&w.Paths[i])
	}
	for _, p := range problems {
		out.Problems = append(out.Problems, workflowProblem(p))
	}
	return out, nil
}

func stepOf(s *engine.Step) Step {
	return Step{ID: s.ID, Function: s.Function, Input: jsonText(s.Input), Name: s.Name, Description: s.Description,
		Join: s.Join, Retry: jsonText(s.Retry), Timeout: textOrNumber(s.Timeout), OnError: s.OnError, Approval: s.Approval,
		OutputSchema: jsonText(s.OutputSchema), X: s.X, Y: s.Y, Bypass: s.Bypass, Inactive: s.Inactive,
		Config: jsonText(s.Config), Extra: s.Extra}
}

func pathOf(p *engine.Path) Path {
	return Path{ID: p.ID, Kind: string(p.Kind), Source: p.Source, Target: p.Target, TargetWorkflow: p.TargetWorkflow,
		Condition: condition{p.Condition}, Operator: p.Operator, Priority: p.Priority, Label: p.Label, Back: p.Back, Group: p.Group,
		Name: p.Name, Description: p.Description, Extra: p.Extra}
}

// definition is the engine's form of a step, in place of before (nil for a new one).
func (s *Step) definition(workflow string, before *engine.Step) engine.Step {
	out := engine.Step{ID: s.ID, Workflow: workflow, Function: s.Function, Input: string(s.Input), Name: s.Name,
		Description: s.Description, Join: s.Join, Retry: string(s.Retry), Timeout: string(s.Timeout), OnError: s.OnError,
		Approval: s.Approval, OutputSchema: string(s.OutputSchema), X: s.X, Y: s.Y, Bypass: s.Bypass, Inactive: s.Inactive,
		Config: string(s.Config), Extra: s.Extra}
	if before != nil {
		out.Extra = keepStoredTypes(before.Extra, s.Extra)
	}
	return out
}

// definition is the engine's form of a path, in place of before (nil for a new one).
func (p *Path) definition(before *engine.Path) engine.Path {
	out := engine.Path{ID: p.ID, Stored: p.ID != "", Kind: engine.PathKind(p.Kind), Source: p.Source, Target: p.Target,
		TargetWorkflow: p.TargetWorkflow, Condition: p.Condition.value, Operator: p.Operator, Priority: p.Priority,
		Label: p.Label, Back: p.Back, Group: p.Group, Name: p.Name, Description: p.Description, Extra: p.Extra}
	if out.Kind == "" {
		out.Kind = engine.Next
	}
	switch {
	case before != nil:
		out.Stored = before.Stored
		out.Extra = keepStoredTypes(before.Extra, p.Extra)
	case p.isNamed():
		out.Stored = false
	}
	return out
}

var pathNumber = regexp.MustCompile(`^(:TOOL|:CONTAINS)?(#[0-9]+)?$`)

// isNamed reports whether the id is the one that every path has without a stored id:
// source>target, with kind and number where needed.
func (p *Path) isNamed() bool {
	name := p.Source + ">" + p.Target
	return len(p.ID) >= len(name) && p.ID[:len(name)] == name && pathNumber.MatchString(p.ID[len(name):])
}

// keepStoredTypes is the properties sent, with the stored value wherever it says the same: a
// type that JSON lacks (a date, a point) survives an edit of another property.
func keepStoredTypes(stored, sent map[string]any) map[string]any {
	for k, v := range sent {
		a, errA := json.Marshal(stored[k])
		b, errB := json.Marshal(v)
		if errA == nil && errB == nil && bytes.Equal(a, b) && stored[k] != nil {
			sent[k] = stored[k]
		}
	}
	return sent
}

// definition is the engine's form of a workflow, in place of before (nil for a new one).
func (w *Workflow) definition(id string, before *engine.Workflow) (*engine.Workflow, error) {
	if w.ID != "" && w.ID != id {
		return nil, problem("request_invalid", "", Fault{Pointer: "/id", Message: fmt.Sprintf("is %q, the address says %q", w.ID, id)})
	}
	if before == nil {
		before = &engine.Workflow{}
	}
	out := &engine.Workflow{ID: id, Name: w.Name, Description: w.Description, Extra: keepStoredTypes(before.Extra, w.Extra)}
	if len(w.Settings) > 0 {
		if err := json.Unmarshal(w.Settings, &out.Settings); err != nil {
			return nil, problem("request_invalid", "", Fault{Pointer: "/settings", Message: err.Error()})
		}
	}
	var faults []Fault
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.Workflow != "" && s.Workflow != id {
			faults = append(faults, Fault{Pointer: fmt.Sprintf("/steps/%d/workflow", i), Message: fmt.Sprintf("is %q, want %q or nothing", s.Workflow, id)})
		}
		out.Steps = append(out.Steps, s.definition(id, before.Step(s.ID)))
	}
	for i := range w.Paths {
		p := &w.Paths[i]
		old := before.Path(p.ID)
		if old != nil && (old.Source != p.Source || old.Target != p.Target) {
			old = nil
		}
		out.Paths = append(out.Paths, p.definition(old))
	}
	if len(faults) > 0 {
		return nil, problem("request_invalid", "", faults...)
	}
	out.Normalize()
	return out, nil
}
