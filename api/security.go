package api

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

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
func (s *server) checkHost(next http.Handler) http.Handler {
	if !s.o.Loopback {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.servesHost(r.Host) {
			problem("forbidden", "host "+r.Host+" is not served here; use localhost or 127.0.0.1").write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) servesHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || slices.Contains(s.o.Hosts, host) {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// checkOrigin refuses what a page of another origin makes a browser send.
func (s *server) checkOrigin(next http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		problem("forbidden", "the request comes from a page of another origin").write(w)
	}))
	return guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A safe method passes the guard, and here and there one starts something: a webhook.
		if site := r.Header.Get("Sec-Fetch-Site"); startsByGet(r) && (site == "cross-site" || site == "same-site") {
			problem("forbidden", "the request comes from a page of another origin").write(w)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

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

// checkToken runs before anything of the request is looked at. With neither Token nor
// Tokens everybody may do everything, which is for loopback.
func (s *server) checkToken(next http.Handler) http.Handler {
	if s.o.Token == "" && s.o.Tokens == nil && s.o.People == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			setCaller(r, cmp.Or(s.o.Caller, anonymousName))
			s.serveBody(next, w, r, anonymousName)
		})
	}
	want := sha256.Sum256([]byte(s.o.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := tokenOf(r)
		got := sha256.Sum256([]byte(text))
		if s.o.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			setCaller(r, OperatorToken)
			s.serveBody(next, w, r, OperatorToken)
			return
		}
		scope := access.ScopeOf(r.Method, routePath(r))
		find := func() *access.Token { return s.findToken(text) }
		if text == "" && s.o.People != nil {
			find = func() *access.Token { return s.o.People.Token(r) }
		}
		token, named := find(), true
		if token == nil && text == "" && len(s.o.Anonymous) > 0 {
			token, named = &access.Token{Name: anonymousName, Scopes: s.o.Anonymous}, false
			if !token.Allows(scope) {
				token = nil // 401: with a token it may go
			}
		}
		if token == nil {
			s.refuse(w, r, text != "")
			return
		}
		setCaller(r, token.Name)
		if !token.Allows(scope) {
			endBody(w)
			s.o.Log.Warn("token lacks a scope", "token", token.Name, "scope", scope, "method", r.Method, "path", r.URL.Path, "from", r.RemoteAddr)
			problem("forbidden", "token "+token.Name+" lacks the scope "+scope).write(w)
			return
		}
		refusal := refuseLimited(r, token)
		metered := r
		if refusal == nil {
			metered, refusal = s.metered(r, token)
		}
		if refusal != nil {
			endBody(w)
			refusal.write(w)
			return
		}
		metered = metered.WithContext(withToken(metered.Context(), token))
		if named {
			watched, stop := s.watchToken(metered, token, find)
			defer stop()
			metered = watched
		}
		s.serveBody(next, w, metered, token.Name)
	})
}

func (s *server) findToken(text string) *access.Token {
	if s.o.Tokens == nil || text == "" {
		return nil
	}
	token, err := s.o.Tokens.Find(text)
	if err != nil {
		s.o.Log.Error("tokens cannot be read", "error", err)
	}
	return token
}

// refuse answers a request without a right token. The body is not waited for: whoever has no
// token may not hold a connection. Wrong tokens are logged, and slowed down by address.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, wrong bool) {
	endBody(w)
	if wrong {
		s.slowWrong(r)
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="stepgraph"`)
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Add("WWW-Authenticate", `Basic realm="stepgraph", charset="UTF-8"`)
	}
	detail := "a token is needed: send the header Authorization: Bearer TOKEN"
	if wrong {
		detail = "the token is not known here, or has ended; send another one in the header Authorization: Bearer TOKEN"
	}
	problem("unauthorized", detail).write(w)
}

// endBody has the server not wait for the rest of a body before it answers.
func endBody(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now()) // a writer without deadlines goes without
	w.Header().Set("Connection", "close")
}

// slowWrong logs a wrong token, and holds its answer back as long as its address has earned.
func (s *server) slowWrong(r *http.Request) {
	host := addressOf(r)
	n := s.wrong.hold(host)
	if n == 1 || n%100 == 0 {
		s.o.Log.Warn("wrong token", "from", host, "within_a_minute", n, "method", r.Method, "path", r.URL.Path)
	}
}

// serveAs serves a request of a caller who has shown another token than one of this server's,
// as one that may start sessions and answer: within the quota of tokens without one of their
// own, and by name in the audit trail.
func (s *server) serveAs(next http.Handler, w http.ResponseWriter, r *http.Request, caller string) {
	setCaller(r, caller)
	token := &access.Token{Name: caller, Scopes: []string{access.Answer}}
	metered, refusal := s.metered(r, token)
	if refusal != nil {
		endBody(w)
		refusal.write(w)
		return
	}
	s.serveBody(next, w, metered.WithContext(withToken(metered.Context(), token)), caller)
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
