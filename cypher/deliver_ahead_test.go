package cypher_test

import (
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// TestDeliverAhead has something happen between a decision made without the lock and its
// write: the decision is made again and sees it.
func TestDeliverAhead(t *testing.T) {
	for _, c := range []struct {
		name    string
		between func(t *testing.T, opened store.Store, record store.SessionRecord, l *store.Lease)
		seen    func(v store.InboxView) bool
	}{
		{"another request", func(t *testing.T, opened store.Store, record store.SessionRecord, _ *store.Lease) {
			send(t, opened, record.ID, "cancel", "")
		}, func(v store.InboxView) bool { return len(v.Unapplied) == 1 && v.Session.Inbox == 1 }},
		{"an answer to the same question", func(t *testing.T, opened store.Store, record store.SessionRecord, _ *store.Lease) {
			send(t, opened, record.ID, "first", record.ID+"/ask/1/1")
		}, func(v store.InboxView) bool {
			before, err := v.ByTarget(v.Session.ID + "/ask/1/1")
			return err == nil && before != nil
		}},
		{"a checkpoint", func(t *testing.T, opened store.Store, record store.SessionRecord, l *store.Lease) {
			results, err := opened.Commit(t.Context(), []store.Checkpoint{{Session: record.ID, Lease: l.Token, Transition: record.ID + "@1",
				LeaseFor: time.Minute, Status: store.StatusActive, State: []byte(`{"workflow":{"new":{}}}`), Counters: []byte(`{}`)}})
			if err != nil || results[0].Outcome != store.Committed {
				t.Fatal(results, err)
			}
		}, func(v store.InboxView) bool {
			return v.Session.Version == 1 && string(v.Session.State) == `{"workflow":{"new":{}}}`
		}},
		{"the lease given back", func(t *testing.T, opened store.Store, record store.SessionRecord, l *store.Lease) {
			if err := opened.Release(t.Context(), []store.LeaseRef{{Session: record.ID, Token: l.Token}}); err != nil {
				t.Fatal(err)
			}
		}, func(v store.InboxView) bool { return v.Session.Lease == "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			opened := open(t)
			record, l := session(t, opened, "ahead")
			decided := 0
			delivered, err := opened.Deliver(t.Context(), []store.Delivery{{Session: record.ID, Key: "late", Decide: func(v store.InboxView) (*store.Request, error) {
				decided++
				switch {
				case decided == 1:
					c.between(t, opened, record, l)
				case !c.seen(v):
					t.Errorf("decision %d saw version %d, inbox %d, lease %q, %d requests", decided, v.Session.Version, v.Session.Inbox, v.Session.Lease, len(v.Unapplied))
				default:
					return nil, store.ErrSessionBusy
				}
				return &store.Request{Kind: store.RequestAnswer, Target: record.ID + "/ask/1/1", Step: "ask", Visit: 1, Ask: 1, Body: []byte(`"late"`)}, nil
			}}})
			if err != nil {
				t.Fatal(err)
			}
			if decided != 2 || delivered[0].Err != store.ErrSessionBusy {
				t.Errorf("decided %d times, outcome %v; want 2, %v", decided, delivered[0].Err, store.ErrSessionBusy)
			}
		})
	}
}

// send puts a request into the inbox that no decision stands in the way of.
func send(t *testing.T, opened store.Store, session, key, target string) {
	t.Helper()
	delivered, err := opened.Deliver(t.Context(), []store.Delivery{{Session: session, Key: key, Decide: func(store.InboxView) (*store.Request, error) {
		return &store.Request{Kind: store.RequestAnswer, Target: target, Body: []byte(`1`)}, nil
	}}})
	if err == nil {
		err = delivered[0].Err
	}
	if err != nil {
		t.Fatal(err)
	}
}
