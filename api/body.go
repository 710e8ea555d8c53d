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
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/stepgraph/stepgraph/internal/jsonbody"
)

// Limits of bodies, in bytes. Answers and inputs have limits of their own in the engine.
const (
	normalLimit = 1 << 20
	largeLimit  = 5 << 20 // states and workflows
	batchLimit  = 64 << 20
)

// bodyTimeout is how long a body may take to arrive.
const bodyTimeout = 30 * time.Second

// leftoverTimeout is how long the server waits for the rest of a body that will not be used.
const leftoverTimeout = time.Second

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
	if readsItself(c.Operation()) {
		if p := judgeKind(c.Operation(), r.Header.Get("Content-Type")); p != nil {
			p.write(w)
			return
		}
		r.Body = http.MaxBytesReader(w, &patientBody{r.Body, http.NewResponseController(w)}, limitOf(c.Operation()))
		next(c)
		return
	}
	text, err := readLimited(w, r, limitOf(c.Operation()))
	if err != nil {
		t.problemOf(c.Context(), err).write(w)
		return
	}
	if len(text) > 0 {
		if p := judge(c.Operation(), r.Header.Get("Content-Type"), text); p != nil {
			p.write(w)
			return
		}
	}
	r.Body = readBody{bytes.NewReader(text), text}
	next(c)
}

func readLimited(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	// The deadline has to be lifted again: it would end the request's context while the
	// handler still waits for a session.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // a writer without deadlines goes without
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		// The deadline stays: the server reads the rest of the body before it answers.
		_ = control.SetReadDeadline(time.Now().Add(leftoverTimeout))
		return nil, unreadable(err)
	}
	_ = control.SetReadDeadline(time.Time{})
	return text, nil
}

// unreadable is the problem of a body that did not arrive whole.
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

// A patientBody is a large body on its way: each part of it may take bodyTimeout.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read lifts the deadline when the body has come, as readLimited does.
func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTimeout)) // a writer without deadlines goes without
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

func judge(op *huma.Operation, contentType string, text []byte) *Problem {
	if p := judgeKind(op, contentType); p != nil {
		return p
	}
	if takesFiles(op) {
		return nil
	}
	if err := jsonbody.Check(text); err != nil {
		return problem("bad_request", err.Error(), Fault{Message: err.Error()})
	}
	return nil
}

// judgeKind sees that the body is of a type that the operation reads.
func judgeKind(op *huma.Operation, contentType string) *Problem {
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
	all := slices.Clone(otherKinds(op))
	for kind := range op.RequestBody.Content {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}
