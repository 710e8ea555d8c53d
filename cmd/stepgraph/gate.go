package main

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// A gate is the HTTP server's handler. Until the store answers it says that the process
// is alive and not ready, and no more: whoever asks has shown no token, and what it waits for
// names hosts of the inside. From then on it is the API.
type gate struct {
	open     atomic.Pointer[http.Handler]
	draining atomic.Bool
}

// let makes the gate the API.
func (g *gate) let(h http.Handler) { g.open.Store(&h) }

// drain makes /readyz say that the server is about to stop. Everything else is answered as before.
func (g *gate) drain() { g.draining.Store(true) }

// ServeHTTP answers.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.draining.Load() && r.URL.Path == "/readyz" {
		notNow(w, "stopping: send no more requests here")
		return
	}
	if h := g.open.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/healthz" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("alive\n")) // whoever asked has gone
		return
	}
	notNow(w, "starting; the log says what it waits for")
}

func notNow(w http.ResponseWriter, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprintf(w, `{"type":"/problems/unavailable","title":"Not now","status":503,"detail":%q}`+"\n", detail)
}
