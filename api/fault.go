package api

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// statusClientIsGone is for the log only: the client does not read the answer.
const statusClientIsGone = 499

// ErrStopping is the cause with which a server that stops ends requests; they are
// answered 503, since what they asked for may have happened: ask again with the same key.
var ErrStopping = errors.New("the server is stopping")

// maxExists bounds how many names a not-found lists.
const maxExists = 100

// problemOf is the problem that answers an error. What is in no row of the table is
// logged in full and answered without its text, which may say what no client may know.
func (t *routeTable) problemOf(ctx context.Context, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	if errors.Is(err, ErrStopping) || errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), ErrStopping) {
		return problem("unavailable", ErrStopping.Error()+"; ask again, with the same Idempotency-Key")
	}
	if errors.Is(err, access.ErrEnded) || errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), access.ErrEnded) {
		return problem("unauthorized", access.ErrEnded.Error()+" while the request was under way; it may have been carried out")
	}
	for i := range problemTable {
		if errors.Is(err, problemTable[i].Err) {
			return explain(problemTable[i].Slug, err)
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return problem("unavailable", "the request took too long")
	case errors.Is(err, context.Canceled):
		p := problem("unavailable", errClientIsGone.Error())
		p.Status = statusClientIsGone
		return p
	}
	t.log.ErrorContext(ctx, "request failed", "error", err)
	return problem("internal", "")
}

// explain makes a problem of a sentinel's error, with what the error knows besides.
func explain(slug string, err error) *Problem {
	p := problem(slug, err.Error())
	var d *engine.DetailError
	if !errors.As(err, &d) {
		return p
	}
	short := *d
	short.Exists = nil // they have a field of their own
	if errors.Unwrap(err) == d.Err {
		p.Detail = short.Error()
	}
	p.Exists = d.Exists[:min(len(d.Exists), maxExists)]
	p.Accepted = d.Accepted
	for _, one := range d.Problems {
		p.Errors = append(p.Errors, Fault{Step: one.Step, Path: one.Path, Code: one.Code, Message: one.Message})
	}
	for _, f := range d.Faults {
		p.Errors = append(p.Errors, Fault{Pointer: f.Pointer, Message: f.Message})
	}
	return p
}

// humaProblem replaces huma's own error, which validation makes, by a problem. It is a
// transformer of this API only, because huma.NewError is one for the whole process and
// an embedding server may use huma itself.
func humaProblem(schemas huma.Registry) huma.Transformer {
	return func(c huma.Context, _ string, v any) (any, error) {
		e, ok := v.(*huma.ErrorModel)
		if !ok {
			return v, nil
		}
		m := misfitsOf(c.Operation(), schemas)
		faults := make([]Fault, len(e.Errors))
		for i, d := range e.Errors {
			faults[i] = m.fault(d)
		}
		detail := e.Detail
		if detail == "validation failed" {
			detail = detailOf(faults)
		}
		p := problem(slugOfStatus(e.Status), detail, faults...)
		p.Status = e.Status
		return p, nil
	}
}

func slugOfStatus(status int) string {
	switch status {
	case http.StatusUnprocessableEntity:
		return "request_invalid"
	case http.StatusRequestEntityTooLarge:
		return "too_large"
	case http.StatusUnsupportedMediaType:
		return "unsupported_media_type"
	case http.StatusInternalServerError:
		return "internal"
	}
	return "bad_request"
}

var missingProperty = regexp.MustCompile(`^expected required property (.+) to be present$`)

// faultOf reads a place as huma writes it: body.steps[0].input, query.limit.
func faultOf(d *huma.ErrorDetail) Fault {
	where, rest, _ := strings.Cut(d.Location, ".")
	if cut := strings.IndexByte(where, '['); cut >= 0 {
		rest = where[cut:] + "." + rest
		where = where[:cut]
	}
	if where != "body" {
		return Fault{Parameter: rest, Message: d.Message}
	}
	f := Fault{Pointer: pointerOf(rest), Message: d.Message}
	if m := missingProperty.FindStringSubmatch(d.Message); m != nil {
		f.Pointer += "/" + jsontext.EscapeToken(m[1])
		f.Message = "is missing"
	}
	return f
}

func pointerOf(place string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(place, func(c rune) bool { return c == '.' || c == '[' || c == ']' }) {
		b.WriteString("/" + jsontext.EscapeToken(part))
	}
	return b.String()
}
