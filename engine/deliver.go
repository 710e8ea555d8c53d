package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
)

// deliver puts a request into a session's inbox and makes sure that it is processed. If this
// engine holds the session, its runner is notified; otherwise this engine claims the session in the
// same transaction when it has a free place; otherwise the session becomes due and polling finds it.
// read holds what d.Decide has decoded.
func (e *Engine) deliver(ctx context.Context, read *opened, d store.Delivery) (store.Delivered, error) {
	end, err := e.delivering.begin(ctx, d.Session)
	if err != nil {
		return store.Delivered{}, err
	}
	defer end()
	place := e.reserve(d.Session, anyWorkflow, hasteOf(ctx))
	d.Claim = e.leaseFor(place)
	var kind string
	decide := d.Decide
	d.Decide = func(v store.InboxView) (*Request, error) {
		q, err := decide(v)
		if q != nil {
			kind = q.Kind
		}
		return q, err
	}
	d.Unclaimed = func(workflow string) bool { // a session of a limited workflow waits for its turn, except for requests that end its work
		return kind != RequestCancel && kind != RequestPause && e.limits.Limits(workflow).InTurn()
	}
	delivered, err := e.committer.Deliver(ctx, d)
	if err != nil {
		e.giveBack(place)
		return delivered, explainDelivery(err, d.Session)
	}
	switch {
	case delivered.Claimed != nil && place != nil:
		e.runNow(place, *delivered.Claimed, beginning(e.definitions, &delivered.Claimed.Session, read))
	default:
		e.giveBack(place)
		e.pokeHolder(d.Session)
	}
	return delivered, nil
}

// beginning gives a runner what the delivery has decoded, and begins the read of the definition, which
// the view of the session shares.
func beginning(definitions *definitionReader, rec *store.SessionRecord, read *opened) session.Beginning {
	st := read.own(rec)
	if st == nil {
		return session.Beginning{}
	}
	return session.Beginning{State: st, Definition: definitions.Begin(cmp.Or(rec.Workflow, graph.DefaultWorkflow), st.Entry())}
}

func explainDelivery(err error, session string) error {
	if err == error(ErrSessionNotFound) {
		return store.Detailf(ErrSessionNotFound, "%s", session)
	}
	return err
}

// steeringHash returns the hash of an operator's request, to detect a key used twice.
func steeringHash(kind string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(kind))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
