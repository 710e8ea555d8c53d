package engine

// A place is room for one more session in this engine, held from before a claim is asked
// for until its runner ends.
type place struct{ id string }

// reserve takes a place for a session and a fresh lease for it, or nothing when this
// engine does not run, holds the session already or has no room.
func (e *Engine) reserve(id string) (*Lease, *place) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running || e.runners[id] != nil || len(e.runners)+e.reserved >= e.o.MaxSessions {
		return nil, nil
	}
	e.reserved++
	return e.freshLease(), &place{id}
}

func (e *Engine) giveBack(p *place) {
	if p == nil {
		return
	}
	e.mu.Lock()
	e.reserved--
	e.mu.Unlock()
}

// room is how many sessions may be claimed now; they are reserved.
func (e *Engine) room(most int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := min(most, e.o.MaxSessions-len(e.runners)-e.reserved)
	if n <= 0 || !e.running {
		return 0
	}
	e.reserved += n
	return n
}

func (e *Engine) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.runners)+e.reserved >= e.o.MaxSessions-1
}
