package api

import (
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"
)

// mountSignIn leads a browser that has a code to Studio with a token. The token stands in the
// fragment, which is sent to no server and written into no log; Studio takes it out of the
// address at once.
func (s *server) mountSignIn(r chi.Router) {
	if s.o.SignIn == nil {
		return
	}
	r.Get("/sign-in/{code}", func(w http.ResponseWriter, r *http.Request) {
		token := s.o.SignIn(chi.URLParam(r, "code"))
		if token == "" {
			host := addressOf(r)
			s.wrong.hold(host)
			problem("unauthorized", "this link has been used, or was never given; the terminal of stepgraph dev shows a new one").write(w)
			return
		}
		w.Header().Set("Location", "../#token="+url.QueryEscape(token))
		w.WriteHeader(http.StatusSeeOther)
	})
}
