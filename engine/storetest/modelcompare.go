package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine/store"
)

// describe is a session as far as two stores with clocks of their own agree.
func (p *pair) describe(s store.Store, r store.SessionRecord) string {
	now, err := s.Now(p.ctx)
	if err != nil {
		return kindOf(err)
	}
	return fmt.Sprintf("\n%s: workflow %s, root %s, version %d, status %s, inbox %d, claims %d, transition %s, labels %v, state %s, counters %s, awaiting %s since %s, lease %s of %s alive %v, due %s",
		r.ID, r.Workflow, r.Root, r.Version, r.Status, r.Inbox, r.Claims, r.Transition, r.Labels, r.State, r.Counters, r.Awaiting,
		millis(r.AwaitingSince), r.Lease, r.LeaseOwner, r.LeaseUntil.After(now), when(r.DueAt, now))
}

// when is a time against a clock: all times of a sequence are far from it or just now.
func when(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "never"
	case t.After(now.Add(time.Minute)):
		return "later"
	}
	return "now or before"
}

func millis(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return fmt.Sprint(t.UnixMilli())
}

func (p *pair) describeClaimed(s store.Store, c *store.Claimed) string {
	if c == nil {
		return "\nnot claimed"
	}
	text := "\nclaimed" + p.describe(s, c.Session)
	for i := range c.Requests {
		text += describeRequest(&c.Requests[i])
	}
	return text
}

func describeRequest(r *store.Request) string {
	if r == nil {
		return "\nno request"
	}
	plain := *r
	plain.Body, plain.At = nil, time.Time{}
	return fmt.Sprintf("\nrequest %+v %s", plain, r.Body)
}

func sortedText(list []string) string {
	return fmt.Sprint(slices.Sorted(slices.Values(list)))
}

// sameSessions compares all sessions of the sequence.
func (p *pair) sameSessions() {
	p.Helper()
	p.same("sessions", func(s store.Store) string {
		list, err := s.SessionsByID(p.ctx, p.ids())
		slices.SortFunc(list, func(a, b store.SessionRecord) int { return strings.Compare(a.ID, b.ID) })
		text := kindOf(err)
		for _, r := range list {
			text += p.describe(s, r)
		}
		return text
	})
}

// sameHistory compares all that hangs on the sessions.
func (p *pair) sameHistory() {
	p.Helper()
	for _, id := range p.ids() {
		p.same("history of "+id, func(s store.Store) string { return p.history(s, id) })
	}
}

func (p *pair) history(s store.Store, id string) string {
	executions, e1 := s.Executions(p.ctx, id, store.HistoryQuery{Limit: 1000, Lineage: true})
	messages, e2 := s.Messages(p.ctx, id, store.HistoryQuery{Limit: 1000})
	requests, e3 := s.AllRequests(p.ctx, id, store.HistoryQuery{Limit: 1000})
	blobs, e4 := s.Blobs(p.ctx, id, []string{"h1", "h2", "copy"})
	results, e5 := s.Results(p.ctx, id, "loop", 1)
	children, e6 := s.Children(p.ctx, id)
	var text strings.Builder
	for _, err := range []error{e1, e2, e3, e4, e5, e6} {
		fmt.Fprint(&text, kindOf(err), " ")
	}
	for _, e := range executions {
		fmt.Fprintf(&text, "\n%+v %s %s", plainExecution(e), millis(e.StartedAt), millis(e.FinishedAt))
	}
	for i := range requests {
		text.WriteString(describeRequest(&requests[i]))
	}
	for _, r := range results {
		fmt.Fprintf(&text, "\nresult %d %s", r.Index, r.Output)
	}
	fmt.Fprintf(&text, "\nmessages %+v\nblobs %s\nchildren %v", nonNil(messages), blobs, nonNil(children))
	return text.String()
}

func nonNil[T any](list []T) []T { return append([]T{}, list...) }

// sameLists compares one list and its count, another in each sequence.
func (p *pair) sameLists() {
	p.Helper()
	w := p.prefix + "-w1"
	q := rapid.SampledFrom([]store.SessionQuery{
		{Workflow: w}, {Workflow: w, Status: []string{store.StatusPending}}, {Workflow: w, Step: "ask"}, {Workflow: w, Awaiting: true},
		{Workflow: w, Labels: map[string]string{"team": "blue"}}, {Workflow: w, Text: "edited"}, {Workflow: w, WaitingBefore: since(2)},
		{Root: p.prefix + "-a"}, {IDs: p.ids(), Workflow: w},
	}).Draw(p.T, "query")
	by := rapid.SampledFrom([]string{"status", "workflow", "workflow,status", "step"}).Draw(p.T, "by")
	p.same(fmt.Sprintf("list and count %+v by %s", q, by), func(s store.Store) string {
		rows, err := s.ListSessions(p.ctx, q)
		var ids []string
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		counts, err2 := s.CountSessions(p.ctx, q, by)
		return kindOf(err) + sortedText(ids) + kindOf(err2) + fmt.Sprint(counts)
	})
}
