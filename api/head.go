package api

import (
	"net/http"
	"strings"
)

// headAsGet answers HEAD as GET answers; net/http leaves the body away. A stream has no end
// to wait for, so HEAD of one is refused as before.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && !strings.HasSuffix(r.URL.Path, "/events") && !strings.HasPrefix(r.URL.Path, "/api/compat/") {
			asked := *r // the server looks at the method of its own request
			asked.Method = http.MethodGet
			r = &asked
		}
		next.ServeHTTP(w, r)
	})
}
