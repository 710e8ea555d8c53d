package engine

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/engine/store"
)

// DeleteSession removes a session with all its history, after its child sessions. A session that
// is active or waits is cancelled first if cancel is true; otherwise the error is ErrSessionBusy.
// If a worker still holds the ended session, DeleteSession waits until the lease is released.
func (e *Engine) DeleteSession(ctx context.Context, id string, cancel bool) error {
	for {
		status, err := statusNow(ctx, e.store, id)
		if err != nil {
			return err
		}
		if !store.Ended(status) && status != StatusPaused {
			if !cancel {
				return store.Detailf(ErrSessionBusy, "session %s is %s; cancel it first, or delete with cancel", id, status)
			}
			if err := e.cancelled(ctx, id); err != nil {
				return err
			}
		}
		err = e.remove(ctx, id)
		if !errors.Is(err, ErrSessionBusy) || !e.isRunning() || !cancel && !store.Ended(status) {
			return err
		}
		if err := e.waitAtRest(ctx, id); err != nil {
			return err
		}
	}
}

func statusNow(ctx context.Context, s Store, id string) (string, error) {
	rec, err := s.Session(ctx, id)
	if err != nil {
		return "", err
	}
	if st, err := ParseState(id, rec.State); err == nil {
		return st.ShownStatus(rec.Version), nil
	}
	return rec.Status, nil
}

// cancelled cancels a session and waits for its end, unless it has ended by itself.
func (e *Engine) cancelled(ctx context.Context, id string) error {
	_, err := e.Act(ctx, Action{Session: id, Kind: RequestCancel, Reason: "deleted"})
	if err != nil {
		if status, readErr := statusNow(ctx, e.store, id); readErr != nil || !store.Ended(status) {
			return err
		}
	}
	return e.waitAtRest(ctx, id)
}

func (e *Engine) remove(ctx context.Context, id string) error {
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

// deleteChildren removes the child sessions of an ended session; a child that still runs is
// cancelled first.
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

// waitAtRest waits until no worker holds the session.
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
