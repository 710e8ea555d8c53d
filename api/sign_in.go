package api

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"
)

// mountPeople mounts the sign-in of people. GET /sign-in tells Studio whether there is one, and
// whether the browser that asks is signed in.
func (g *gate) mountPeople(r chi.Router) {
	r.Get("/sign-in", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		there := g.o.People != nil
		_, _ = fmt.Fprintf(w, `{"oidc":%t,"signed_in":%t}`, there, there && g.o.People.Token(r) != nil)
	})
	if g.o.People == nil {
		return
	}
	r.Get("/sign-in/oidc", g.o.People.Start)
	r.Get("/sign-in/oidc/callback", g.o.People.Callback)
	r.Post("/sign-out", g.o.People.SignOut)
}

// mountSignIn exchanges a one-time code for a token and redirects the browser to Studio. The
// token is in the fragment of the address, which browsers do not send and servers do not log;
// Studio removes it from the address at once.
func (g *gate) mountSignIn(r chi.Router) {
	if g.o.SignIn == nil {
		return
	}
	r.Get("/sign-in/{code}", func(w http.ResponseWriter, r *http.Request) {
		token := g.o.SignIn(chi.URLParam(r, "code"))
		if token == "" {
			host := addressOf(r)
			g.wrong.delay(host)
			problem("unauthorized", "this link is used or invalid; stepgraph dev prints a new one in its terminal").write(w)
			return
		}
		w.Header().Set("Location", "../#token="+url.QueryEscape(token))
		w.WriteHeader(http.StatusSeeOther)
	})
}
