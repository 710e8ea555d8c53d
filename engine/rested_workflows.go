package engine

import "sync"

// restedWorkflows remember the workflow of sessions that came to rest here lately: an answer to
// one of them begins the read of its definition beside the read of the session.
type restedWorkflows struct {
	mu           sync.Mutex
	newer, older map[string]string
}

// restedRoom is how many sessions are remembered at least.
const restedRoom = 5000

func (r *restedWorkflows) note(session, workflow string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.newer == nil || len(r.newer) >= restedRoom {
		r.newer, r.older = map[string]string{}, r.newer
	}
	r.newer[session] = workflow
}

// of returns the workflow of a session, "" if it is not remembered.
func (r *restedWorkflows) of(session string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.newer[session]; w != "" {
		return w
	}
	return r.older[session]
}
