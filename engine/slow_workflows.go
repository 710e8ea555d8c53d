package engine

import (
	"context"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/session"
)

// mostPreapply bounds how long an answer waits for the pure steps that follow it. Above that it is
// delivered, and for some time so are all answers to sessions of the workflow.
const (
	mostPreapply   = 100 * time.Millisecond
	leastSlowPause = time.Second
	mostSlowPause  = time.Minute
)

// slowWorkflows are workflows whose answers are delivered for now, because a pure step after one took
// long: for a second, and twice as long each time that happens again.
type slowWorkflows struct {
	mu sync.Mutex
	of map[string]slowWorkflow
}

type slowWorkflow struct {
	until time.Time
	pause time.Duration
}

// try runs f in a goroutine of its own, because a pure step may take long, and returns nil
// if it does.
func (s *slowWorkflows) try(ctx context.Context, workflow string, f func(context.Context) *session.Preapplied) *session.Preapplied {
	ctx, cancel := context.WithTimeout(ctx, mostPreapply)
	defer cancel()
	made := make(chan *session.Preapplied, 1)
	go func() { made <- f(ctx) }()
	select {
	case p := <-made:
		s.forget(workflow)
		return p
	case <-ctx.Done():
		s.note(workflow)
		return nil
	}
}

func (s *slowWorkflows) has(workflow string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.of[workflow].until)
}

func (s *slowWorkflows) note(workflow string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]slowWorkflow{}
	}
	pause := min(max(2*s.of[workflow].pause, leastSlowPause), mostSlowPause)
	s.of[workflow] = slowWorkflow{time.Now().Add(pause), pause}
}

// forget is for an answer whose steps were quick.
func (s *slowWorkflows) forget(workflow string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, workflow)
}
