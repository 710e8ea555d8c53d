package retention

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A Store is what a Remover asks of a store.
type Store interface {
	store.Retention
	Now(ctx context.Context) (time.Time, error)
	Descendants(ctx context.Context, q store.DescendantQuery) ([]store.SessionRecord, error)
}

// A Remover finds and removes the sessions of one store that may go.
type Remover struct{ Store Store }

// A Query asks for a page of sessions that may go.
type Query struct {
	Keep     Keep
	Workflow string            // only of this one
	Labels   map[string]string // only with all of these
	After    string            // Page.Next of the page before
	Limit    int               // sessions looked at; 0 and at most 500
	// Owner, if set, takes the duty of pruning for this caller, so that no other engine removes
	// the sessions that the caller is about to archive.
	Owner string
}

// A Family is a session that may go, with all its child sessions.
type Family struct {
	Session  string              `json:"session"` // the topmost one
	Workflow string              `json:"workflow"`
	Status   string              `json:"status"`
	EndedAt  time.Time           `json:"ended_at"`
	Marks    []store.SessionMark `json:"marks"` // of all sessions, each before its parent
	Outcome  store.Removal       `json:"outcome,omitempty"`
}

// A Page is what a Query found.
type Page struct {
	Families []Family       `json:"families"`
	Looked   int            `json:"looked"`           // sessions that were read
	Spared   map[string]int `json:"spared,omitempty"` // sessions that are old enough and stay, by reason
	Next     string         `json:"next,omitempty"`   // "" when no session behind this page is old enough
}

// Reasons why a session that is old enough stays.
const (
	SparedLive    = "live"     // it, or a child session, goes on or may go on by itself
	SparedChanged = "changed"  // it was taken up while it was to be removed
	SparedBatch   = "in_batch" // a batch at work has to do with it
)

// Bounds of one page, and how long the duty of pruning outlives its owner.
const (
	pageRows  = 500
	familyRow = 500
	dutyFor   = 30 * time.Second
)

// Duty is the name of the duty of removing sessions.
const Duty = "prune"

// Take takes the duty of removing sessions, or extends it; store.ErrDutyTaken.
func (r *Remover) Take(ctx context.Context, owner string) error {
	has, err := r.Store.TakeDuty(ctx, Duty, owner, dutyFor)
	if err == nil && !has {
		err = fmt.Errorf("%w: sessions are being removed; try again later", store.ErrDutyTaken)
	}
	return err
}

// GiveBack ends the duty of removing sessions.
func (r *Remover) GiveBack(ctx context.Context, owner string) error {
	_, err := r.Store.TakeDuty(ctx, Duty, owner, 0)
	return err
}

