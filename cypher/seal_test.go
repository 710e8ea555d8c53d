package cypher_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// numbered is the checkpoint that makes a session's state and counters say n, its version.
// Lengths differ from one to the next, so that the server has to move them about.
func numbered(id string, l *store.Lease, n int64) store.Checkpoint {
	return store.Checkpoint{
		Session: id, Version: n - 1, Lease: l.Token, LeaseFor: time.Minute, Transition: fmt.Sprintf("%s@%d", id, n), Status: store.StatusActive,
		State:    fmt.Appendf(nil, `{"n":%d,"x":"%s"}`, n, strings.Repeat("x", 500+int(n%7)*300)),
		Counters: fmt.Appendf(nil, `{"n":%d,"visits":{"root":1,"ask":1}}`, n),
	}
}

// A session that is read while its checkpoints are written is of one version: Neo4j itself
// shows new properties beside old ones, a dozen times and more in as many reads as these.
func TestReadsAreWhole(t *testing.T) {
	opened := open(t)
	record, l := session(t, opened, "whole")
	var written atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !written.Load() {
				got, err := opened.Session(t.Context(), record.ID)
				if err != nil {
					t.Error(err)
					return
				}
				var state, counters int64
				_, _ = fmt.Sscanf(string(got.State), `{"n":%d`, &state)
				_, _ = fmt.Sscanf(string(got.Counters), `{"n":%d`, &counters)
				if state != got.Version || counters != got.Version {
					t.Errorf("version %d with the state of %d and the counters of %d", got.Version, state, counters)
				}
			}
		})
	}
	for n := int64(1); n <= 1500; n++ {
		results, err := opened.Commit(t.Context(), []store.Checkpoint{numbered(record.ID, l, n)})
		if err != nil || results[0].Outcome != store.Committed {
			t.Errorf("checkpoint %d: %v %+v", n, err, results)
			break
		}
	}
	written.Store(true)
	readers.Wait()
}

// What a person changes by hand is what is read, though no seal fits it; so is a session
// that has lost its lease, and one that is made by hand from the start.
func TestReadsByHand(t *testing.T) {
	opened, p := open(t), newPerson(t)
	record, l := session(t, opened, "whole")
	if _, err := opened.Commit(t.Context(), []store.Checkpoint{numbered(record.ID, l, 1)}); err != nil {
		t.Fatal(err)
	}
	want := func(id, state, lease string) {
		t.Helper()
		got, err := opened.Session(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.State) != state || got.Lease != lease {
			t.Errorf("session %s reads as state %s, lease %q; want %s, %q", id, got.State, got.Lease, state, lease)
		}
	}
	p.types(`MATCH (s:SESSION {id: $id}) SET s.state = '{"by":"hand"}'`, map[string]any{"id": record.ID})
	want(record.ID, `{"by":"hand"}`, l.Token)
	if err := opened.Release(t.Context(), []store.LeaseRef{{Session: record.ID, Token: l.Token}}); err != nil {
		t.Fatal(err)
	}
	want(record.ID, `{"by":"hand"}`, "")
	byHand := unique("hand")
	p.types(`CREATE (:SESSION {id: $id, state: '{}'})`, map[string]any{"id": byHand})
	want(byHand, `{}`, "")
	list, err := opened.SessionsByID(t.Context(), []string{byHand, record.ID, "absent"})
	if err != nil || len(list) != 2 {
		t.Errorf("sessions by id: %d, %v; want 2", len(list), err)
	}
	if lock := p.types(`MATCH (s:SESSION {id: $id}) RETURN s.lock`, map[string]any{"id": byHand})[0].Values[0]; lock != nil {
		t.Errorf("a look has left a lock of %v on the session", lock)
	}
}

// A batch that is read while its progress is written is of one saving, alone and in a list.
func TestBatchReadsAreWhole(t *testing.T) {
	opened := open(t)
	id := unique("batch")
	b, _, err := opened.CreateBatch(t.Context(), store.Batch{ID: id, Action: store.ActionDelete})
	if err != nil {
		t.Fatal(err)
	}
	whole := func(b store.Batch) bool {
		return b.Done == b.Total && b.Failed == b.Total && b.Reached == b.Total && (b.Message == "" && b.Total == 0 || b.Message == messageOf(b.Total))
	}
	var written atomic.Bool
	var readers sync.WaitGroup
	read := func(get func() (store.Batch, error)) {
		readers.Go(func() {
			for !written.Load() {
				if got, err := get(); err != nil || !whole(got) {
					t.Errorf("%v, a batch of several savings: %+v", err, got)
					return
				}
			}
		})
	}
	for range 2 {
		read(func() (store.Batch, error) {
			got, err := opened.Batch(t.Context(), id)
			if err != nil {
				return store.Batch{}, err
			}
			return *got, nil
		})
		read(func() (store.Batch, error) {
			list, err := opened.ListBatches(t.Context(), store.Cursor{}, 500)
			for _, got := range list {
				if got.ID == id {
					return got, err
				}
			}
			return store.Batch{}, errors.Join(err, errors.New("not in the list"))
		})
	}
	for n := int64(1); n <= 1000; n++ {
		b.Total, b.Done, b.Failed, b.Reached, b.Message = n, n, n, n, messageOf(n)
		if saved, err := opened.SaveBatch(t.Context(), b, nil, time.Minute, false); err != nil || !saved {
			t.Errorf("saving %d: %v, %v", n, saved, err)
			break
		}
	}
	written.Store(true)
	readers.Wait()
}

// messageOf is a message whose length differs from that of the next one.
func messageOf(n int64) string { return fmt.Sprintf("%d %s", n, strings.Repeat("x", int(n%7)*90)) }
