package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
)

type exportIn struct {
	AtWorkflow
	Accept string       `header:"Accept" hidden:"true"`
	Format exportFormat `query:"format" default:"json" doc:"json, yaml and cypher say everything, mermaid and dot draw; the others only write what came from a file of that format, source is the one it came from"`
}

// An exportFormat is the name of a format workflows are written in.
type exportFormat string

// Schema lists the formats there are.
func (exportFormat) Schema(huma.Registry) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString, Default: "json"}
	for _, name := range formats.ExportFormats() {
		schema.Enum = append(schema.Enum, name)
	}
	return schema
}

type fileOut struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	ETag        string `header:"ETag"`
	Problems    string `header:"Stepgraph-Problems" doc:"a JSON list of warnings, {level, step, path, code, message}: what the file leaves out or says differently; absent where it says everything"`
	Body        []byte
}

func (r *workflowRoutes) registerExport() {
	register(r.routeTable, operation{id: "exportWorkflow", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/export", tag: tagWorkflows,
		summary: "Write a workflow as a file",
		about: "Our own formats write any workflow. A format of another system writes what came from it, as long as the workflow still fits: " +
			"otherwise `errors` names each step and path that does not.",
		problems: []string{"workflow_not_found", "workflow_invalid"}}, r.export)
	op := r.api.OpenAPI().Paths["/api/v1/workflows/{workflow}/export"].Get
	// A generated client reads an answer by the first type in the document, so there is one.
	op.Responses["200"].Content = map[string]*huma.MediaType{octets: {Schema: bytesSchema()}}
	op.Responses["200"].Description = "The file. Its content type is its format's (application/json, application/yaml or text/plain), or application/octet-stream where Accept asks for that"
}

func (r *workflowRoutes) export(ctx context.Context, in *exportIn) (*fileOut, error) {
	w, err := r.e.Workflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	file, err := formats.Export(w, string(in.Format))
	if err != nil {
		return nil, exportProblem(err)
	}
	return &fileOut{ContentType: fileKind(in.Accept, file.MediaType), ETag: quoteTag(w.ETag()), Body: file.Text, Problems: problemsHeader(file.Notes),
		Disposition: mime.FormatMediaType("attachment", map[string]string{"filename": w.ID + file.Ending})}, nil
}

// exportProblem names what does not fit, each in a fault of its own.
func exportProblem(err error) error {
	var misfit *formats.MisfitError
	switch {
	case errors.As(err, &misfit):
		var faults []Fault
		for _, p := range misfit.Problems {
			faults = append(faults, Fault{Step: p.Step, Path: p.Path, Code: p.Code, Message: p.Message})
		}
		return problem("workflow_invalid", err.Error(), faults...)
	case errors.Is(err, formats.ErrOtherSource), errors.Is(err, formats.ErrUnknownExport):
		return problem("workflow_invalid", err.Error(), Fault{Parameter: "format", Message: err.Error()})
	}
	return problem("workflow_invalid", err.Error(), Fault{Message: err.Error()})
}

// maxProblemsHeader bounds the header, in bytes: servers and clients refuse long ones.
const maxProblemsHeader = 4096

// problemsHeader is a JSON list in ASCII. What is too much for a header is counted in a last
// entry of its own.
func problemsHeader(notes []engine.Problem) string {
	if len(notes) == 0 {
		return ""
	}
	var list []string
	size := 0
	for i, p := range notes {
		text, _ := json.Marshal(p) // texts and a number
		one := asciiJSON(string(text))
		if size += len(one) + 1; size > maxProblemsHeader {
			more, _ := json.Marshal(engine.Problem{Level: "warning", Code: "more", Message: strconv.Itoa(len(notes)-i) + " more; stepgraph export lists all"})
			list = append(list, string(more))
			break
		}
		list = append(list, one)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// asciiJSON escapes the characters of JSON strings that a header cannot hold.
func asciiJSON(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < 0x7f {
			b.WriteByte(byte(unit))
			continue
		}
		fmt.Fprintf(&b, "\\u%04x", unit)
	}
	return b.String()
}
