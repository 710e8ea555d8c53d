package main

import (
	"net/http"
	"sync/atomic"
)

// A gate is the HTTP server's handler. Until the store answers it says that the process
// is alive and not ready, and no more: whoever asks has shown no token, and what it waits for
// names hosts of the inside. From then on it is the API.
type gate struct {
	open atomic.Pointer[http.Handler]
}

// let makes the gate the API.
func (g *gate) let(h http.Handler) { g.open.Store(&h) }

// ServeHTTP answers.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := g.open.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/healthz" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("alive\n")) // whoever asked has gone
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(`{"type":"/problems/unavailable","title":"Not now","status":503,"detail":"starting; the log says what it waits for"}` + "\n"))
}
