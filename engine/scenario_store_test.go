package engine_test

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// A hooked store calls around for each call an engine makes, which makes the call itself
// by calling do, or does not.
type hooked struct {
	engine.Store
	around func(op string, do func() error) error
}

var errDead = errors.New("the process that made this call has died")

func (h *hooked) Commit(ctx context.Context, rows []engine.Checkpoint) (out []engine.CommitResult, err error) {
	err = h.around("Commit", func() (err error) { out, err = h.Store.Commit(ctx, rows); return })
	return out, err
}

func (h *hooked) Deliver(ctx context.Context, rows []engine.Delivery) (out []engine.Delivered, err error) {
	err = h.around("Deliver", func() (err error) { out, err = h.Store.Deliver(ctx, rows); return })
	return out, err
}

func (h *hooked) Create(ctx context.Context, rows []engine.NewSession) (out []engine.Created, err error) {
	err = h.around("Create", func() (err error) { out, err = h.Store.Create(ctx, rows); return })
	return out, err
}

func (h *hooked) Claim(ctx context.Context, o engine.ClaimOptions) (out []engine.Claimed, err error) {
	err = h.around("Claim", func() (err error) { out, err = h.Store.Claim(ctx, o); return })
	return out, err
}

func (h *hooked) ClaimByID(ctx context.Context, ids []string, o engine.ClaimOptions) (out []engine.Claimed, err error) {
	err = h.around("ClaimByID", func() (err error) { out, err = h.Store.ClaimByID(ctx, ids, o); return })
	return out, err
}

func (h *hooked) Extend(ctx context.Context, leases []engine.LeaseRef, by time.Duration) (out []string, err error) {
	err = h.around("Extend", func() (err error) { out, err = h.Store.Extend(ctx, leases, by); return })
	return out, err
}

func (h *hooked) Release(ctx context.Context, leases []engine.LeaseRef) error {
	return h.around("Release", func() error { return h.Store.Release(ctx, leases) })
}

func (h *hooked) Requests(ctx context.Context, after []engine.InboxAfter) (out map[string][]engine.Request, err error) {
	err = h.around("Requests", func() (err error) { out, err = h.Store.Requests(ctx, after); return })
	return out, err
}

func (h *hooked) Inboxes(ctx context.Context, ids []string) (out map[string]engine.InboxState, err error) {
	err = h.around("Inboxes", func() (err error) { out, err = h.Store.Inboxes(ctx, ids); return })
	return out, err
}

func (h *hooked) Session(ctx context.Context, id string) (out *engine.SessionRecord, err error) {
	err = h.around("Session", func() (err error) { out, err = h.Store.Session(ctx, id); return })
	return out, err
}

func (h *hooked) Workflows(ctx context.Context, ids []string, entries map[string][]string) (out []*engine.Workflow, err error) {
	err = h.around("Workflows", func() (err error) { out, err = h.Store.Workflows(ctx, ids, entries); return })
	return out, err
}

func (h *hooked) SaveDefinitions(ctx context.Context, definitions []engine.StoredDefinition) error {
	return h.around("SaveDefinitions", func() error { return h.Store.SaveDefinitions(ctx, definitions) })
}

func (h *hooked) Blobs(ctx context.Context, session string, hashes []string) (out map[string][]byte, err error) {
	err = h.around("Blobs", func() (err error) { out, err = h.Store.Blobs(ctx, session, hashes); return })
	return out, err
}

func (h *hooked) WakePending(ctx context.Context, workflow string) (out int, err error) {
	err = h.around("WakePending", func() (err error) { out, err = h.Store.WakePending(ctx, workflow); return })
	return out, err
}
