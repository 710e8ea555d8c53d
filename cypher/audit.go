package cypher

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// auditTrail holds the log of who did what.
type auditTrail struct{ *db }

// RecordAudit writes AUDIT nodes.
func (s auditTrail) RecordAudit(ctx context.Context, entries []store.AuditEntry) error {
	rows := make([]any, len(entries))
	for i, e := range entries {
		rows[i] = map[string]any{"id": e.ID, "properties": map[string]any{
			"at": stamp(e.At), "who": e.Who, "from": e.From, "action": e.Action, "workflow": optional(e.Workflow), "session": optional(e.Session),
			"subject": optional(e.Subject), "before": optional(string(e.Before)), "after": optional(string(e.After)), "refused": e.Refused, "count": e.Count,
			"method": e.Method, "path": e.Path, "route": e.Route, "scope": e.Scope, "status": int64(e.Status), "took_ms": e.Took,
		}}
	}
	_, err := s.write(ctx, queryAuditRecord, params{"rows": rows})
	return err
}

// AuditEntries returns one page, newest first.
func (s auditTrail) AuditEntries(ctx context.Context, q store.AuditQuery) ([]store.AuditEntry, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = 50
	}
	query := queryAuditPage
	if q.Session != "" {
		query = queryAuditOfSession
	}
	rows, err := s.show(ctx, query, params{"session": optional(q.Session), "workflow": optional(q.Workflow), "who": optional(q.Who), "action": optional(q.Action),
		"refused": q.Refused, "since": stamp(q.Since), "until": stamp(q.Until), "after_at": stamp(q.After.At), "after_id": q.After.ID, "limit": limit})
	page := make([]store.AuditEntry, len(rows))
	for i, r := range rows {
		p := r.properties("entry")
		text := func(name string) string { return asText(p[name]) }
		refused, _ := p["refused"].(bool)
		page[i] = store.AuditEntry{ID: text("id"), At: asTime(p["at"]), Who: text("who"), From: text("from"), Action: text("action"), Workflow: text("workflow"),
			Session: text("session"), Subject: text("subject"), Refused: refused, Count: asNumber(p["count"]), Method: text("method"), Path: text("path"),
			Route: text("route"), Scope: text("scope"), Status: int(asNumber(p["status"])), Took: asNumber(p["took_ms"])}
		if before := text("before"); before != "" {
			page[i].Before = json.RawMessage(before)
		}
		if after := text("after"); after != "" {
			page[i].After = json.RawMessage(after)
		}
	}
	return page, err
}

// ForgetAudit removes old AUDIT nodes.
func (s auditTrail) ForgetAudit(ctx context.Context, before time.Time, limit int) (int, error) {
	rows, err := s.write(ctx, queryAuditForget, params{"until": stamp(before), "limit": limit})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return int(rows[0].number("removed")), nil
}