// FindEnded reads one page of sessions, oldest first, and returns those that may go.
func (r *Remover) FindEnded(ctx context.Context, q Query) (*Page, error) {
	page := &Page{Families: []Family{}, Spared: map[string]int{}}
	shortest, any := q.Keep.Shortest()
	if !any {
		return page, nil
	}
	if q.Owner != "" {
		if err := r.Take(ctx, q.Owner); err != nil {
			return nil, err
		}
	}
	if q.Limit <= 0 || q.Limit > pageRows {
		q.Limit = pageRows
	}
	after, err := parseCursor(q.After)
	if err != nil {
		return nil, err
	}
	now, err := r.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := r.Store.OldestSessions(ctx, after, q.Limit)
	if err != nil {
		return nil, err
	}
	var old []*store.SessionRecord
	var ids []string
	for i := range rows {
		rec := &rows[i]
		if now.Sub(rec.CreatedAt) < shortest {
			rows = nil // and so are all behind it
			break
		}
		page.Looked++
		if q.fits(now, rec) {
			old, ids = append(old, rec), append(ids, rec.ID)
		}
	}
	parents, err := r.parents(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, rec := range old {
		if err := r.consider(ctx, rec, parents[rec.ID], page); err != nil {
			return nil, err
		}
	}
	if len(rows) == q.Limit {
		page.Next = cursorText(store.Cursor{At: rows[len(rows)-1].CreatedAt, ID: rows[len(rows)-1].ID})
	}
	return page, nil
}

// fits reports whether a session is the topmost one of a family that the query is about, and old enough.
func (q *Query) fits(now time.Time, rec *store.SessionRecord) bool {
	if rec.Root != "" && rec.Root != rec.ID || q.Workflow != "" && rec.Workflow != q.Workflow || !hasLabels(rec, q.Labels) {
		return false
	}
	age, ends := q.Keep.Age(rec.Workflow, rec.Status)
	return ends && now.Sub(rec.UpdatedAt) >= age
}

// parents are those of the sessions that have child sessions. One read serves a page, since most
// sessions have none.
func (r *Remover) parents(ctx context.Context, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := r.Store.Parents(ctx, ids)
	parents := map[string]bool{}
	for _, id := range list {
		parents[id] = true
	}
	return parents, err
}

// consider adds the family of a session to the page if it may go.
func (r *Remover) consider(ctx context.Context, rec *store.SessionRecord, parent bool, page *Page) error {
	f := Family{Session: rec.ID, Workflow: rec.Workflow, Status: rec.Status, EndedAt: rec.UpdatedAt}
	over := idle(rec)
	for after := (store.Cursor{}); over && parent; {
		below, err := r.Store.Descendants(ctx, store.DescendantQuery{Of: rec.ID, After: after, Limit: familyRow})
		if err != nil {
			return err
		}
		for i := range below {
			over = over && idle(&below[i])
			f.Marks = append(f.Marks, below[i].Mark())
		}
		if len(below) < familyRow {
			break
		}
		after = store.Cursor{ID: below[len(below)-1].ID}
	}
	if !over {
		page.Spared[SparedLive]++
		return nil
	}
	slices.Reverse(f.Marks) // ids of children begin with that of their parent
	f.Marks = append(f.Marks, rec.Mark())
	page.Families = append(page.Families, f)
	return nil
}

// idle reports whether a session has ended, is not leased and is not due.
func idle(rec *store.SessionRecord) bool {
	return slices.Contains(Ended, rec.Status) && rec.DueAt.IsZero() && rec.Lease == ""
}

func hasLabels(rec *store.SessionRecord, labels map[string]string) bool {
	for name, value := range labels {
		if got, ok := rec.Labels[name]; !ok || got != value {
			return false
		}
	}
	return true
}

// RemoveEnded removes families that FindEnded has found and sets their outcomes. Removed means
// that the whole family is removed.
func (r *Remover) RemoveEnded(ctx context.Context, owner string, families []Family) error {
	for len(families) > 0 {
		if owner != "" {
			if err := r.Take(ctx, owner); err != nil {
				return err
			}
		}
		n, err := r.removeSome(ctx, families)
		if err != nil {
			return fmt.Errorf("remove sessions from %s on: %w", families[0].Session, err)
		}
		families = families[n:]
	}
	return nil
}

// together is how many families share one transaction, and one write to the archive with its fsync.
const together = 100

// removeSome calls the store once and returns how many families have their outcome.
func (r *Remover) removeSome(ctx context.Context, families []Family) (int, error) {
	marks := make([][]store.SessionMark, min(len(families), together))
	for i := range marks {
		marks[i] = families[i].Marks
		if len(marks[i]) == 0 {
			return 0, fmt.Errorf("%w: a family without marks", store.ErrBadRequest)
		}
	}
	outcomes, err := r.Store.RemoveFamilies(ctx, marks)
	if err != nil {
		return 0, err
	}
	for i, outcome := range outcomes {
		if outcome == "" || outcome == store.Partly {
			return i, nil
		}
		families[i].Outcome = outcome
	}
	return len(outcomes), nil
}

// countSpared notes what became of families.
func (p *Page) countSpared() {
	for i := range p.Families {
		switch p.Families[i].Outcome {
		case store.Changed:
			p.Spared[SparedChanged]++
		case store.InBatch:
			p.Spared[SparedBatch]++
		}
	}
}

func cursorText(c store.Cursor) string {
	b, _ := json.Marshal([]string{c.At.Format(time.RFC3339Nano), c.ID})
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseCursor(text string) (c store.Cursor, err error) {
	if text == "" {
		return c, nil
	}
	var parts [2]string
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, &parts)
	}
	if err == nil {
		c.ID = parts[1]
		c.At, err = time.Parse(time.RFC3339Nano, parts[0])
	}
	if err != nil {
		return c, fmt.Errorf("%w: after is none of our cursors", store.ErrBadRequest)
	}
	return c, nil
}
