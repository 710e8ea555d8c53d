package api

import (
	"net/http"

	"github.com/stepgraph/stepgraph/access"
)

// A gate decides which requests reach the routes: by host, origin, token, quota and the number
// of bodies that arrive slowly.
type gate struct {
	o      Options
	wrong  wrongTokens
	meters access.Meters
	slow   slowBodies
}

func (g *gate) findToken(text string) *access.Token {
	if g.o.Tokens == nil || text == "" {
		return nil
	}
	token, err := g.o.Tokens.Find(text)
	if err != nil {
		g.o.Log.Error("tokens cannot be read", "error", err)
	}
	return token
}

// delayWrongToken logs a wrong token and delays the answer by the number of wrong tokens of its address.
func (g *gate) delayWrongToken(r *http.Request) {
	host := addressOf(r)
	n := g.wrong.delay(host)
	if n == 1 || n%100 == 0 {
		g.o.Log.Warn("wrong token", "from", host, "within_a_minute", n, "method", r.Method, "path", r.URL.Path)
	}
}
