package engine

import (
	"sync"
	"time"
)

// How long the answers of a workflow are delivered after one that had to be.
const (
	leastSlowPause = time.Second
	mostSlowPause  = time.Minute
)

// slowWorkflows are workflows whose answers are delivered for now, because the steps after one took
// long or reached beyond its session: for a second, and twice as long each time that happens again.
type slowWorkflows struct {
	mu sync.Mutex
	of map[string]slowWorkflow
}

type slowWorkflow struct {
	until time.Time
	pause time.Duration
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

// forget is for an answer that was written with what followed it.
func (s *slowWorkflows) forget(workflow string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, workflow)
}
