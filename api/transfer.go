package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/formats/cypherfile"
	"github.com/stepgraph/stepgraph/formats/native"
)

type importIn struct {
	Keyed
	Name     string `query:"name" doc:"the file's name: its ending helps to recognise the format, and it names a workflow that has no name of its own; without it such a workflow is called by the parameter workflow, else import" example:"greet.cypher"`
	Workflow string `query:"workflow" doc:"the workflow's id, for a file with one workflow"`
	Forced
	Format  importFormat `query:"format" doc:"the file's format, for one that is not recognised by its content; by default it is recognised"`
	DryRun  bool         `query:"dry_run" doc:"true: answer what would be created and changed, and store nothing"`
	State   bool         `query:"with_state" doc:"true: the state in the file, if its format has one, becomes a session, which continues from there"`
	RawBody []byte
}

// An importFormat is the name of a format workflows are read from.
type importFormat string

// Schema lists the formats there are.
func (importFormat) Schema(huma.Registry) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, name := range formats.Names() {
		schema.Enum = append(schema.Enum, name)
	}
	return schema
}

// Imported is what a file has changed.
type Imported struct {
	Format    string              `json:"format" example:"cypher"`
	Workflows []engine.Difference `json:"workflows"`
	Session   string              `json:"session,omitempty" doc:"with_state: the session that continues from the file's state; absent if the file has none"`
	Problems  []workflowProblem   `json:"problems" doc:"what the format could not say, with lines where it has them"`
}

func (r *workflowRoutes) registerTransfer() {
	register(r.routeTable, operation{id: "importWorkflows", method: http.MethodPost, path: "/api/v1/workflows/import", tag: tagWorkflows,
		summary: "Load a workflow file of any known format",
		about: "The body is the file itself, as `application/octet-stream`, `application/json`, `application/yaml`, `text/yaml`, `text/plain`, `text/x-cypher` or " +
			"`application/x-cypher-query`; the format is recognised by what is in it. What it holds replaces the workflows of those ids; nothing is loaded when it has an error. " +
			"Nothing but the graph is written, unless `with_state` asks for a session of the state that came with it.",
		limit: largeLimit, files: true, replay: true,
		takes: []string{octets}, reads: []string{"text/plain", "application/json", "application/x-cypher-query", "text/x-cypher", "application/yaml", "text/yaml"},
		problems: []string{"workflow_invalid"}}, r.importFile)
	r.registerExport()
}

func (r *workflowRoutes) importFile(ctx context.Context, in *importIn) (*struct{ Body Imported }, error) {
	name := in.fileName()
	loaded, err := formats.LoadAs(string(in.Format), name, in.RawBody)
	if err != nil {
		detail := err.Error()
		faults := refusals(err)
		if errors.As(err, new(native.Errors)) {
			detail = faults[0].Message
		}
		return nil, problem("workflow_invalid", detail, faults...)
	}
	if err := rename(&loaded, in.Workflow); err != nil {
		return nil, err
	}
	out := Imported{Format: loaded.Format, Workflows: []engine.Difference{}, Problems: []workflowProblem{}}
	var faults []Fault
	for _, p := range loaded.Problems() {
		if p.Level == "error" {
			faults = append(faults, Fault{Step: p.Step, Path: p.Path, Line: p.Line, Column: p.Column, Code: p.Code, Message: fmt.Sprintf("%s:%d: %s", name, p.Line, p.Message)})
		}
		out.Problems = append(out.Problems, workflowProblem(p))
	}
	if len(faults) > 0 {
		return nil, problem("workflow_invalid", faults[0].Message, faults...)
	}
	for i := range loaded.Workflows { // all or none
		loaded.Workflows[i].Problems = nil
		if _, err := r.e.Put(ctx, &loaded.Workflows[i], engine.PutOptions{Force: in.Force, DryRun: true}); err != nil {
			return nil, locate(err, &loaded, i)
		}
	}
	for i := range loaded.Workflows {
		diff, err := r.e.Put(ctx, &loaded.Workflows[i], engine.PutOptions{Force: in.Force, DryRun: in.DryRun})
		if err != nil {
			return nil, err
		}
		for _, p := range diff.Problems {
			out.Problems = append(out.Problems, workflowProblem(placedIn(p, &loaded, i)))
		}
		diff.Problems = nil // they are listed with the file's
		out.Workflows = append(out.Workflows, *diff)
	}
	if in.State && !in.DryRun {
		if out.Session, err = r.startSaved(ctx, &loaded, in.Key); err != nil {
			return nil, err
		}
	}
	return &struct{ Body Imported }{out}, nil
}

