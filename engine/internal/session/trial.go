package session

import (
	"errors"
	"sync"

	"github.com/stepgraph/stepgraph/engine/event"
)

// errDeliverFirst invalidates the draft of a trial whose decisions reach beyond its session.
var errDeliverFirst = errors.New("the request has to be delivered first")

// A trial keeps what a runner says before its first checkpoint: subscribers see none of it if that is
// not written.
type trial struct {
	mu     sync.Mutex
	tokens []event.Event
}

func (t *trial) keep(ev event.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tokens = append(t.tokens, ev)
}
