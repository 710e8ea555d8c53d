package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

type addStepIn struct {
	Forced
	AtWorkflow
	Match
	Keyed
	Body Step
}

// AtStep is the address of a step.
type AtStep struct {
	AtWorkflow
	Step string `path:"step"`
}

type patchStepIn struct {
	Forced
	AtStep
	Match
	RawBody []byte
}

type removeStepIn struct {
	AtStep
	Match
}

// EditedStep is a step after an edit, with who is affected by it.
type EditedStep struct {
	Step     Step     `json:"step"`
	Affected Affected `json:"affected"`
}

// Removed is what a removal affects.
type Removed struct {
	Affected Affected `json:"affected"`
}

// Affected is how many sessions an edit concerns: they use it from their next wave on.
type Affected struct {
	Sessions map[string]int64 `json:"sessions" doc:"sessions of the workflow that have not ended, by status"`
	AtStep   int64            `json:"at_step" doc:"questions open at the step, or at the step the path starts from; they stay as they were shown until they are answered or reasked"`
}

type stepOut struct {
	ETag string `header:"ETag" doc:"of the workflow"`
	Body Step
}

type editedStepOut struct {
	ETag string `header:"ETag" doc:"of the workflow after the edit"`
	Body EditedStep
}

type removedOut struct {
	ETag string `header:"ETag" doc:"of the workflow after the edit"`
	Body Removed
}

func (r *graphRoutes) registerSteps() {
	register(r.routeTable, operation{id: "addStep", method: http.MethodPost, path: "/api/v1/workflows/{workflow}/steps", tag: tagWorkflows, status: http.StatusCreated,
		summary: "Add a step", replay: true, problems: []string{"workflow_not_found", "step_exists", "version_mismatch", "workflow_invalid"}}, r.addStep)
	register(r.routeTable, operation{id: "getStep", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/steps/{step}", tag: tagWorkflows,
		summary: "Read a step as it is stored", problems: []string{"workflow_not_found", "step_not_found"}}, r.getStep)
	register(r.routeTable, operation{id: "patchStep", method: http.MethodPatch, path: "/api/v1/workflows/{workflow}/steps/{step}", tag: tagWorkflows,
		summary: "Change a step", about: "A JSON merge patch (RFC 7396): null removes a property. `input`, `retry`, `output_schema` and `config` are texts and are replaced whole. The id stays.",
		object: true, objectName: "PropertyPatch", takes: []string{mergePatch},
		problems: []string{"workflow_not_found", "step_not_found", "version_mismatch", "workflow_invalid"}}, r.patchStep)
	register(r.routeTable, operation{id: "removeStep", method: http.MethodDelete, path: "/api/v1/workflows/{workflow}/steps/{step}", tag: tagWorkflows,
		summary: "Remove a step with its paths", problems: []string{"workflow_not_found", "step_not_found", "version_mismatch"}}, r.removeStep)
}

func (r *graphRoutes) getStep(ctx context.Context, in *AtStep) (*stepOut, error) {
	w, err := r.e.Workflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	step := w.Step(in.Step)
	if step == nil {
		return nil, noSuchStep(w, in.Step)
	}
	return &stepOut{quoteTag(w.ETag()), stepOf(step)}, nil
}

