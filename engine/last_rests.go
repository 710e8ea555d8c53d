package engine

import "sync"

// lastRests remember the workflow and the version of sessions that came to rest here lately: an answer
// to one of them begins the read of its definition beside the read of the session.
type lastRests struct {
	mu           sync.Mutex
	newer, older map[string]rest
}

type rest struct {
	workflow string
	version  int64
}

// restsKept is how many sessions are remembered at least.
const restsKept = 5000

func (r *lastRests) note(session string, at rest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.newer == nil || len(r.newer) >= restsKept {
		r.newer, r.older = map[string]rest{}, r.newer
	}
	r.newer[session] = at
}

// of returns how a session came to rest, the zero rest if it is not remembered.
func (r *lastRests) of(session string) rest {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, there := r.newer[session]; there {
		return at
	}
	return r.older[session]
}
