package engine

import "context"

// Subscribe returns the events of a session. The first event is a snapshot, unless lastEventID
// (the id of an event received before) is given: then the events after it come first, read from
// the history. The channel is closed after an end event, when ctx ends, or when the session is
// deleted. Token events have no id.
func (e *Engine) Subscribe(ctx context.Context, session, lastEventID string) (<-chan Event, error) {
	w, stop := e.events.watch(session)
	rec, err := e.store.Session(ctx, session)
	if err != nil {
		stop()
		return nil, err
	}
	f := &follower{e: e, session: session, out: make(chan Event)}
	first := f.snapshot
	if at, resume := parseCursor(lastEventID); resume {
		f.at, first = at, f.catchUp
	}
	go f.run(ctx, w, stop, func() error { return first(ctx, rec) })
	return f.out, nil
}

// StartAndSubscribe starts a session and subscribes to it before it runs: the snapshot is the
// session as it was created, and no token is missed. If the idempotency key has already started
// a session, the events begin at that session's current state.
func (e *Engine) StartAndSubscribe(ctx context.Context, q StartRequest) (*Session, <-chan Event, error) {
	if q.Key != "" {
		s, err := e.Start(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		events, err := e.Subscribe(ctx, s.ID, "")
		return s, events, err
	}
	if q.ID == "" {
		q.ID = e.o.NewID()
	}
	w, stop := e.events.watch(q.ID)
	s, rec, err := e.startAndView(ctx, &q)
	if err != nil {
		stop()
		return nil, nil, err
	}
	f := &follower{e: e, session: q.ID, out: make(chan Event)}
	go f.run(ctx, w, stop, func() error { return f.snapshot(ctx, rec) })
	return s, f.out, nil
}
