package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"
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

// checkHost refuses names a browser was led to by somebody else's DNS.
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
	return guard.Handler(next)
}

// checkToken runs before anything of the request is looked at.
func (s *server) checkToken(next http.Handler) http.Handler {
	if s.o.Token == "" {
		return next
	}
	want := sha256.Sum256([]byte(s.o.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(tokenOf(r)))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="stepgraph"`)
			if strings.Contains(r.Header.Get("Accept"), "text/html") {
				w.Header().Add("WWW-Authenticate", `Basic realm="stepgraph", charset="UTF-8"`)
			}
			problem("unauthorized", "").write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
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
