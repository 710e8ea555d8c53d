package engine

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/engine/store"
)

// DeleteSession removes a session with all its history, and its child sessions before it. One that is active or waits is
// ended first when cancel is true, else that is ErrSessionBusy.
func (e *Engine) DeleteSession(ctx context.Context, id string, cancel bool) error {
	rec, err := e.store.Session(ctx, id)
	if err != nil {
		return err
	}
	status := rec.Status
	if st, err := ParseState(id, rec.State); err == nil {
		status = st.ShownStatus(rec.Version)
	}
	if !store.Ended(status) && status != StatusPaused {
		if !cancel {
			return store.Detailf(ErrSessionBusy, "session %s is %s; cancel it first, or delete with cancel", id, status)
		}
		if _, err := e.Act(ctx, Action{Session: id, Kind: RequestCancel, Reason: "deleted"}); err != nil {
			return err
		}
		if err := e.waitAtRest(ctx, id); err != nil {
			return err
		}
	}
	if err := e.deleteChildren(ctx, id); err != nil {
		return err
	}
	for {
		done, err := e.store.DeleteSession(ctx, id)
		if done || err != nil {
			return err
		}
	}
}

// deleteChildren removes the child sessions of a session that has ended; one that goes on
// all the same is cancelled.
func (e *Engine) deleteChildren(ctx context.Context, id string) error {
	children, err := e.store.Children(ctx, id)
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := e.DeleteSession(ctx, child, true); err != nil && !errors.Is(err, ErrSessionNotFound) {
			return err
		}
	}
	return nil
}

// waitAtRest waits until nobody holds the session.
func (e *Engine) waitAtRest(ctx context.Context, id string) error {
	if !e.isRunning() {
		return nil
	}
	_, err := e.Wait(ctx, id)
	return err
}

func (h *holding) isRunning() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.running
}
