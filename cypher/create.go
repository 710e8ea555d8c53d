package cypher

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Create creates sessions, each on its own. Two that share an id or a key are handled one
// after another, in the order given.
func (s sessions) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	results := make([]store.Created, len(sessions))
	creation := rand.Text()
	for _, group := range apart(len(sessions), func(i int) []string {
		return []string{"id " + sessions[i].ID, startKey(sessions[i].Key)}
	}) {
		if err := s.createGroup(ctx, sessions, group, creation, results); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func startKey(key string) string {
	if key == "" {
		return ""
	}
	return "key " + key
}

// apart splits 0…n-1 into groups, in order, such that no two of one group share a name.
// Empty names are not shared.
func apart(n int, names func(int) []string) [][]int {
	var groups [][]int
	next := map[string]int{} // the first group that is free of a name
	for i := range n {
		at := 0
		for _, name := range names(i) {
			if name != "" {
				at = max(at, next[name])
			}
		}
		for _, name := range names(i) {
			next[name] = at + 1
		}
		if at == len(groups) {
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

func (s sessions) createGroup(ctx context.Context, sessions []store.NewSession, group []int, creation string, results []store.Created) error {
	rows := make([]any, len(group))
	for k, i := range group {
		rows[k] = creationRow(&sessions[i], creation+"/"+strconv.Itoa(i))
	}
	answer, err := s.create(ctx, rows)
	switch {
	case err == nil:
	case isPassing(err):
		return err
	case len(group) == 1:
		results[group[0]].Err = err
		return nil
	default: // one of them spoils it for all: each alone, then
		for _, i := range group {
			if err := s.createGroup(ctx, sessions, []int{i}, creation, results); err != nil {
				return err
			}
		}
		return nil
	}
	byID := make(map[string]row, len(answer))
	for _, r := range answer {
		byID[r.text("id")] = r
	}
	for _, i := range group {
		results[i] = created(&sessions[i], byID[sessions[i].ID])
	}
	return nil
}

// create sends the rows. If another caller takes an id or key at the same moment, the
// constraint ends this transaction, and the next one sees who it was.
func (s sessions) create(ctx context.Context, rows []any) (answer []row, err error) {
	for range 3 {
		answer, err = s.write(ctx, queryCreate, params{"rows": rows})
		if !isConstraint(err) {
			break
		}
	}
	return answer, err
}

// isPassing tells errors of the connection from those of a row.
func isPassing(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome) || isContext(err)
}

// creationRow is a session as the statement wants it. creation marks the row of a call, so
// that a sending whose answer was lost recognises what it made.
func creationRow(n *store.NewSession, creation string) params {
	root := n.Root
	if root == "" {
		root = n.ID
	}
	p := params{
		"id": n.ID, "workflow": optional(n.Workflow), "state": optional(n.State), "counters": optional(n.Counters),
		"status": optional(n.Status), "version": 0, "root": root, "inbox": 0, "claims": 0, "creation": creation,
		"start_key": optional(n.Key), "start_hash": optional(n.BodyHash),
		"seal": checksum(n.Claim != nil, 0, n.Status, n.State, n.Counters, nil),
	}
	if n.ConcurrencyKey != "" {
		p["concurrency_key"] = n.ConcurrencyKey
	}
	if len(n.Labels) > 0 {
		p["labels"] = labelTexts(n.Labels)
	}
	if n.Status == store.StatusPending {
		p["pending"] = optional(n.Workflow)
	}
	row := params{"id": n.ID, "key": optional(n.Key), "parent": optional(n.Parent), "lease_for": int64(0), "properties": p}
	if n.Claim != nil {
		p["lease"], p["lease_owner"], p["claims"] = n.Claim.Token, n.Claim.Owner, 1
		row["lease_for"] = milliseconds(n.Claim.For)
	}
	return row
}

// created judges one row of the answer.
func created(n *store.NewSession, r row) store.Created {
	there := r.properties("there")
	if there == nil {
		return store.Created{Session: newRecord(n, r.time("now"))}
	}
	record := sessionFrom(there)
	switch {
	case r.yes("again"):
		return store.Created{Session: record}
	case record.ID == n.ID && n.Made(&record):
		return store.Created{Session: record, Exists: true}
	case n.Key == "" || there.text("start_key") != n.Key:
		return store.Created{Err: fmt.Errorf("%w: %s", store.ErrSessionExists, n.ID)}
	case there.text("start_hash") != n.BodyHash:
		return store.Created{Err: fmt.Errorf("%w: key %q started session %s", store.ErrKeyReused, n.Key, record.ID)}
	}
	return store.Created{Session: record, Exists: true}
}

// newRecord is the session as it was written.
func newRecord(n *store.NewSession, now time.Time) store.SessionRecord {
	record := store.SessionRecord{
		ID: n.ID, Workflow: n.Workflow, State: n.State, Counters: n.Counters, Status: n.Status, Root: n.Root,
		Labels: n.Labels, CreatedAt: now, UpdatedAt: now, DueAt: now,
	}
	if record.Root == "" {
		record.Root = n.ID
	}
	if n.Claim != nil {
		record.Lease, record.LeaseOwner, record.Claims = n.Claim.Token, n.Claim.Owner, 1
		record.LeaseUntil = now.Add(n.Claim.For.Truncate(time.Millisecond))
		record.DueAt = record.LeaseUntil
	}
	return record
}
