package api

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is what /metrics shows, on a registry of its own.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	streams  prometheus.Gauge
	handler  http.Handler
}

func newMetrics(more []prometheus.Collector) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stepgraph_http_requests_total",
			Help: "HTTP requests answered, by method, route and status."}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "stepgraph_http_request_duration_seconds",
			Help:    "Time to answer an HTTP request, event streams and WebSockets excepted, ?wait= included.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}}, []string{"method", "route"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{Name: "stepgraph_http_event_streams", Help: "Event streams that are open."}),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.duration, m.streams, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(more...)
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// An observer counts and times the requests, and writes the audit trail.
type observer struct {
	log      *slog.Logger
	metrics  *metrics
	trail    trail
	refusals refusalCounts
	actions  map[string]string // operation by method and route
	routes   chi.Routes        // all of them
}

// observe counts and times what is answered.
func (o *observer) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &seenWriter{ResponseWriter: w}
		r, do := withAct(r)
		do.entry.From = addressOf(r)
		seen.before = func(status int) error { return o.audit(r, do, status) }
		defer func() {
			route := routeOf(r)
			o.metrics.requests.WithLabelValues(methodOf(r), route, strconv.Itoa(seen.statusOr200())).Inc()
			took := time.Since(began)
			if kind := seen.Header().Get("Content-Type"); kind != eventStream && kind != ndjson && seen.status != http.StatusSwitchingProtocols {
				o.metrics.duration.WithLabelValues(methodOf(r), route).Observe(took.Seconds())
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

// routeOf is the pattern that matched: a bounded set, unlike paths.
func routeOf(r *http.Request) string {
	if c := chi.RouteContext(r.Context()); c != nil {
		if pattern := c.RoutePattern(); pattern != "" {
			return pattern
		}
	}
	return "none"
}

// methodOf keeps invented methods out of the labels.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return r.Method
	}
	return "other"
}

// recoverPanics answers 500 for a fault of ours and keeps the server alive.
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
			if seen, ok := w.(*seenWriter); ok && seen.status != 0 {
				panic(http.ErrAbortHandler) // half an answer must not look whole
			}
			problem("internal", "").write(w)
		}()
		next.ServeHTTP(w, r)
	})
}

// seenWriter remembers the status that went out.
type seenWriter struct {
	http.ResponseWriter
	status int
	// before, if set, is called once, with the status that is about to go out. When it fails
	// for a success, the client is answered 503 instead.
	before func(status int) error
	failed bool // what the handler writes is dropped
}

func (w *seenWriter) WriteHeader(status int) {
	if w.failed {
		return
	}
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
		if w.before != nil {
			if err := w.before(status); err != nil && status < http.StatusBadRequest {
				w.fail()
				return
			}
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// fail answers that the change was made and is not recorded. The client sends the request again,
// with the same key, so that it is.
func (w *seenWriter) fail() {
	w.failed, w.status = true, http.StatusServiceUnavailable
	w.Header().Del("Content-Length")
	problem("unavailable", errAudit.Error()+"; ask again, with the same Idempotency-Key").write(w.ResponseWriter)
}

func (w *seenWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.failed {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (w *seenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *seenWriter) statusOr200() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
