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

// noticesAtOnce bounds the sessions of one statement.
const noticesAtOnce = 100

// notices pass on to child sessions what their parent decided.
type notices struct{ *ledger }

// sendNotices sends what is to be passed on, in order. It is called when the checkpoint that
// decided it has been written; the next one records that it was sent.
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

// noticesSent has the next checkpoint record that the notices of the last one were sent. While
// the children end the store refuses many a checkpoint of their parent; none of them sends again.
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

// sendGroup puts one request into the inboxes of some child sessions, in one statement.
// Children that have ended or are gone need none.
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
