package api

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/stepgraph/stepgraph/access"
)

// maxAuditPath bounds what a request can make the audit trail grow by.
const maxAuditPath = 500

// An auditor writes the entries of requests.
type auditor struct {
	trail
	refusals refusalCounts
	actions  map[string]string // operation by method and route
	routes   chi.Routes        // all of them
}

// audits reports whether there is an audit trail.
func (t *auditor) audits() bool { return t.sink != nil || t.store != nil }

// audit writes the entry of a request that is about to be answered with a status. An error
// says that a change was made and its entry could not be written.
func (t *auditor) audit(r *http.Request, a *auditContext, status int) error {
	a.mu.Lock()
	first := !a.sent
	a.sent = true
	e, noted, dry := a.entry, a.noted, a.dry
	a.mu.Unlock()
	if !t.audits() || !first {
		return nil
	}
	e.Refused = status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
	e.Method, e.Status, e.Scope, e.Count = methodOf(r), status, access.ScopeOf(r.Method, routePath(r)), 1
	t.describeRoute(r, &e)
	signIn := strings.HasPrefix(e.Route, "/sign-in/")
	reads := e.Scope == access.Read || e.Scope == access.Admin && (e.Method == http.MethodGet || e.Method == http.MethodHead)
	if (reads || dry) && !e.Refused && !signIn && !noted {
		return nil
	}
	e.Path = r.URL.Path
	if signIn {
		e.Path = e.Route // the code is a secret until it is used
	}
	if len(e.Path) > maxAuditPath {
		e.Path = strings.ToValidUTF8(e.Path[:maxAuditPath], "") + "…"
	}
	e.ID, e.At, e.From, e.Took = newAuditID(), a.began.UTC().Truncate(time.Microsecond), addressOf(r), time.Since(a.began).Milliseconds()
	if e.Refused {
		if e.Count = t.refusals.count(e.Who+" "+e.From+" "+e.Scope+" "+e.Route, status); e.Count == 0 {
			return nil
		}
	}
	return t.write(r.Context(), e)
}

// newAuditID is an id that grows with time.
func newAuditID() string { return uuid.Must(uuid.NewV7()).String() }

// describeRoute adds what route and address say. A request that was refused before it was
// routed is matched here.
func (t *auditor) describeRoute(r *http.Request, e *AuditEntry) {
	c := chi.RouteContext(r.Context())
	if c == nil || c.RoutePattern() == "" || strings.HasSuffix(c.RoutePattern(), "/*") {
		if found := chi.NewRouteContext(); t.routes.Match(found, r.Method, routePath(r)) {
			c = found
		}
	}
	e.Route = "none"
	if c == nil {
		return
	}
	if pattern := c.RoutePattern(); pattern != "" {
		e.Route = pattern
	}
	if e.Action == "" {
		e.Action = t.actions[r.Method+" "+e.Route]
	}
	if e.Action == "" && e.Route != "none" {
		e.Action = r.Method + " " + e.Route
	}
	for _, of := range []struct {
		place *string
		names []string
	}{{&e.Workflow, []string{"workflow"}}, {&e.Session, []string{"session"}}, {&e.Subject, []string{"step", "path", "batch", "secret", "variable", "profile", "token"}}} {
		for _, name := range of.names {
			if value := c.URLParam(name); value != "" && *of.place == "" {
				*of.place = value
				if text, err := url.PathUnescape(value); err == nil {
					*of.place = text
				}
			}
		}
	}
}
