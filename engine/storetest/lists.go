package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// since is a moment for awaiting_since, n seconds after a fixed one.
func since(n int) time.Time {
	return time.Date(2026, 1, 2, 3, 4, n, 123_000_000, time.UTC)
}

// asking lets a checkpoint leave questions open at steps.
func asking(at time.Time, steps ...string) func(*store.Checkpoint) {
	var parts []string
	for _, step := range steps {
		parts = append(parts, fmt.Sprintf(`{"step":%s,"visit":1,"ask":1,"kind":"question","since":%d}`, quote(step), at.UnixMilli()))
	}
	return func(c *store.Checkpoint) {
		c.Status, c.AwaitingSince = store.StatusAwaitingInput, at
		c.Awaiting = []byte("[" + strings.Join(parts, ",") + "]")
	}
}

func withStatus(status string) func(*store.Checkpoint) {
	return func(c *store.Checkpoint) { c.Status = status }
}

func withState(text string) func(*store.Checkpoint) {
	return func(c *store.Checkpoint) { c.State = []byte(text) }
}

// list returns the names of the sessions of a query, without the prefix.
func (k *kit) list(q store.SessionQuery) []string {
	k.Helper()
	rows, err := k.store.ListSessions(k.ctx, q)
	k.noError(err)
	names := []string{}
	for _, r := range rows {
		names = append(names, strings.TrimPrefix(r.ID, k.prefix+"-"))
	}
	return names
}

// lists wants a query to find exactly these names, in any order.
func (k *kit) lists(what string, q store.SessionQuery, want ...string) {
	k.Helper()
	got := k.list(q)
	slices.Sort(got)
	slices.Sort(want)
	k.equal(what, strings.Join(got, " "), strings.Join(want, " "))
}

func (k *kit) counts(q store.SessionQuery, by string, want map[string]int64) {
	k.Helper()
	got, err := k.store.CountSessions(k.ctx, q, by)
	k.noError(err)
	if len(got) == 0 && len(want) == 0 {
		return
	}
	k.equal("count by "+by, got, want)
}
