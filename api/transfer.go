package api

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/formats/cypherfile"
	"github.com/stepgraph/stepgraph/formats/native"
)

type importIn struct {
	Keyed
	Name     string `query:"name" required:"true" doc:"the file's name: its ending helps to recognise the format, and it names a workflow that has no name of its own" example:"greet.cypher"`
	Workflow string `query:"workflow" doc:"the workflow's id, for a file with one workflow"`
	RawBody  []byte
}

// Imported is what a file has changed.
type Imported struct {
	Format    string              `json:"format" example:"cypher"`
	Workflows []engine.Difference `json:"workflows"`
	Problems  []workflowProblem   `json:"problems" doc:"what the format could not say, with lines where it has them"`
}

type exportIn struct {
	AtWorkflow
	Format string `query:"format" default:"json" enum:"cypher,json"`
}

type fileOut struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	ETag        string `header:"ETag"`
	Body        []byte
}

func (s *server) registerTransfer() {
	register(s, operation{id: "importWorkflows", method: http.MethodPost, path: "/api/v1/workflows/import", tag: tagWorkflows,
		summary: "Load a workflow file of any known format",
		about:   "The body is the file's text. What it holds replaces the workflows of those ids; nothing is loaded when it has an error.",
		limit:   largeLimit, files: true, replay: true,
		takes:    []string{"text/plain", "application/json", "application/octet-stream", "application/x-cypher-query", "text/x-cypher"},
		problems: []string{"workflow_invalid"}}, s.importFile)
	register(s, operation{id: "exportWorkflow", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/export", tag: tagWorkflows,
		summary: "Write a workflow as a file", problems: []string{"workflow_not_found", "workflow_invalid"}}, s.export)
	op := s.api.OpenAPI().Paths["/api/v1/workflows/{workflow}/export"].Get
	op.Responses["200"].Content = fileContent("application/json", "text/plain")
}

func (s *server) importFile(ctx context.Context, in *importIn) (*struct{ Body Imported }, error) {
	loaded, err := formats.Load(in.Name, bytes.Clone(in.RawBody)) // huma uses the buffer again
	if err != nil {
		return nil, problem("workflow_invalid", err.Error(), Fault{Message: err.Error()})
	}
	if err := rename(&loaded, in.Workflow); err != nil {
		return nil, err
	}
	out := Imported{Format: loaded.Format, Workflows: []engine.Difference{}, Problems: []workflowProblem{}}
	var faults []Fault
	for _, p := range loaded.Problems() {
		if p.Level == "error" {
			faults = append(faults, Fault{Message: fmt.Sprintf("%s:%d: %s", in.Name, p.Line, p.Message)})
		}
		out.Problems = append(out.Problems, workflowProblem(p))
	}
	if len(faults) > 0 {
		return nil, problem("workflow_invalid", faults[0].Message, faults...)
	}
	for i := range loaded.Workflows {
		loaded.Workflows[i].Problems = nil
		diff, err := s.e.PutWorkflow(ctx, &loaded.Workflows[i], "")
		if err != nil {
			return nil, err
		}
		out.Workflows = append(out.Workflows, *diff)
	}
	return &struct{ Body Imported }{out}, nil
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

func (s *server) export(ctx context.Context, in *exportIn) (*fileOut, error) {
	w, err := s.e.Workflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	write, kind, ending := native.Write, "application/json", ".json"
	if in.Format == "cypher" {
		write, kind, ending = cypherfile.Write, "text/plain; charset=utf-8", ".cypher"
	}
	text, err := write(w)
	if err != nil {
		return nil, problem("workflow_invalid", err.Error(), Fault{Message: err.Error()})
	}
	return &fileOut{ContentType: kind, ETag: quoteTag(w.ETag()), Body: text,
		Disposition: mime.FormatMediaType("attachment", map[string]string{"filename": w.ID + ending})}, nil
}
