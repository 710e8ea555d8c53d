package sqlite

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// auditTrail holds the log of who did what.
type auditTrail struct{ *db }

// RecordAudit writes entries.
func (s auditTrail) RecordAudit(ctx context.Context, entries []store.AuditEntry) error {
	texts := make([]string, len(entries))
	for i := range entries {
		text, err := json.Marshal(entries[i])
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}
	return s.writer.write(ctx, "record audit", func(t *tx) error {
		for i, e := range entries {
			if _, err := t.exec("audit_record", e.ID, e.At.UnixMicro(), e.Who, e.Action, e.Workflow, e.Session, e.Refused, texts[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// AuditEntries returns one page, newest first.
func (s auditTrail) AuditEntries(ctx context.Context, q store.AuditQuery) ([]store.AuditEntry, error) {
	f := &filter{}
	if q.Session != "" {
		f.add("session <> '' AND session = ?", q.Session)
	}
	if q.Workflow != "" {
		f.add("workflow <> '' AND workflow = ?", q.Workflow)
	}
	if q.Who != "" {
		f.add("who = ?", q.Who)
	}
	if q.Action != "" {
		f.add("action = ?", q.Action)
	}
	if q.Refused {
		f.add("refused")
	}
	if !q.Since.IsZero() {
		f.add("at >= ?", q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		f.add("at < ?", q.Until.UnixMicro())
	}
	if q.After.ID != "" {
		f.add("(at, id) < (?, ?)", q.After.At.UnixMicro(), q.After.ID)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	rows, err := s.reader.db.QueryContext(ctx, "SELECT at, entry FROM audit"+f.where()+"\nORDER BY at DESC, id DESC LIMIT ?", append(f.args, limit)...)
	page := []store.AuditEntry{}
	err = eachRow("audit", rows, err, func(row scanner) error {
		var at int64
		var text string
		if err := row.Scan(&at, &text); err != nil {
			return err
		}
		var e store.AuditEntry
		err := json.Unmarshal([]byte(text), &e)
		e.At = time.UnixMicro(at).UTC()
		page = append(page, e)
		return err
	})
	if err != nil {
		return nil, fault("read audit", err)
	}
	return page, nil
}

// ForgetAudit removes old entries.
func (s auditTrail) ForgetAudit(ctx context.Context, before time.Time, limit int) (int, error) {
	removed := int64(0)
	err := s.writer.write(ctx, "forget audit", func(t *tx) (err error) {
		removed, err = t.exec("audit_forget", before.UnixMicro(), limit)
		return err
	})
	return int(removed), err
}
