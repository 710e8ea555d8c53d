package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// An operation is one route as it is documented and answered.
type operation struct {
	id, method, path string
	tag              string
	summary, about   string
	status           int      // of success; 200 by default
	problems         []string // slugs it answers with, besides those that any route may
	limit            int64    // of the body; normalLimit by default
	optional         bool     // the body may be left out
	files            bool     // the body is a file of any type
	stream           bool     // an event stream: no deadline
	replay           bool     // a POST whose answers the API itself keeps by key
	takes            []string // content types of the body besides application/json
	object           bool     // the raw body is a JSON object
}

// What an operation is, for the middleware; keys of huma.Operation.Metadata.
const (
	metaLimit  = "limit"
	metaFiles  = "files"
	metaStream = "stream"
	metaReplay = "replay"
)

func limitOf(op *huma.Operation) int64   { return op.Metadata[metaLimit].(int64) }
func takesFiles(op *huma.Operation) bool { return op.Metadata[metaFiles].(bool) }
func isStream(op *huma.Operation) bool   { return op.Metadata[metaStream].(bool) }
func keepsKeys(op *huma.Operation) bool  { return op.Metadata[metaReplay].(bool) }

// register adds an operation whose handler's errors become problems.
func register[I, O any](s *server, o operation, handle func(context.Context, *I) (*O, error)) {
	if o.limit == 0 {
		o.limit = normalLimit
	}
	op := huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Tags: []string{o.tag}, Summary: o.summary, Description: o.about,
		DefaultStatus: o.status, MaxBodyBytes: -1, BodyReadTimeout: -1, RejectUnknownQueryParameters: true,
		Metadata: map[string]any{metaLimit: o.limit, metaFiles: o.files, metaStream: o.stream, metaReplay: o.replay},
	}
	describeBody(&op, o)
	op.Responses = problemResponses(s.api, problemsOf(o, reflect.TypeFor[I]()))
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err == nil {
			return out, nil
		}
		if cause := context.Cause(ctx); cause != nil && ctx.Err() == context.DeadlineExceeded {
			err = cause
		}
		return nil, s.problemOf(ctx, err)
	})
	if o.optional {
		s.api.OpenAPI().Paths[o.path].Post.RequestBody.Required = false
	}
}

// describeBody says what a raw body is; typed ones say it themselves.
func describeBody(op *huma.Operation, o operation) {
	if !o.object && !o.files {
		return
	}
	schema := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{}}
	if o.files {
		schema = &huma.Schema{Type: huma.TypeString}
		op.SkipValidateBody = true
	} else {
		op.RequestBody.Content["application/json"] = &huma.MediaType{Schema: schema}
	}
	for _, kind := range o.takes {
		op.RequestBody.Content[kind] = &huma.MediaType{Schema: schema}
	}
}

// problemsOf are the slugs an operation may answer with.
func problemsOf(o operation, input reflect.Type) []string {
	all := append([]string{"unauthorized", "forbidden", "internal", "unavailable"}, o.problems...)
	_, typed := input.FieldByName("Body")
	_, raw := input.FieldByName("RawBody")
	if typed || raw {
		all = append(all, "bad_request", "too_large", "unsupported_media_type")
	}
	if input.NumField() > 0 {
		all = append(all, "request_invalid")
	}
	if o.method == http.MethodPost {
		all = append(all, "key_reused")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// problemResponses documents problems by status, with one example for each slug.
func problemResponses(api huma.API, slugs []string) map[string]*huma.Response {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	out := map[string]*huma.Response{}
	about := map[string][]string{}
	for _, slug := range slugs {
		row := rowOf(slug)
		status := strconv.Itoa(row.Status)
		if out[status] == nil {
			out[status] = &huma.Response{Content: map[string]*huma.MediaType{
				problemJSON: {Schema: schema, Examples: map[string]*huma.Example{}}}}
		}
		out[status].Content[problemJSON].Examples[slug] = &huma.Example{Summary: row.Title,
			Value: map[string]any{"type": "/problems/" + slug, "title": row.Title, "status": row.Status}}
		about[status] = append(about[status], slug+": "+row.Means)
	}
	for status, r := range out {
		r.Description = strings.Join(about[status], "\n\n")
	}
	return out
}

func humaConfig() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0",
			Info: &huma.Info{Title: "stepgraph", Version: "1", Description: "Runs workflows that are graphs: definitions, sessions, answers and history. " +
				"Errors are RFC 9457 problems, explained at `/problems/{slug}`. Every POST takes an `Idempotency-Key`: the same request under the same key counts once and is answered with `Idempotency-Replayed: true` from the second time on."},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token":  {Type: "http", Scheme: "bearer", Description: "where the server was started with a token"},
					"apiKey": {Type: "apiKey", In: "header", Name: "X-API-KEY"},
				},
			},
			Security: []map[string][]string{{}, {"token": {}}, {"apiKey": {}}},
			Tags:     tags,
		},
		Formats:       huma.DefaultFormats,
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{humaProblem},
	}
}

// schemaName keeps names of engine's and our types apart where both have them.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[workflowProblem]() {
		return "WorkflowProblem"
	}
	return name
}

// Groups of operations.
const (
	tagWorkflows = "workflows"
	tagSessions  = "sessions"
	tagHistory   = "history"
	tagPeople    = "people"
	tagSteering  = "steering"
	tagEval      = "evaluation"
)

var tags = []*huma.Tag{
	{Name: tagWorkflows, Description: "definitions: steps and the paths between them"},
	{Name: tagSessions, Description: "start, find, look at and remove sessions"},
	{Name: tagHistory, Description: "what a session said and did"},
	{Name: tagPeople, Description: "what waits for a person, and answers"},
	{Name: tagSteering, Description: "what an operator can do to a session"},
	{Name: tagEval, Description: "what a reference gives and why a condition holds"},
}
