package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/api/internal/route"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// register adds an operation whose handler's errors become problems. It is compiled for each pair
// of types, so that it has only what needs them.
func register[I, O any](t *routeTable, o operation, handle func(context.Context, *I) (*O, error)) {
	t.register(o, reflect.TypeFor[I](), reflect.TypeFor[O](), func(ctx context.Context, in any) (any, error) {
		out, err := handle(ctx, in.(*I))
		if err != nil || out == nil {
			return nil, err
		}
		return out, nil
	})
}

func (t *routeTable) register(o operation, in, out reflect.Type, handle func(context.Context, any) (any, error)) {
	if o.limit == 0 {
		o.limit = normalLimit
	}
	op := &huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Tags: []string{o.tag}, Summary: o.summary, Description: o.about, DefaultStatus: o.status,
		Metadata: map[string]any{metaOperation: &o},
	}
	t.actions[o.method+" "+o.path] = o.id
	t.describeBody(op, o)
	op.Responses = problemResponses(problemsOf(o, in))
	route.Add(t.api, op, route.Handler{In: in, Out: out, Text: bodyText, Handle: func(ctx context.Context, in any) (any, route.Failure) {
		if o.method == http.MethodGet {
			ctx = store.Shown(ctx)
		}
		out, err := handle(ctx, in)
		if err != nil {
			return nil, t.problemOf(ctx, withDeadlineCause(ctx, err))
		}
		return out, nil
	}})
	if o.optional {
		op.RequestBody.Required = false
	}
}

// withDeadlineCause is the error of a request: that its time is up where it is, and why the store kept it waiting
// where that is known.
func withDeadlineCause(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case cause == nil || ctx.Err() != context.DeadlineExceeded || errors.Is(err, cause):
		return err
	case errors.Is(err, engine.ErrUnavailable):
		return fmt.Errorf("%w: %w", cause, err)
	}
	return cause
}

// describeBody says what a body is that the handler reads itself; a typed one says it by its type.
func (t *routeTable) describeBody(op *huma.Operation, o operation) {
	schema := bytesSchema()
	switch {
	case o.streamed:
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: t.api.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(o.body), true, "")}}}
	case o.object:
		schema = t.anyObject(o.objectName)
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	case o.files:
		op.SkipValidateBody = true
		schema = &huma.Schema{Type: huma.TypeString}
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{}}
	}
	for _, kind := range o.takes {
		op.RequestBody.Content[kind] = &huma.MediaType{Schema: schema}
	}
	if o.files {
		op.RequestBody.Content[octets] = &huma.MediaType{Schema: bytesSchema()}
	}
}

// anyObject is a reference to the schema of an object of any fields. It has a name, because
// client generators make a type of each object and call what has none after its place.
func (t *routeTable) anyObject(name string) *huma.Schema {
	schemas := t.api.OpenAPI().Components.Schemas
	if schemas.Map()[name] == nil {
		schemas.Map()[name] = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	}
	return &huma.Schema{Ref: "#/components/schemas/" + name}
}

func bytesSchema() *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: "binary"} }

// problemsOf are the slugs an operation may answer with.
func problemsOf(o operation, input reflect.Type) []string {
	all := slices.Concat(anyProblems, o.problems)
	_, typed := input.FieldByName("Body")
	_, raw := input.FieldByName("RawBody")
	if typed || raw || o.streamed {
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

// anyProblems are those that every route may answer with.
var anyProblems = []string{"unauthorized", "forbidden", "internal", "unavailable"}

// problemResponses documents problems by status. The whole document has each problem's
// example once, and the answers that every route may give.
func problemResponses(slugs []string) map[string]*huma.Response {
	out := map[string]*huma.Response{}
	for _, slug := range slugs {
		row := problemRowOf(slug)
		status := strconv.Itoa(row.Status)
		switch {
		case slices.Contains(anyProblems, slug):
			out[status] = &huma.Response{Ref: "#/components/responses/" + slug}
			continue
		case out[status] == nil:
			out[status] = problemResponse(slug)
		default:
			out[status].Description += ", " + slug
		}
		out[status].Content[problemJSON].Examples[slug] = &huma.Example{Ref: "#/components/examples/" + slug}
	}
	return out
}

func problemResponse(slug string) *huma.Response {
	return &huma.Response{Description: slug, Content: map[string]*huma.MediaType{problemJSON: {
		Schema:   &huma.Schema{Ref: "#/components/schemas/Problem"},
		Examples: map[string]*huma.Example{slug: {Ref: "#/components/examples/" + slug}},
	}}}
}

// describeProblems adds what problemResponses refers to.
func describeProblems(c *huma.Components) {
	c.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	c.Examples, c.Responses = map[string]*huma.Example{}, map[string]*huma.Response{}
	for i := range problemTable {
		if row := &problemTable[i]; row.Title != "" {
			c.Examples[row.Slug] = &huma.Example{Summary: row.Title, Description: row.Means,
				Value: map[string]any{"type": "/problems/" + row.Slug, "title": row.Title, "status": row.Status}}
		}
	}
	for _, slug := range anyProblems {
		c.Responses[slug] = problemResponse(slug)
	}
}
