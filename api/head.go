package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// headAsGet answers HEAD as GET answers; net/http leaves the body away. A stream ends with
// its first byte. A GET that starts something is not for HEAD: link checkers send those.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && !strings.HasPrefix(r.URL.Path, "/api/compat/") && !startsByGet(r) {
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

// startsByGet reports whether a GET changes something: a flow of Flowise may begin by one.
func startsByGet(r *http.Request) bool {
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
