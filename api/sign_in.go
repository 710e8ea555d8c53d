package api

import (
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"
)

// mountSignIn exchanges a one-time code for a token and redirects the browser to Studio. The
// token is in the fragment of the address, which browsers do not send and servers do not log;
// Studio removes it from the address at once.
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
