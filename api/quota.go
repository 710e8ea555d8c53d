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
)

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
