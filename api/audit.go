package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/access"
)

// An AuditEntry says that somebody has changed something, or was refused. Reads leave none,
// and bodies are not in it: they hold what people say, and values of secrets.
type AuditEntry struct {
	At     time.Time `json:"at"`
	Who    string    `json:"who"`  // name of the token; OperatorToken, "anonymous", or "" of a request that was refused
	From   string    `json:"from"` // address
	Method string    `json:"method"`
	Path   string    `json:"path"` // names session, workflow, step or secret
	Route  string    `json:"route"`
	Scope  string    `json:"scope"` // that the request needs
	Status int       `json:"status"`
	Took   int64     `json:"took_ms"`
}

// OperatorToken is who sends the token that the server was started with.
const OperatorToken = "operator"

// maxAuditPath bounds what a request can make the audit trail grow by.
const maxAuditPath = 500

type callerKey struct{}

// withCaller adds a variable for the name of the caller, which checkToken sets and the outer
// handler logs.
func withCaller(r *http.Request) (*http.Request, *string) {
	name := new(string)
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, name)), name
}

// setCaller says who sends a request.
func setCaller(r *http.Request, name string) {
	if place, ok := r.Context().Value(callerKey{}).(*string); ok {
		*place = name
	}
}

// audit records a request that changes something, and one that was refused.
func (s *server) audit(r *http.Request, who string, status int, began time.Time) {
	if s.o.Audit == nil {
		return
	}
	scope := access.ScopeOf(r.Method, r.URL.Path)
	refused := status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
	route := routeOf(r)
	signIn := strings.HasPrefix(route, "/sign-in/")
	if scope == access.Read && !refused && !signIn {
		return
	}
	path := r.URL.Path
	if signIn {
		path = route // the code is a secret until it is used
	}
	if len(path) > maxAuditPath {
		path = path[:maxAuditPath] + "…"
	}
	s.o.Audit(AuditEntry{At: began.UTC(), Who: who, From: addressOf(r), Method: methodOf(r), Path: path, Route: route,
		Scope: scope, Status: status, Took: time.Since(began).Milliseconds()})
}

// callerOf is who sends a request.
func callerOf(ctx context.Context) string {
	if place, ok := ctx.Value(callerKey{}).(*string); ok {
		return *place
	}
	return ""
}
