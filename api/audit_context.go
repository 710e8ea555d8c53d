package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// OperatorToken is who sends the token that the server was started with.
const OperatorToken = "operator"

// An auditContext is one request as the audit trail sees it. It is in the request's context: the outer
// handler creates it, checkToken names the caller, and audited adds what was changed.
//
// The entry is written when the handler answers, before the first byte of the answer leaves.
// A crash before that leaves an act that was not acknowledged; a crash after it loses nothing.
// Writing the entry in the transaction of the act would cover the first case too, but every
// method of every store would have to take an entry, and acts that end in several
// transactions (deleting a session, a batch) have no single one.
type auditContext struct {
	mu    sync.Mutex
	entry AuditEntry
	began time.Time
	noted bool // audited has described the act
	sent  bool // the entry is written, and the answer has begun
	dry   bool // it asked what an edit would do
}

type auditContextKey struct{}

func withAuditContext(r *http.Request) (*http.Request, *auditContext) {
	a := &auditContext{began: time.Now()}
	return r.WithContext(context.WithValue(r.Context(), auditContextKey{}, a)), a
}

func auditContextOf(ctx context.Context) *auditContext {
	a, _ := ctx.Value(auditContextKey{}).(*auditContext)
	return a
}

// setCaller says who sends a request.
func setCaller(r *http.Request, name string) {
	if a := auditContextOf(r.Context()); a != nil {
		a.mu.Lock()
		a.entry.Who = name
		a.mu.Unlock()
	}
}

// callerOf is who sends a request.
func callerOf(ctx context.Context) string {
	if a := auditContextOf(ctx); a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.entry.Who
	}
	return ""
}

// noteSetting describes the change of a profile, variable, secret or token.
func noteSetting(ctx context.Context, action, name string, before, after any) {
	do := auditContextOf(ctx)
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

// digest identifies a text without its content.
func digest(text []byte) map[string]any {
	sum := sha256.Sum256(text)
	return map[string]any{"bytes": len(text), "sha256": hex.EncodeToString(sum[:])}
}

// maxAuditValue bounds Before and After, in bytes; of a larger value its size and hash are kept.
const maxAuditValue = 4 << 10
