package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/stepgraph/stepgraph/internal/jsonbody"
)

// readBody is a request's body once it has been read and judged.
type readBody struct {
	*bytes.Reader
	text []byte
}

func (readBody) Close() error { return nil }

// bodyText is the body that guardBody has read.
func bodyText(c huma.Context) []byte {
	return c.BodyReader().(readBody).text
}

// guardBody reads the body, within its limit and its time, and judges content type, JSON
// and depth, before anything decodes it.
func (t *routeTable) guardBody(c huma.Context, next func(huma.Context)) {
	if c.Operation().RequestBody == nil {
		next(c)
		return
	}
	r, w := humachi.Unwrap(c)
	if specOf(c.Operation()).streamed {
		if p := checkContentType(c.Operation(), r.Header.Get("Content-Type")); p != nil {
			p.write(w)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, specOf(c.Operation()).limit)
		next(c)
		return
	}
	text, err := readLimited(w, r, specOf(c.Operation()).limit)
	if err != nil {
		t.problemOf(c.Context(), err).write(w)
		return
	}
	if len(text) > 0 {
		if p := checkBody(c.Operation(), r.Header.Get("Content-Type"), text); p != nil {
			p.write(w)
			return
		}
	}
	r.Body = readBody{bytes.NewReader(text), text}
	next(c)
}

// readLimited reads a body of at most limit bytes. How long it may take is bounded by slowBodies.
func readLimited(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		return nil, unreadable(err)
	}
	return text, nil
}

// unreadable is the problem of a body that could not be read completely.
func unreadable(err error) *Problem {
	var refused *Problem // beyond a quota
	if errors.As(err, &refused) {
		return refused
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return problem("too_large", fmt.Sprintf("the body has more than %d bytes", large.Limit))
	}
	return problem("bad_request", "the body could not be read: "+err.Error())
}

func checkBody(op *huma.Operation, contentType string, text []byte) *Problem {
	if p := checkContentType(op, contentType); p != nil {
		return p
	}
	if specOf(op).files {
		return nil
	}
	if err := jsonbody.Check(text); err != nil {
		return problem("bad_request", err.Error(), Fault{Message: err.Error()})
	}
	return nil
}

// checkContentType sees that the body is of a type that the operation reads.
func checkContentType(op *huma.Operation, contentType string) *Problem {
	kind := "application/json"
	if contentType != "" {
		var err error
		if kind, _, err = mime.ParseMediaType(contentType); err != nil {
			return problem("unsupported_media_type", fmt.Sprintf("content type %q cannot be read", contentType))
		}
	}
	takes := mediaTypes(op)
	if !slices.Contains(takes, kind) {
		return problem("unsupported_media_type", fmt.Sprintf("content type is %s, want %s", kind, strings.Join(takes, " or ")))
	}
	return nil
}

func mediaTypes(op *huma.Operation) []string {
	all := slices.Clone(specOf(op).reads)
	for kind := range op.RequestBody.Content {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

const largeLimit = 5 << 20 // states and workflows

const batchLimit = 64 << 20
