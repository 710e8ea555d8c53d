package cypher

import (
	"cmp"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A deliveryItem is one delivery of a deliveryTx, with what was read about its session.
type deliveryItem struct {
	delivery  *store.Delivery
	result    *store.Delivered
	session   store.SessionRecord
	now       time.Time
	unapplied []store.Request
	same      *store.Request
	answers   map[string]*store.Request // of the open questions, by target; nil where there is none
}

// number is the request as it will be written.
func (item *deliveryItem) number(request *store.Request) store.Request {
	q := *request
	q.Key = cmp.Or(q.Key, item.delivery.Key)
	q.ID, q.Session, q.N, q.At = requestID(item.session.ID, q.Key), item.session.ID, item.session.Inbox+1, item.now
	return q
}

// accept sets the result as it will be once the request is written, and returns the
// properties to set on the session. request is nil when Decide wanted none; the properties
// are nil when nothing changes.
func (item *deliveryItem) accept(request *store.Request) params {
	record, changes := &item.result.Session, params{}
	requests := slices.Clone(item.unapplied)
	if request != nil {
		record.Inbox = request.N
		changes = missingProperties(record, item.now)
		changes["inbox"] = request.N
		item.result.Request = request
		if !request.Applied {
			requests = append(requests, *request)
		}
	}
	claimed, changed := item.delivery.Take(record, request != nil, item.now)
	if claimed {
		item.result.Claimed = &store.Claimed{Session: *record, Requests: requests, Now: item.now}
		changes["lease"], changes["lease_owner"], changes["lease_until"] = record.Lease, record.LeaseOwner, stamp(record.LeaseUntil)
	}
	if changed {
		changes["due_at"], changes["claims"] = stamp(record.DueAt), record.Claims
	}
	if len(changes) == 0 {
		return nil
	}
	return changes
}

// missingProperties fills in the properties that a session created by hand lacks, in the record
// too, and returns those to set.
func missingProperties(record *store.SessionRecord, now time.Time) params {
	changes := params{}
	if record.CreatedAt.IsZero() {
		record.CreatedAt = now
		changes["created_at"] = stamp(now)
	}
	if record.Workflow == "" {
		record.Workflow = graph.DefaultWorkflow
		changes["workflow"] = graph.DefaultWorkflow
	}
	if record.Root == "" {
		record.Root = record.ID
		changes["root"] = record.ID
	}
	return changes
}

func requestID(session, key string) string { return session + "/" + key }
