package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// A SessionPage is what a search has found. It may hold fewer sessions than were asked for, or none,
// although there are more: the search has looked for searchTime. It goes on at Next.
type SessionPage struct {
	Sessions []Session
	Next     *Cursor // After of the search that goes on; nil when no session is left
	Looked   int     // sessions looked at, where more than those found were
}

// A QuestionPage has the open questions of the sessions that a search has found.
type QuestionPage struct {
	Questions []Question
	Next      *Cursor
	Looked    int
}

// SessionCounts are counts of the sessions between After of the query and Next, or of all.
type SessionCounts struct {
	Counts map[string]int64
	Next   *Cursor // where the count goes on; nil when no session is left
	Looked int
}

// searchTime is how long a search looks before it says what it has found.
const searchTime = 60 * time.Millisecond

// A search reads firstScan sessions; after that it knows how long one takes.
const (
	firstScan = 50
	minScan   = 50
	maxScan   = 20_000
)

// Search returns a page of sessions, newest first, or what of it is found within searchTime. A
// text in the state or labels that many sessions have are looked for in one session after the other:
// to fill a page may take seconds among a million. Sessions waits for that, Search goes on where it
// stopped, so that a caller can show what there is, and stop.
func (v *views) Search(ctx context.Context, q SessionQuery) (*SessionPage, error) {
	want := pageSize(q.Limit)
	q.WithState = true
	page := &SessionPage{Sessions: []Session{}}
	var err error
	page.Looked, page.Next, err = v.search(ctx, q, "", func(q SessionQuery, w window) (*Cursor, error) {
		q.Limit = want + 1 - len(page.Sessions)
		records, err := v.store.ListSessions(ctx, q)
		if err != nil {
			return nil, err
		}
		w.sort(records)
		var full *Cursor
		if more := len(page.Sessions) + len(records) - want; more > 0 {
			records = records[:len(records)-more]
			full = w.end(records, q)
		}
		for i := range records {
			s, err := v.view(ctx, &records[i])
			if err != nil {
				return nil, err
			}
			page.Sessions = append(page.Sessions, *s)
		}
		return full, nil
	})
	return page, err
}

// A window is a part of the sessions of a query that a search looks at, in the order of the query.
type window struct {
	after Cursor // where it begins
	found []Cursor
}

// sort puts records into the order in which they were found. What a session is sorted by may have changed since.
func (w window) sort(records []store.SessionRecord) {
	rank := make(map[string]int, len(w.found))
	for i, c := range w.found {
		rank[c.ID] = i
	}
	sorting.Stable(records, func(a, b *store.SessionRecord) int { return cmp.Compare(rank[a.ID], rank[b.ID]) })
}

// end is where the page after these records begins.
func (w window) end(records []store.SessionRecord, q SessionQuery) *Cursor {
	if len(records) == 0 {
		return &w.after
	}
	last := records[len(records)-1]
	if i := slices.IndexFunc(w.found, func(c Cursor) bool { return c.ID == last.ID }); i >= 0 {
		return &w.found[i]
	}
	end := last.Cursor(q.OldestWaiting)
	return &end
}

// SearchAwaiting returns the open questions of the sessions of a query, the sessions that wait
// longest first, as far as Search finds them.
func (v *views) SearchAwaiting(ctx context.Context, q SessionQuery) (*QuestionPage, error) {
	q.Awaiting, q.OldestWaiting = true, true
	page, err := v.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	return &QuestionPage{Questions: questionsOf(page.Sessions), Next: page.Next, Looked: page.Looked}, nil
}

// SearchCount counts by status, workflow, "workflow,status" or step what is found within
// searchTime, the newest sessions first. The sum of all counts until Next is nil counts each
// session once that was there all the time.
func (v *views) SearchCount(ctx context.Context, q SessionQuery, by string) (*SessionCounts, error) {
	by, err := countedBy(by)
	if err != nil {
		return nil, err
	}
	out := &SessionCounts{Counts: map[string]int64{}}
	q.Awaiting, q.OldestWaiting = q.Awaiting || by == "step", false
	out.Looked, out.Next, err = v.search(ctx, q, by, func(q SessionQuery, _ window) (*Cursor, error) {
		counts, err := v.store.CountSessions(ctx, q, by)
		for name, n := range counts {
			out.Counts[name] += n
		}
		return nil, err
	})
	return out, err
}

// search asks for a query in windows of sessions, as many as fit into searchTime. look is
// called with the query for each window, or once, with an empty window, where the store answers the
// whole query at once. It returns where it stopped, if it did.
func (v *views) search(ctx context.Context, q SessionQuery, count string, look func(SessionQuery, window) (*Cursor, error)) (looked int, next *Cursor, err error) {
	began := time.Now()
	for q.Limit = firstScan; ; {
		start := time.Now()
		found, whole, err := v.store.Candidates(ctx, q, count)
		if err == nil && whole {
			next, err = look(q, window{})
			return looked, next, err
		}
		if err != nil || len(found) == 0 {
			return looked, nil, err
		}
		in := q
		in.IDs, in.After = idsOf(found), Cursor{}
		stopped, err := look(in, window{q.After, found})
		if err != nil {
			return looked, nil, err
		}
		if stopped != nil {
			return looked + 1 + slices.Index(found, *stopped), stopped, nil
		}
		looked += len(found)
		if len(found) < q.Limit {
			return looked, nil, nil
		}
		q.After = found[len(found)-1]
		took, left := max(time.Since(start), time.Microsecond), v.searchTime-time.Since(began)
		if left < took/2 {
			return looked, &q.After, nil
		}
		q.Limit = max(minScan, min(int(float64(q.Limit)*float64(left)/float64(2*took)), 4*q.Limit, maxScan))
	}
}

func idsOf(found []Cursor) []string {
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	return ids
}
