package main

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// A gate is the HTTP server's handler. Until the store answers, it only reports that the process is
// alive and not ready: requests have no token yet, and details would name internal hosts. Then it
// is the API.
type gate struct {
	handler  atomic.Pointer[http.Handler]
	draining atomic.Bool
}

// open makes the gate serve the API.
func (g *gate) open(h http.Handler) { g.handler.Store(&h) }

// drain makes /readyz report that the server is stopping. Other requests are served as before.
func (g *gate) drain() { g.draining.Store(true) }

// ServeHTTP answers.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.draining.Load() && r.URL.Path == "/readyz" {
		notNow(w, "stopping: send no further requests")
		return
	}
	if h := g.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/healthz" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("alive\n")) // the client is gone
		return
	}
	notNow(w, "starting; see the log")
}

func notNow(w http.ResponseWriter, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprintf(w, `{"type":"/problems/unavailable","title":"Temporarily unavailable","status":503,"detail":%q}`+"\n", detail)
}
