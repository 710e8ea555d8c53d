package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// noticesAtOnce is the largest number of sessions in one statement.
const noticesAtOnce = 100

// notices sends a parent's decisions to its child sessions.
type notices struct{ *ledger }

// sendNotices sends the pending notices in order. It is called after the checkpoint that decided
// them was written; the next checkpoint records that they were sent.
func (r *notices) sendNotices(ctx context.Context) error {
	if len(r.state.Notices()) == 0 {
		return nil
	}
	for _, n := range r.state.Notices() {
		if err := r.sendNotice(ctx, n); err != nil {
			return fmt.Errorf("pass %s on to child sessions: %w", n.Kind, err)
		}
	}
	r.noticesSent()
	return nil
}

// noticesSent makes the next checkpoint record that the notices were sent. The record survives a
// refused checkpoint, of which a parent has many while its children end, so nothing is sent twice.
func (d *draft) noticesSent() {
	d.state.NoticesSent()
	d.unwritten.notified = true
	d.unwritten.touch()
}

func (r *notices) sendNotice(ctx context.Context, n state.Notice) error {
	to := n.To
	if len(to) == 0 {
		to = r.state.LiveChildren()
	}
	body, _ := jsontext.Marshal(ActionBody{Reason: n.Reason})
	key := fmt.Sprintf("%s-by-parent-%d", n.Kind, n.N)
	for len(to) > 0 {
		group := to[:min(len(to), noticesAtOnce)]
		to = to[len(group):]
		if err := r.sendGroup(ctx, group, n.Kind, key, body); err != nil {
			return err
		}
	}
	return nil
}

// sendGroup puts one request into the inboxes of several child sessions, in one statement.
// Children that have ended or were deleted are left out.
func (r *notices) sendGroup(ctx context.Context, children []string, kind, key string, body json.RawMessage) error {
	deliveries := make([]store.Delivery, len(children))
	for i, id := range children {
		deliveries[i] = store.Delivery{Session: id, Key: key, Decide: func(v store.InboxView) (*store.Request, error) {
			if v.Same != nil || kind != store.RequestCancel && store.Ended(v.Session.Status) || MayAct(kind, &v.Session) != nil {
				return nil, nil
			}
			return &store.Request{Kind: kind, Body: body}, nil
		}}
	}
	delivered, err := retry.Do(ctx, func() ([]store.Delivered, error) { return r.e.Store.Deliver(ctx, deliveries) })
	if err != nil {
		return err
	}
	for i := range delivered {
		if err := delivered[i].Err; err != nil && !errors.Is(err, store.ErrSessionNotFound) {
			r.log.Warn("child session not notified", "child", children[i], logError, err)
			continue
		}
		r.e.Poke(children[i])
	}
	return nil
}
