package api

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/vault"
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
		return problem("unavailable", ErrStopping.Error()+"; repeat the request with the same Idempotency-Key")
	}
	if errors.Is(err, access.ErrEnded) || errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), access.ErrEnded) {
		return problem("unauthorized", access.ErrEnded.Error()+" during the request; it may have been carried out")
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
	var missing *vault.NotFoundError
	if errors.As(err, &missing) {
		p.Exists = missing.Exists[:min(len(missing.Exists), maxExists)]
		return p
	}
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