// fileName is the name given, or one whose ending fits what the file begins with.
func (in *importIn) fileName() string {
	if in.Name != "" {
		return in.Name
	}
	ending := ".cypher"
	if native.RecogniseYAML(in.RawBody) {
		ending = ".yaml"
	}
	if text := bytes.TrimLeft(in.RawBody, "\ufeff \t\r\n"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		ending = ".json"
	}
	return cmp.Or(in.Workflow, "import") + ending
}

// locate gives the problems for which a workflow is refused their lines in the file.
func locate(err error, loaded *formats.Loaded, i int) error {
	var refused *engine.DetailError
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		return err
	}
	located := explain("workflow_invalid", err)
	for k, p := range refused.Problems {
		located.Errors[k].Line = placedIn(p, loaded, i).Line
	}
	return located
}

// placedIn gives a problem its line in the file.
func placedIn(p engine.Problem, loaded *formats.Loaded, i int) engine.Problem {
	if i >= len(loaded.Lines) || p.Line > 0 {
		return p
	}
	if p.Line = loaded.Lines[i].Paths[p.Path]; p.Line == 0 {
		p.Line = loaded.Lines[i].Steps[p.Step]
	}
	return p
}

// refusals are the reasons for which a file is refused, each with its place in the file.
func refusals(err error) []Fault {
	var refused *source.Faults
	if errors.As(err, &refused) {
		var faults []Fault
		for i, p := range refused.Problems() {
			faults = append(faults, Fault{Pointer: refused.List[i].Pointer, Step: p.Step, Path: p.Path, Line: p.Line, Code: p.Code, Message: p.Message})
		}
		return faults
	}
	all := native.Errors{err}
	errors.As(err, &all)
	faults := make([]Fault, len(all))
	for i, one := range all {
		faults[i] = Fault{Message: one.Error()}
		var document *native.Error
		var cypher *cypherfile.Error
		switch {
		case errors.As(one, &document):
			faults[i].Pointer, faults[i].Line, faults[i].Column = document.Pointer, document.Line, document.Col
		case errors.As(one, &cypher):
			faults[i].Line, faults[i].Column = cypher.Line, cypher.Col
		}
	}
	return faults
}

// startSaved starts the session that goes on from the state a file carries, and gives its id,
// "" where there is none. The import's key is the start's, so that a repeated import starts
// no second session.
func (r *workflowRoutes) startSaved(ctx context.Context, loaded *formats.Loaded, key string) (string, error) {
	q, saved := loaded.Start()
	if !saved {
		return "", nil
	}
	q.Key = key
	session, err := r.e.Start(ctx, q)
	if err != nil {
		return "", err
	}
	return session.ID, nil
}

// rename gives the file's one workflow another id.
func rename(loaded *formats.Loaded, id string) error {
	if id == "" {
		return nil
	}
	if n := len(loaded.Workflows); n != 1 {
		return problem("request_invalid", "", Fault{Parameter: "workflow", Message: fmt.Sprintf("names one workflow, the file has %d", n)})
	}
	w := &loaded.Workflows[0]
	w.ID = id
	for i := range w.Steps {
		w.Steps[i].Workflow = id
	}
	return nil
}
