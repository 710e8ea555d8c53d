package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A pair plays each call on two stores.
type pair struct {
	*rapid.T
	ctx            context.Context
	subject, model store.Store
	prefix         string
	serial         int                // of names that must be new
	last           []store.Checkpoint // the batch sent last
}

// same plays one call on both stores and compares what comes out, as text.
func (p *pair) same(what string, call func(s store.Store) string) {
	p.Helper()
	want := call(p.model)
	if got := call(p.subject); got != want {
		p.Fatalf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// id is one of the few names of sessions, so that calls meet.
func (p *pair) id(label string) string {
	return p.prefix + rapid.SampledFrom([]string{"-a", "-b", "-c", "-a/1"}).Draw(p.T, label)
}

func (p *pair) ids() []string {
	return []string{p.prefix + "-a", p.prefix + "-b", p.prefix + "-c", p.prefix + "-a/1"}
}

// distinct draws between one and n different sessions.
func (p *pair) distinct(n int) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(p.ids()), 1, n, rapid.ID[string]).Draw(p.T, "sessions")
}

// fresh is a text never used before.
func (p *pair) fresh() string {
	p.serial++
	return fmt.Sprintf("%s-x%d", p.prefix, p.serial)
}

// chance is true once in n times.
func (p *pair) chance(n int, label string) bool {
	return rapid.IntRange(1, n).Draw(p.T, label) == n
}

// leaseFor is a lease that outlives the sequence, or sometimes one that is over already:
// neither needs a clock to be waited for.
func (p *pair) leaseFor() time.Duration {
	if p.chance(4, "expired") {
		return -10 * time.Minute
	}
	return long
}

// maybeLease is a lease, or none.
func (p *pair) maybeLease() *store.Lease {
	if !p.chance(2, "with claim") {
		return nil
	}
	return &store.Lease{Token: p.fresh(), Owner: "model", For: p.leaseFor()}
}

// record is a session as the model has it, nil when it is not there.
func (p *pair) record(id string) *store.SessionRecord {
	r, err := p.model.Session(p.ctx, id)
	if err != nil {
		return nil
	}
	return r
}

// kinds are the errors the contract names.
var kinds = []error{
	store.ErrSessionNotFound, store.ErrSessionExists, store.ErrSessionBusy, store.ErrKeyReused, store.ErrAlreadyAnswered,
	store.ErrVersionMismatch, store.ErrWorkflowNotFound, store.ErrStepNotFound, store.ErrPathNotFound, store.ErrBadRequest,
	store.ErrNoOpenQuestion, store.ErrUnavailable, store.ErrUnknownOutcome,
}

// kindOf is an error as far as the contract says which it is.
func kindOf(err error) string {
	if err == nil {
		return "ok"
	}
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "another fault"
}
