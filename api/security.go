package api

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/access"
)

// securityHeaders are set on every answer; the page sets its own policy.
func securityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// checkHost refuses unknown Host names, to stop DNS rebinding: a foreign name that resolves to
// this server.
func (g *gate) checkHost(next http.Handler) http.Handler {
	if !g.o.Loopback {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.servesHost(r.Host) {
			problem("forbidden", "host "+r.Host+" is not served here; use localhost or 127.0.0.1").write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *gate) servesHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || slices.Contains(g.o.Hosts, host) {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// checkOrigin refuses what a page of another origin makes a browser send.
func (g *gate) checkOrigin(next http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		problem("forbidden", "the request comes from a page of another origin").write(w)
	}))
	return guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A safe method passes the guard, and here and there one starts something: a webhook.
		if site := r.Header.Get("Sec-Fetch-Site"); changesByGet(r) && (site == "cross-site" || site == "same-site") {
			problem("forbidden", "the request comes from a page of another origin").write(w)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// checkToken runs before anything of the request is looked at. With neither Token nor
// Tokens every request is allowed, which is for loopback.
func (g *gate) checkToken(next http.Handler) http.Handler {
	if g.o.Token == "" && g.o.Tokens == nil && g.o.People == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			setCaller(r, cmp.Or(g.o.Caller, anonymousName))
			g.slow.serve(next, w, r, anonymousName)
		})
	}
	want := sha256.Sum256([]byte(g.o.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := tokenOf(r)
		got := sha256.Sum256([]byte(text))
		if g.o.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			setCaller(r, OperatorToken)
			g.slow.serve(next, w, r, OperatorToken)
			return
		}
		scope := access.ScopeOf(r.Method, routePath(r))
		find := func() *access.Token { return g.findToken(text) }
		if text == "" && g.o.People != nil {
			find = func() *access.Token { return g.o.People.Token(r) }
		}
		token, named := find(), true
		if token == nil && text == "" && len(g.o.Anonymous) > 0 {
			token, named = &access.Token{Name: anonymousName, Scopes: g.o.Anonymous}, false
			if !token.Allows(scope) {
				token = nil // 401: with a token it may go
			}
		}
		if token == nil {
			g.refuse(w, r, text != "")
			return
		}
		setCaller(r, token.Name)
		if !token.Allows(scope) {
			endBody(w)
			g.o.Log.Warn("token lacks a scope", "token", token.Name, "scope", scope, "method", r.Method, "path", r.URL.Path, "from", r.RemoteAddr)
			problem("forbidden", "token "+token.Name+" lacks the scope "+scope).write(w)
			return
		}
		refusal := refuseLimited(r, token)
		metered := r
		if refusal == nil {
			metered, refusal = g.metered(r, token)
		}
		if refusal != nil {
			endBody(w)
			refusal.write(w)
			return
		}
		metered = metered.WithContext(withToken(metered.Context(), token))
		if named {
			watched, stop := g.watchToken(metered, token, find)
			defer stop()
			metered = watched
		}
		g.slow.serve(next, w, metered, token.Name)
	})
}

// refuse answers a request without a right token. The body is not read: a client without a
// token may not hold a connection. Wrong tokens are logged, and slowed down by address.
func (g *gate) refuse(w http.ResponseWriter, r *http.Request, wrong bool) {
	endBody(w)
	if wrong {
		g.delayWrongToken(r)
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="stepgraph"`)
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Add("WWW-Authenticate", `Basic realm="stepgraph", charset="UTF-8"`)
	}
	detail := "a token is required: send the header Authorization: Bearer TOKEN"
	if wrong {
		detail = "the token is unknown or has expired; send a valid one in the header Authorization: Bearer TOKEN"
	}
	problem("unauthorized", detail).write(w)
}

// serveAs serves a request of a caller who has shown another token than one of this server's,
// as one that may start sessions and answer: within the quota of tokens without one of their
// own, and by name in the audit trail.
func (g *gate) serveAs(next http.Handler, w http.ResponseWriter, r *http.Request, caller string) {
	setCaller(r, caller)
	token := &access.Token{Name: caller, Scopes: []string{access.Answer}}
	metered, refusal := g.metered(r, token)
	if refusal != nil {
		endBody(w)
		refusal.write(w)
		return
	}
	g.slow.serve(next, w, metered.WithContext(withToken(metered.Context(), token)), caller)
}
