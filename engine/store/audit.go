package store

import (
	"context"
	"encoding/json"
	"time"
)

// Audit records operations from outside and who made them. Entries are stored independently of
// workflows and sessions and are not removed with them: they also record removals.
type Audit interface {
	// RecordAudit writes entries in one transaction. An entry whose ID is there already stays
	// as it is, so that a write whose answer was lost can be sent again.
	RecordAudit(ctx context.Context, entries []AuditEntry) error
	// AuditEntries returns one page, newest first (by At, then ID, descending).
	AuditEntries(ctx context.Context, q AuditQuery) ([]AuditEntry, error)
	// ForgetAudit removes at most limit entries that are older than before, and returns how
	// many it removed: fewer than limit means that there are no more. The limit bounds the
	// transaction.
	ForgetAudit(ctx context.Context, before time.Time, limit int) (int, error)
}

// An AuditEntry is one operation from outside, or a refused one. It contains no values of
// secrets and no answers: those are stored with the session and removed with it.
type AuditEntry struct {
	ID       string          `json:"id,omitempty"`
	At       time.Time       `json:"at"`
	Who      string          `json:"who"`      // name of the token; "operator", "anonymous", or "" when the request was refused without a valid token
	From     string          `json:"from"`     // address
	Action   string          `json:"action"`   // such as startSession or putSecret; "" when no route matched
	Workflow string          `json:"workflow"` // acted on; "" for none
	Session  string          `json:"session"`
	Subject  string          `json:"subject"` // step, path, batch, or name of the profile, variable, secret or token
	Before   json.RawMessage `json:"before,omitempty"`
	After    json.RawMessage `json:"after,omitempty"`
	Refused  bool            `json:"refused"`
	Count    int64           `json:"count"` // of equal refusals within a minute that this entry is for; 1 otherwise
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Route    string          `json:"route"`
	Scope    string          `json:"scope"` // that the request needs
	Status   int             `json:"status"`
	Took     int64           `json:"took_ms"`
}

// An AuditQuery filters entries. Zero fields do not filter.
type AuditQuery struct {
	Who      string
	Action   string
	Workflow string
	Session  string
	Refused  bool      // only refused ones
	Since    time.Time // at or after
	Until    time.Time // before
	After    Cursor    // the last entry of the page before
	Limit    int       // 0 means 50
}
