package sqlite

import (
	"database/sql"
	"encoding/json"
	"time"
	"unsafe"

	"github.com/stepgraph/stepgraph/engine/store"
)

// micros is a time as it is stored: UTC microseconds, NULL for the zero time.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// fromMicros is the time of a column, zero for NULL.
func fromMicros(v sql.NullInt64) time.Time {
	if !v.Valid {
		return time.Time{}
	}
	return time.UnixMicro(v.Int64).UTC()
}

// text is JSON or other text as it is stored, NULL for none. It is stored as TEXT, not as
// a blob, so that people can read it in any SQLite shell. The string is b itself: the driver copies it
// before a call returns, and b does not change until then.
func text(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// orNull is NULL for an empty text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// list encodes a list of texts as JSON, for json_each. nil becomes an empty list.
func list(texts []string) string {
	if len(texts) == 0 {
		return "[]"
	}
	b, err := json.Marshal(texts)
	if err != nil { // a []string always encodes
		panic("sqlite: " + err.Error())
	}
	return string(b)
}

// labels are a session's labels as stored, NULL for none.
func labels(m map[string]string) any {
	if len(m) == 0 {
		return nil
	}
	b, err := json.Marshal(m)
	if err != nil { // a map[string]string always encodes
		panic("sqlite: " + err.Error())
	}
	return string(b)
}

// scanSession reads a row with all columns of session in the order of its table.
func scanSession(row scanner, s *store.SessionRecord) error {
	var created, updated int64
	var since, until, due sql.NullInt64
	var marks []byte
	err := row.Scan(&s.ID, &s.Workflow, &s.Status, &s.Version, &created, &updated, &s.Awaiting, &since, &s.Root, &marks, &s.Inbox,
		&s.Lease, &s.LeaseOwner, &until, &due, &s.Transition, &s.Claims, &s.Counters, &s.State)
	if err != nil {
		return err
	}
	s.CreatedAt, s.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	s.AwaitingSince, s.LeaseUntil, s.DueAt = fromMicros(since), fromMicros(until), fromMicros(due)
	if len(marks) > 0 {
		return json.Unmarshal(marks, &s.Labels)
	}
	return nil
}

// scanRequest reads a row with all columns of request in the order of its table.
func scanRequest(row scanner, r *store.Request) error {
	var target sql.NullString
	var body []byte
	var at int64
	err := row.Scan(&r.Session, &r.N, &r.Key, &target, &r.Kind, &r.Step, &r.Visit, &r.Ask, &body, &r.BodyHash, &r.By, &at, &r.Applied, &r.Outcome)
	if err != nil {
		return err
	}
	r.ID, r.Target, r.Body, r.At = r.Session+"/"+r.Key, target.String, body, time.UnixMicro(at).UTC()
	return nil
}

// sessionScalars are the columns scanSession reads, with something else for the last.
const sessionScalars = `SELECT id, workflow, status, version, created_at, updated_at, awaiting, awaiting_since, root, labels, inbox,
  lease, lease_owner, lease_until, due_at, transition, claims, counters, `

// defaultPage is the number of rows of a page when the query sets none.
const defaultPage = 50
