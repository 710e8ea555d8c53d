package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/api/internal/route"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// An operation is one route as it is documented and answered.
type operation struct {
	id, method, path string
	tag              string
	summary, about   string
	status           int           // of success; 200 by default
	problems         []string      // slugs it answers with, besides those that any route may
	limit            int64         // of the body; normalLimit by default
	optional         bool          // the body may be left out
	files            bool          // the body is a file of any type
	stream           bool          // an event stream: no deadline
	replay           bool          // a POST whose answers the API itself keeps by key
	takes            []string      // content types of the body besides application/json
	reads            []string      // further ones, which the text names: client generators warn of types they do not know
	object           bool          // the raw body is a JSON object
	objectName       string        // of its schema in the document
	streamed         bool          // the handler reads the body itself, as it comes
	body             any           // what a streamed JSON body is; nil elsewhere
	longest          time.Duration // how long it may take; 0 is Options.RequestTimeout
}

// What an operation is, for the middleware; keys of huma.Operation.Metadata.
const (
	metaLimit  = "limit"
	metaFiles  = "files"
	metaStream = "stream"
	metaReplay = "replay"
	metaReads  = "reads"
	metaSlow   = "longest"
	metaKinds  = "kinds"
)

func limitOf(op *huma.Operation) int64           { return op.Metadata[metaLimit].(int64) }
func takesFiles(op *huma.Operation) bool         { return op.Metadata[metaFiles].(bool) }
func isStream(op *huma.Operation) bool           { return op.Metadata[metaStream].(bool) }
func readsItself(op *huma.Operation) bool        { return op.Metadata[metaReads].(bool) }
func longestOf(op *huma.Operation) time.Duration { return op.Metadata[metaSlow].(time.Duration) }
func keepsKeys(op *huma.Operation) bool          { return op.Metadata[metaReplay].(bool) }
func otherKinds(op *huma.Operation) []string     { return op.Metadata[metaKinds].([]string) }

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
		Metadata: map[string]any{metaLimit: o.limit, metaFiles: o.files, metaStream: o.stream, metaReplay: o.replay,
			metaReads: o.streamed, metaSlow: o.longest, metaKinds: o.reads},
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
			return nil, t.problemOf(ctx, late(ctx, err))
		}
		return out, nil
	}})
	if o.optional {
		op.RequestBody.Required = false
	}
}

// late is the error of a request: that its time is up where it is, and why the store kept it waiting
// where that is known.
func late(ctx context.Context, err error) error {
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

// octets is the content type under which generated clients send and take any file.
const octets = "application/octet-stream"

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
		row := rowOf(slug)
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

type empty struct{}

const ndjson = "application/x-ndjson"

const eventStream = "text/event-stream"

// A routeTable is what the routes of all resources share: the document that register adds an
// operation to, and the log for errors that are in no row of the problem table. The resources
// below embed it. Besides, each holds only the part of the engine that its handlers call.
type routeTable struct {
	api     huma.API
	log     *slog.Logger
	actions map[string]string // operation by method and route
	answers *answerStore      // answers of requests with an Idempotency-Key that the engine does not keep
}
