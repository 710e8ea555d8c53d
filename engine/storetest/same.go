package storetest

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// sameRecord compares two sessions: times to the millisecond, nothing and empty alike.
func (k *kit) sameRecord(what string, got, want store.SessionRecord) {
	k.Helper()
	names := []string{"created_at", "updated_at", "awaiting_since", "lease_until", "due_at"}
	gotTimes, wantTimes := recordTimes(&got), recordTimes(&want)
	for i, name := range names {
		k.sameTime(what+": "+name, *gotTimes[i], *wantTimes[i])
	}
	k.equal(what, plainRecord(got), plainRecord(want))
}

func recordTimes(r *store.SessionRecord) []*time.Time {
	return []*time.Time{&r.CreatedAt, &r.UpdatedAt, &r.AwaitingSince, &r.LeaseUntil, &r.DueAt}
}

// plainRecord is a session without times, its texts readable, its empty parts nil.
func plainRecord(r store.SessionRecord) any {
	for _, t := range recordTimes(&r) {
		*t = time.Time{}
	}
	texts := [3]string{string(r.State), string(r.Counters), string(r.Awaiting)}
	r.State, r.Counters, r.Awaiting = nil, nil, nil
	if len(r.Labels) == 0 {
		r.Labels = nil
	}
	return struct {
		Session store.SessionRecord
		Texts   [3]string
	}{r, texts}
}

// sameRequest compares two requests likewise.
func (k *kit) sameRequest(what string, got, want store.Request) {
	k.Helper()
	k.sameTime(what+": at", got.At, want.At)
	k.equal(what, plainRequest(got), plainRequest(want))
}

func plainRequest(r store.Request) any {
	body := string(r.Body)
	r.Body, r.At = nil, time.Time{}
	return struct {
		Request store.Request
		Body    string
	}{r, body}
}

// sameExecution compares two executions; lineage in any order.
func (k *kit) sameExecution(what string, got, want store.Execution) {
	k.Helper()
	k.sameTime(what+": started_at", got.StartedAt, want.StartedAt)
	k.sameTime(what+": finished_at", got.FinishedAt, want.FinishedAt)
	k.equal(what, plainExecution(got), plainExecution(want))
}

func plainExecution(e store.Execution) any {
	texts := [5]string{string(e.Input), string(e.Output), string(e.Error), string(e.Paths), string(e.Usage)}
	e.Input, e.Output, e.Error, e.Paths, e.Usage = nil, nil, nil, nil, nil
	lineage := [2][]string{lineageNames(e.Reads), lineageNames(e.Took)}
	e.Reads, e.Took = nil, nil
	e.StartedAt, e.FinishedAt = time.Time{}, time.Time{}
	return struct {
		Execution store.Execution
		Texts     [5]string
		Lineage   [2][]string
	}{e, texts, lineage}
}

func lineageNames(list []store.Lineage) []string {
	var out []string
	for _, l := range list {
		out = append(out, l.Execution+" "+l.Label)
	}
	slices.Sort(out)
	return out
}

// sameJSON compares what cannot be compared by type, since stores keep numbers
// differently: 1 and 1.0 are the same here.
func (k *kit) sameJSON(what string, got, want any) {
	k.Helper()
	k.equal(what, canonical(got), canonical(want))
}

func canonical(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
