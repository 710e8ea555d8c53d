package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/stepgraph/stepgraph/access"
)

// OperatorToken is who sends the token that the server was started with.
const OperatorToken = "operator"

// maxAuditPath bounds what a request can make the audit trail grow by.
const maxAuditPath = 500

// An act is one request as the audit trail sees it. It is in the request's context: the outer
// handler creates it, checkToken names the caller, and audited adds what was changed.
//
// The entry is written when the handler answers, before the first byte of the answer leaves.
// A crash before that leaves an act that was not acknowledged; a crash after it loses nothing.
// Writing the entry in the transaction of the act would cover the first case too, but every
// method of every store would have to take an entry, and acts that end in several
// transactions (deleting a session, a batch) have no single one.
type act struct {
	mu    sync.Mutex
	entry AuditEntry
	began time.Time
	noted bool // audited has described the act
	sent  bool // the entry is written, and the answer has begun
	dry   bool // it asked what an edit would do
}

type actKey struct{}

func withAct(r *http.Request) (*http.Request, *act) {
	a := &act{began: time.Now()}
	return r.WithContext(context.WithValue(r.Context(), actKey{}, a)), a
}

func actOf(ctx context.Context) *act {
	a, _ := ctx.Value(actKey{}).(*act)
	return a
}

// setCaller says who sends a request.
func setCaller(r *http.Request, name string) {
	if a := actOf(r.Context()); a != nil {
		a.mu.Lock()
		a.entry.Who = name
		a.mu.Unlock()
	}
}

// callerOf is who sends a request.
func callerOf(ctx context.Context) string {
	if a := actOf(ctx); a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.entry.Who
	}
	return ""
}

// audits reports whether there is an audit trail.
func (o *observer) audits() bool { return o.trail.sink != nil || o.trail.store != nil }

// audit writes the entry of a request that is about to be answered with a status. An error
// says that a change was made and its entry could not be written.
func (o *observer) audit(r *http.Request, a *act, status int) error {
	a.mu.Lock()
	first := !a.sent
	a.sent = true
	e, noted, dry := a.entry, a.noted, a.dry
	a.mu.Unlock()
	if !o.audits() || !first {
		return nil
	}
	e.Refused = status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
	e.Method, e.Status, e.Scope, e.Count = methodOf(r), status, access.ScopeOf(r.Method, routePath(r)), 1
	o.describeRoute(r, &e)
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
		if e.Count = o.refusals.count(e.Who+" "+e.From+" "+e.Scope+" "+e.Route, status); e.Count == 0 {
			return nil
		}
	}
	return o.trail.write(r.Context(), e)
}

// newAuditID is an id that grows with time.
func newAuditID() string { return uuid.Must(uuid.NewV7()).String() }

// describeRoute adds what route and address say. A request that was refused before it was
// routed is matched here.
func (o *observer) describeRoute(r *http.Request, e *AuditEntry) {
	c := chi.RouteContext(r.Context())
	if c == nil || c.RoutePattern() == "" || strings.HasSuffix(c.RoutePattern(), "/*") {
		if found := chi.NewRouteContext(); o.routes.Match(found, r.Method, routePath(r)) {
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
		e.Action = o.actions[r.Method+" "+e.Route]
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

// refusalCounts bounds what refused requests write: of equal ones within a minute the 1st,
// 10th, 100th and so on leave an entry, with their number. Otherwise whoever has no token
// could make the store grow.
type refusalCounts struct {
	mu    sync.Mutex
	began time.Time
	of    map[string]int64
}

// count returns the number of a refusal if it is to be recorded, else 0.
func (c *refusalCounts) count(key string, status int) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.began) > time.Minute || len(c.of) > mostCounted {
		c.began, c.of = now, map[string]int64{}
	}
	key += " " + http.StatusText(status)
	c.of[key]++
	for n := int64(1); n <= c.of[key]; n *= 10 {
		if n == c.of[key] {
			return n
		}
	}
	return 0
}

// noteSetting describes the change of a profile, variable, secret or token.
func noteSetting(ctx context.Context, action, name string, before, after any) {
	do := actOf(ctx)
	if do == nil {
		return
	}
	do.mu.Lock()
	defer do.mu.Unlock()
	do.noted = true
	do.entry = AuditEntry{Who: do.entry.Who, Action: action, Subject: name, Before: auditValue(before), After: auditValue(after)}
}

func auditValue(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil || string(text) == "null" {
		return nil
	}
	if len(text) > maxAuditValue {
		text, _ = json.Marshal(digest(text))
	}
	return text
}

// digest names a text without telling it.
func digest(text []byte) map[string]any {
	sum := sha256.Sum256(text)
	return map[string]any{"bytes": len(text), "sha256": hex.EncodeToString(sum[:])}
}

// maxAuditValue bounds Before and After, in bytes; of a larger value its size and hash are kept.
const maxAuditValue = 4 << 10