func (r *graphRoutes) addStep(ctx context.Context, in *addStepIn) (*editedStepOut, error) {
	if w := in.Body.Workflow; w != "" && w != in.Workflow {
		return nil, problem("request_invalid", "", Fault{Pointer: "/workflow", Message: fmt.Sprintf("is %q, the address says %q", w, in.Workflow)})
	}
	var after *engine.Workflow
	err := r.edit(ctx, in.Workflow, in.tag(), func(w *engine.Workflow, match string) (err error) {
		if w.Step(in.Body.ID) != nil {
			return fmt.Errorf("%w: %q in workflow %q", errStepExists, in.Body.ID, in.Workflow)
		}
		step := in.Body.definition(in.Workflow, nil)
		if err := r.check(w, withStep(w, step), in.Force); err != nil {
			return err
		}
		after, err = r.e.PutStep(ctx, in.Workflow, step, match)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.editedStep(ctx, after, in.Body.ID)
}

func (r *graphRoutes) patchStep(ctx context.Context, in *patchStepIn) (*editedStepOut, error) {
	var after *engine.Workflow
	err := r.edit(ctx, in.Workflow, in.tag(), func(w *engine.Workflow, match string) error {
		before := w.Step(in.Step)
		if before == nil {
			return noSuchStep(w, in.Step)
		}
		patched, err := patch(r.routeTable, stepOf(before), in.RawBody)
		if err != nil {
			return err
		}
		if patched.ID != in.Step {
			return problem("request_invalid", "", Fault{Pointer: "/id", Message: "cannot be changed; add a step and remove this one"})
		}
		step := patched.definition(before.Workflow, before)
		if err := r.check(w, withStep(w, step), in.Force); err != nil {
			return err
		}
		after, err = r.e.PutStep(ctx, in.Workflow, step, match)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.editedStep(ctx, after, in.Step)
}

func (r *graphRoutes) removeStep(ctx context.Context, in *removeStepIn) (*removedOut, error) {
	after, err := r.e.RemoveStep(ctx, in.Workflow, in.Step, in.tag())
	if err != nil {
		return nil, err
	}
	affected, err := r.affected(ctx, in.Workflow, in.Step)
	if err != nil {
		return nil, err
	}
	return &removedOut{quoteTag(after.ETag()), Removed{affected}}, nil
}

// editTries is how often an edit that names no version starts again when the workflow was
// edited concurrently.
const editTries = 5

// edit reads a workflow and changes it, without anything coming between.
func (r *graphRoutes) edit(ctx context.Context, id, match string, change func(w *engine.Workflow, match string) error) error {
	for try := 1; ; try++ {
		w, err := r.e.Workflow(ctx, id)
		if err != nil {
			return err
		}
		on := match
		if on == "" {
			on = w.ETag()
		}
		err = change(w, on)
		if match != "" || try == editTries || !errors.Is(err, engine.ErrVersionMismatch) {
			return err
		}
	}
}

func (r *graphRoutes) editedStep(ctx context.Context, w *engine.Workflow, step string) (*editedStepOut, error) {
	after := w.Step(step)
	if after == nil {
		return nil, fmt.Errorf("step %q is not in workflow %q after it was written", step, w.ID)
	}
	affected, err := r.affected(ctx, w.ID, step)
	if err != nil {
		return nil, err
	}
	return &editedStepOut{quoteTag(w.ETag()), EditedStep{stepOf(after), affected}}, nil
}

// affected counts whom an edit concerns.
func (r *graphRoutes) affected(ctx context.Context, workflow, step string) (Affected, error) {
	out := Affected{Sessions: map[string]int64{}}
	counts, err := r.e.CountSessions(ctx, engine.SessionQuery{Workflow: workflow}, "status")
	if err != nil {
		return out, err
	}
	for status, n := range counts {
		if status != engine.StatusComplete && status != engine.StatusCancelled {
			out.Sessions[status] = n
		}
	}
	if counts[engine.StatusAwaitingInput]+counts[engine.StatusPaused]+counts[engine.StatusActive]+counts[engine.StatusError] == 0 {
		return out, nil
	}
	at, err := r.e.CountSessions(ctx, engine.SessionQuery{Workflow: workflow}, "step") // kept counts answer it
	out.AtStep = at[workflow+"/"+step]
	return out, err
}

func noSuchStep(w *engine.Workflow, step string) error {
	e := &engine.DetailError{Err: engine.ErrStepNotFound, Detail: fmt.Sprintf("%q in workflow %q", step, w.ID)}
	for i := range w.Steps {
		e.Exists = append(e.Exists, w.Steps[i].ID)
	}
	return e
}

// jsonTexts are properties that are JSON text: a patch replaces them whole.
var jsonTexts = []string{"input", "retry", "output_schema", "config", "condition"}

// patch applies a merge patch to a step or path and judges the result like a body.
func patch[T any](t *routeTable, on T, with []byte) (*T, error) {
	old, err := json.Marshal(on)
	if err != nil {
		return nil, err
	}
	merged, err := mergeJSON(old, with, jsonTexts)
	if err != nil {
		return nil, err
	}
	return decodeBody[T](t, "the patched result", merged)
}
