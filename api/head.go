package api

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
)

// headAsGet answers HEAD as GET answers; net/http leaves the body away. A stream ends with
// its first byte. A GET that starts something is not for HEAD: link checkers send those.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && !strings.HasPrefix(r.URL.Path, "/api/compat/") && !changesByGet(r) {
			asked := *r // the server looks at the method of its own request
			asked.Method = http.MethodGet
			stream := strings.HasSuffix(r.URL.Path, "/events") || strings.HasSuffix(r.URL.Path, "/results")
			w, r = &headWriter{ResponseWriter: w, stream: stream}, &asked
		}
		next.ServeHTTP(w, r)
	})
}

var errHeadOnly = errors.New("HEAD has no body")

// A headWriter drops the body. It refuses that of a success, so that a stream ends.
type headWriter struct {
	http.ResponseWriter
	stream bool
	status int
}

// WriteHeader remembers the status.
func (w *headWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write refuses the body of a stream, which begins with its status.
func (w *headWriter) Write(b []byte) (int, error) {
	if w.stream && w.status == http.StatusOK {
		return 0, errHeadOnly
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *headWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// changesByGet reports whether a GET changes something: a flow of Flowise may begin by one.
func changesByGet(r *http.Request) bool {
	return strings.HasPrefix(routePath(r), "/api/v1/webhook/")
}

// routePath is the path by which the router finds the route: as it was sent, with its escapes,
// and without the prefix below which the handler is mounted. A rule that is given the decoded
// path sees other segments than the router: in workflows/a%2Faffected%2Fb/paths the id is one
// segment there and three here.
func routePath(r *http.Request) string {
	if c := chi.RouteContext(r.Context()); c != nil && c.RoutePath != "" {
		return c.RoutePath
	}
	if r.URL.RawPath != "" {
		return r.URL.RawPath
	}
	return r.URL.Path
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

// endBody has the server not wait for the rest of a body before it answers.
func endBody(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now()) // a writer without deadlines goes without
	w.Header().Set("Connection", "close")
}

// addressOf is where a request comes from, without port.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func tokenOf(r *http.Request) string {
	if key := r.Header.Get("X-API-KEY"); key != "" {
		return key
	}
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
