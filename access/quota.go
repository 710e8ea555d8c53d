package access

import (
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Quota is how much a token may do; 0 is no bound. It counts in each server apart, and
// begins anew with the server.
type Quota struct {
	Requests float64 `json:"requests_per_second,omitempty"`
	Sessions int     `json:"sessions_per_hour,omitempty"` // started and forked
	Bytes    int64   `json:"bytes_per_hour,omitempty"`    // of request bodies
}

func (q Quota) check() error {
	if q.Requests < 0 || q.Sessions < 0 || q.Bytes < 0 || math.IsNaN(q.Requests) || math.IsInf(q.Requests, 0) {
		return fmt.Errorf("%w: a quota cannot be below 0", ErrInvalid)
	}
	return nil
}

// Or is the quota, and where it has no bound that of another.
func (q Quota) Or(other Quota) Quota {
	if q.Requests == 0 {
		q.Requests = other.Requests
	}
	if q.Sessions == 0 {
		q.Sessions = other.Sessions
	}
	if q.Bytes == 0 {
		q.Bytes = other.Bytes
	}
	return q
}

// Meters count what tokens do. The zero value is ready, and may be used by several goroutines.
type Meters struct {
	mu  sync.Mutex
	all map[string]*Meter // by name of token
}

// A Meter counts what one token does. Each bound is a bucket that fills steadily and holds
// what comes in a second, or an hour.
type Meter struct {
	quota                     Quota
	requests, sessions, bytes *rate.Limiter
}

// Of is the meter of a token. A changed quota begins a new one.
func (m *Meters) Of(name string, q Quota) *Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[string]*Meter{}
	}
	if have := m.all[name]; have != nil && have.quota == q {
		return have
	}
	hourly := func(n float64) *rate.Limiter { return rate.NewLimiter(rate.Limit(n/3600), int(min(n, math.MaxInt32))) }
	made := &Meter{q, rate.NewLimiter(rate.Limit(q.Requests), max(1, int(math.Ceil(q.Requests)))), hourly(float64(q.Sessions)), hourly(float64(q.Bytes))}
	m.all[name] = made
	return made
}

// Request counts a request. When it is too much, wait is when to come again, and nothing is
// counted.
func (m *Meter) Request() (wait time.Duration) { return take(m.requests, m.quota.Requests > 0, 1) }

// Session counts a session that is started.
func (m *Meter) Session() (wait time.Duration) { return take(m.sessions, m.quota.Sessions > 0, 1) }

// Bytes counts a body.
func (m *Meter) Bytes(n int64) (wait time.Duration) {
	return take(m.bytes, m.quota.Bytes > 0, int(min(n, math.MaxInt32)))
}

// take takes n of a bucket, or nothing. It must not reserve what it gives back: between the
// two, a smaller request at the same time would be refused for which there is room.
func take(l *rate.Limiter, bounded bool, n int) time.Duration {
	if !bounded || n <= 0 {
		return 0
	}
	now := time.Now()
	switch {
	case l.AllowN(now, n):
		return 0
	case n > l.Burst(): // more than the bucket ever holds
		return time.Hour
	}
	missing := max(float64(n)-l.TokensAt(now), 0)
	return max(time.Duration(missing/float64(l.Limit())*float64(time.Second)), time.Millisecond)
}
