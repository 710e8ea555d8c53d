// Package route registers operations with huma by the types of their input and output.
//
// huma.Register does the same and is generic: it was compiled once for each of the 78 pairs of
// types, which made 3 MB of the program. Here the types are values and the code exists once. It
// knows the part of huma that the API uses: parameters of path, query and header, a Body or a
// RawBody, a Resolver; and in answers headers, Status and a Body. Schemas and their checks are
// huma's. A field that it does not know panics when the operation is registered.
package route

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// A Handler is what answers an operation. In and Out are structs.
type Handler struct {
	In, Out reflect.Type
	// Text returns the body of a request; it is asked where In has a Body or a RawBody.
	Text func(huma.Context) []byte
	// Handle takes a pointer to an In and returns a pointer to an Out, or nil for an answer
	// without headers and body.
	Handle func(ctx context.Context, in any) (out any, failure Failure)
}

// A Failure is an error that is written as the answer, with its status and headers.
type Failure interface {
	huma.StatusError
	huma.HeadersError
	huma.ContentTypeFilter
}

type route struct {
	Handler
	api    huma.API
	op     *huma.Operation
	input  input
	output output
}

// Add describes the operation in the API's document and answers its requests.
func Add(api huma.API, op *huma.Operation, h Handler) {
	schemas := api.OpenAPI().Components.Schemas
	r := &route{Handler: h, api: api, op: op, input: describeInput(h.In, op, schemas)}
	r.output = describeOutput(h.Out, op, schemas)
	api.OpenAPI().AddOperation(op)
	api.Adapter().Handle(op, api.Middlewares().Handler(op.Middlewares.Handler(r.serve)))
}

func (r *route) serve(c huma.Context) {
	in := reflect.New(r.In)
	status, found := r.read(c, in)
	if status != 0 {
		message := "validation failed"
		if status == statusNoBody {
			status, message = http.StatusBadRequest, "request body is required"
		}
		_ = huma.WriteErr(r.api, c, status, message, found...) // huma has printed why it could not
		return
	}
	out, failure := r.Handle(c.Context(), in.Interface())
	switch {
	case failure != nil:
		for name, values := range failure.GetHeaders() {
			for _, value := range values {
				c.AppendHeader(name, value)
			}
		}
		c.SetHeader("Content-Type", failure.ContentType(""))
		r.write(c, failure.GetStatus(), "application/json", failure)
	case out == nil:
		c.SetStatus(r.op.DefaultStatus)
	default:
		r.answer(c, reflect.ValueOf(out).Elem())
	}
}

func (r *route) answer(c huma.Context, out reflect.Value) {
	kind, status := "", r.op.DefaultStatus
	for _, h := range r.output.headers {
		value := out.FieldByIndex(h.field).String()
		if value == "" {
			continue
		}
		if h.name == "Content-Type" {
			kind = value
		}
		c.SetHeader(h.name, value)
	}
	if r.output.status != nil {
		status = int(out.FieldByIndex(r.output.status).Int())
	}
	if r.output.body == nil {
		c.SetStatus(status)
		return
	}
	switch body := out.FieldByIndex(r.output.body).Interface().(type) {
	case func(huma.Context):
		body(c)
	case []byte:
		c.SetStatus(status)
		_, _ = c.BodyWriter().Write(body) // the client is gone: there is no one to report to
	default:
		if kind == "" {
			kind, _ = r.api.Negotiate(c.Header("Accept")) // there is one format, which is also the default
			c.SetHeader("Content-Type", kind)
		}
		r.write(c, status, kind, body)
	}
}

// write writes a value as JSON. It panics where that fails while the client is still there.
func (r *route) write(c huma.Context, status int, kind string, value any) {
	value, err := r.api.Transform(c, strconv.Itoa(status), value)
	if err == nil {
		c.SetStatus(status)
		if status == http.StatusNoContent || status == http.StatusNotModified {
			return
		}
		err = r.api.Marshal(c.BodyWriter(), kind, value)
	}
	if err != nil && !errors.Is(c.Context().Err(), context.Canceled) {
		panic(fmt.Errorf("%s %s: write the answer: %w", r.op.Method, r.op.Path, err))
	}
}

// statusNoBody is the status of a request without a body, until the answer is written.
const statusNoBody = -1

// read fills the input from a request. The status is 0 where nothing is wrong.
func (r *route) read(c huma.Context, in reflect.Value) (status int, faults []error) {
	at, found := huma.NewPathBuffer(make([]byte, 0, 128), 0), &huma.ValidateResult{}
	status = http.StatusUnprocessableEntity
	if r.input.unknown(c, at, found); len(found.Errors) > 0 {
		return status, found.Errors
	}
	for _, p := range r.input.parameters {
		p.read(c, in.Elem().FieldByIndex(p.field), r.api.OpenAPI().Components.Schemas, at, found)
	}
	if r.input.body != nil || r.input.raw != nil {
		text := r.Text(c)
		if len(text) == 0 && r.op.RequestBody.Required {
			return statusNoBody, found.Errors
		}
		if len(text) > 0 && !r.readBody(in.Elem(), text, at, found) {
			status = http.StatusBadRequest
		}
	}
	if resolver, ok := in.Interface().(huma.Resolver); ok {
		found.Errors = append(found.Errors, resolver.Resolve(c)...)
	}
	if len(found.Errors) == 0 {
		return 0, nil
	}
	return status, found.Errors
}

// readBody reports false for a body that cannot be decoded at all.
func (r *route) readBody(in reflect.Value, text []byte, at *huma.PathBuffer, found *huma.ValidateResult) bool {
	if r.input.raw != nil {
		in.FieldByIndex(r.input.raw).SetBytes(text)
	}
	before := len(found.Errors)
	if schema := r.input.schema; schema != nil {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			found.Errors = append(found.Errors, undecoded(text, err))
			return false
		}
		at.Reset()
		at.Push("body")
		huma.Validate(r.api.OpenAPI().Components.Schemas, schema, at, huma.ModeWriteToServer, value, found)
	}
	if r.input.body == nil {
		return true
	}
	body := in.FieldByIndex(r.input.body)
	if err := json.Unmarshal(text, body.Addr().Interface()); err != nil && len(found.Errors) == before {
		found.Errors = append(found.Errors, undecoded(text, err))
	}
	for _, d := range r.input.defaults {
		if field := body.FieldByIndex(d.field); field.IsZero() {
			field.Set(d.value)
		}
	}
	return true
}

func undecoded(text []byte, err error) error {
	return &huma.ErrorDetail{Location: "body", Message: err.Error(), Value: string(text)}
}
