package api

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
)

// tooManySlow is the error of reading a body when too many others are as slow.
func tooManySlow() *Problem {
	p := problem("quota_exceeded", "too many bodies of this token or address are slow to arrive")
	p.header.Set("Retry-After", "10")
	return p
}

type meterKey struct{}

// overQuota is the refusal of a request, with the time after which it may come again.
func overQuota(name, of string, wait time.Duration) *Problem {
	p := problem("quota_exceeded", fmt.Sprintf("token %s: %s", name, of))
	p.header.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
	return p
}

// metered counts a request of a token, and refuses what is beyond its quota. It returns the
// request with what the engine needs to count sessions.
func (g *gate) metered(r *http.Request, t *access.Token) (*http.Request, *Problem) {
	q := t.Quota.Or(g.o.Quota)
	if q == (access.Quota{}) {
		return r, nil
	}
	name := t.Name
	if name == anonymousName { // of whom there are many
		name += "@" + addressOf(r)
	}
	m := g.meters.Of(name, q)
	if wait := m.Request(); wait > 0 {
		return r, overQuota(t.Name, fmt.Sprintf("%g requests a second", q.Requests), wait)
	}
	if wait := m.Bytes(r.ContentLength); wait > 0 {
		return r, overQuota(t.Name, fmt.Sprintf("%d bytes an hour", q.Bytes), wait)
	}
	r = r.WithContext(context.WithValue(r.Context(), meterKey{}, m))
	if r.ContentLength < 0 && q.Bytes > 0 {
		r.Body = &meteredBody{r.Body, m, t.Name, q}
	}
	return r, nil
}

const anonymousName = "anonymous"

// A meteredBody counts a body that came without Content-Length.
type meteredBody struct {
	io.ReadCloser
	meter *access.Meter
	name  string
	quota access.Quota
}

func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if wait := b.meter.Bytes(int64(n)); wait > 0 {
		return 0, overQuota(b.name, fmt.Sprintf("%d bytes an hour", b.quota.Bytes), wait)
	}
	return n, err
}

// mayStart refuses a new session that is beyond the quota of its token, or for which the
// store is too large.
func (g guarded) mayStart(ctx context.Context) error {
	if err := g.room(); err != nil {
		return err
	}
	m, _ := ctx.Value(meterKey{}).(*access.Meter)
	if m == nil {
		return nil
	}
	if wait := m.Session(); wait > 0 {
		return overQuota(tokenFrom(ctx).Name, "sessions an hour", wait)
	}
	return nil
}

// Start starts a session within the quota.
func (g guarded) Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error) {
	if err := g.mayStart(ctx); err != nil {
		return nil, err
	}
	return g.Engine.Start(ctx, q)
}

// StartAndSubscribe starts a session within the quota.
func (g guarded) StartAndSubscribe(ctx context.Context, q engine.StartRequest) (*engine.Session, <-chan engine.Event, error) {
	if err := g.mayStart(ctx); err != nil {
		return nil, nil, err
	}
	return g.Engine.StartAndSubscribe(ctx, q)
}

// Fork makes a session within the quota.
func (g guarded) Fork(ctx context.Context, q engine.ForkRequest) (*engine.Session, error) {
	if err := g.mayStart(ctx); err != nil {
		return nil, err
	}
	return g.Engine.Fork(ctx, q)
}

// StartBatch stores a batch, whose items take room.
func (g guarded) StartBatch(ctx context.Context, q engine.BatchRequest) (*engine.Batch, bool, error) {
	if err := g.room(); err != nil {
		return nil, false, err
	}
	return g.Engine.StartBatch(ctx, q)
}
