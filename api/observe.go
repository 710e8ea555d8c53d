package api

import (
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/api/internal/exposition"
	"github.com/stepgraph/stepgraph/engine/store"
)

// metrics is what /metrics shows.
type metrics struct {
	requests *exposition.Counters
	duration *exposition.Histograms
	streams  atomic.Int64
	engine   Engine
	more     []func(io.Writer)
}

func newMetrics(e Engine, more []func(io.Writer)) *metrics {
	return &metrics{
		requests: exposition.NewCounters("stepgraph_http_requests_total", "HTTP requests answered, by method, route and status.", "method", "route", "status"),
		duration: exposition.NewHistograms("stepgraph_http_request_duration_seconds",
			"Time to answer an HTTP request, event streams and WebSockets excepted, ?wait= included.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}, "method", "route"),
		engine: e, more: more,
	}
}

func (m *metrics) show(w http.ResponseWriter, _ *http.Request) {
	t := &exposition.Text{}
	exposition.Go(t)
	exposition.Process(t)
	m.requests.Write(t)
	m.duration.Write(t)
	t.Family("stepgraph_http_event_streams", exposition.Gauge, "Event streams that are open.")
	t.Sample(float64(m.streams.Load()))
	writeLoad(t, m.engine.Load())
	if several, ok := m.engine.Store().(store.Divided); ok {
		writeDatabases(t, several.DatabaseUse())
	}
	w.Header().Set("Content-Type", exposition.ContentType)
	_, _ = w.Write(t.Bytes()) // the client is gone: there is no one to report to
	for _, write := range m.more {
		write(w)
	}
}

// An observer counts and times the requests, and writes the audit trail.
type observer struct {
	log     *slog.Logger
	metrics *metrics
	auditor *auditor
}

// observe counts and times what is answered.
func (o *observer) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w}
		r, do := withAuditContext(r)
		do.entry.From = addressOf(r)
		seen.before = func(status int) error { return o.auditor.audit(r, do, status) }
		defer func() {
			route := routeOf(r)
			o.metrics.requests.Inc(methodOf(r), route, strconv.Itoa(seen.statusOr200()))
			took := time.Since(began)
			if kind := seen.Header().Get("Content-Type"); kind != eventStream && kind != ndjson && seen.status != http.StatusSwitchingProtocols {
				o.metrics.duration.Observe(took.Seconds(), methodOf(r), route)
			}
			o.log.DebugContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path,
				"status", seen.statusOr200(), "took", took)
		}()
		next.ServeHTTP(seen, r)
		if seen.status == 0 {
			seen.WriteHeader(http.StatusOK)
		}
	})
}

// recoverPanics answers 500 for a panic of a handler and keeps the server running.
func (o *observer) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			fault := recover()
			if fault == nil {
				return
			}
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
			o.log.ErrorContext(r.Context(), "panic", "method", r.Method, "path", r.URL.Path, "panic", fault, "stack", string(debug.Stack()))
			if seen, ok := w.(*statusWriter); ok && seen.status != 0 {
				panic(http.ErrAbortHandler) // half an answer must not look complete
			}
			problem("internal", "").write(w)
		}()
		next.ServeHTTP(w, r)
	})
}
