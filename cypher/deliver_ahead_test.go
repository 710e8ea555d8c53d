package cypher_test

import (
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// TestDeliverAhead has something happen between a decision made without the lock and its
// write: the decision is made again and sees it.
func TestDeliverAhead(t *testing.T) {
	for _, c := range []struct {
		name    string
		between func(t *testing.T, store engine.Store, record engine.SessionRecord, l *engine.Lease)
		seen    func(v engine.InboxView) bool
	}{
		{"another request", func(t *testing.T, store engine.Store, record engine.SessionRecord, _ *engine.Lease) {
			send(t, store, record.ID, "cancel", "")
		}, func(v engine.InboxView) bool { return len(v.Unapplied) == 1 && v.Session.Inbox == 1 }},
		{"an answer to the same question", func(t *testing.T, store engine.Store, record engine.SessionRecord, _ *engine.Lease) {
			send(t, store, record.ID, "first", record.ID+"/ask/1/1")
		}, func(v engine.InboxView) bool {
			before, err := v.ByTarget(v.Session.ID + "/ask/1/1")
			return err == nil && before != nil
		}},
		{"a checkpoint", func(t *testing.T, store engine.Store, record engine.SessionRecord, l *engine.Lease) {
			results, err := store.Commit(t.Context(), []engine.Checkpoint{{Session: record.ID, Lease: l.Token, Transition: record.ID + "@1",
				LeaseFor: time.Minute, Status: engine.StatusActive, State: []byte(`{"workflow":{"new":{}}}`), Counters: []byte(`{}`)}})
			if err != nil || results[0].Outcome != engine.Committed {
				t.Fatal(results, err)
			}
		}, func(v engine.InboxView) bool {
			return v.Session.Version == 1 && string(v.Session.State) == `{"workflow":{"new":{}}}`
		}},
		{"the lease given back", func(t *testing.T, store engine.Store, record engine.SessionRecord, l *engine.Lease) {
			if err := store.Release(t.Context(), []engine.LeaseRef{{Session: record.ID, Token: l.Token}}); err != nil {
				t.Fatal(err)
			}
		}, func(v engine.InboxView) bool { return v.Session.Lease == "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := open(t)
			record, l := session(t, store, "ahead")
			decided := 0
			delivered, err := store.Deliver(t.Context(), []engine.Delivery{{Session: record.ID, Key: "late", Decide: func(v engine.InboxView) (*engine.Request, error) {
				decided++
				switch {
				case decided == 1:
					c.between(t, store, record, l)
				case !c.seen(v):
					t.Errorf("decision %d saw version %d, inbox %d, lease %q, %d requests", decided, v.Session.Version, v.Session.Inbox, v.Session.Lease, len(v.Unapplied))
				default:
					return nil, engine.ErrSessionBusy
				}
				return &engine.Request{Kind: engine.RequestAnswer, Target: record.ID + "/ask/1/1", Step: "ask", Visit: 1, Ask: 1, Body: []byte(`"late"`)}, nil
			}}})
			if err != nil {
				t.Fatal(err)
			}
			if decided != 2 || delivered[0].Err != engine.ErrSessionBusy {
				t.Errorf("decided %d times, outcome %v; want 2, %v", decided, delivered[0].Err, engine.ErrSessionBusy)
			}
		})
	}
}

// send puts a request into the inbox that no decision stands in the way of.
func send(t *testing.T, store engine.Store, session, key, target string) {
	t.Helper()
	delivered, err := store.Deliver(t.Context(), []engine.Delivery{{Session: session, Key: key, Decide: func(engine.InboxView) (*engine.Request, error) {
		return &engine.Request{Kind: engine.RequestAnswer, Target: target, Body: []byte(`1`)}, nil
	}}})
	if err == nil {
		err = delivered[0].Err
	}
	if err != nil {
		t.Fatal(err)
	}
}
