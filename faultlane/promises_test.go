package faultlane

import (
	"fmt"
	"sync"
)

// Promises are all that clients were told: which sessions exist, which answers counted.
// The oracle holds the store to them. Whatever a client sees that goes against one is a
// violation at once.
type promises struct {
	pulse *pulse

	mu         sync.Mutex
	sessions   map[string]*promise // by id
	violations []string
	tally      tally
}

// A promise is what one session's client was told.
type promise struct {
	session   string
	rounds    int
	n         int
	answers   map[visit]accepted
	cancelled bool // a cancel was acknowledged
	gaveUp    bool // its client found a violation and left
}

// accepted is the answer that counts for one question.
type accepted struct {
	request  string // id of the REQUEST
	response string
}

// A tally counts what clients did and saw.
type tally struct {
	Sessions  int `json:"sessions"`
	Answers   int `json:"answers"`
	Cancels   int `json:"cancels"`
	Retried   int `json:"requests_retried"` // sent again because no answer came
	Replays   int `json:"replayed"`         // answers that were acknowledged as one that came before
	Conflicts int `json:"conflicts"`        // other answers that were refused
	Poisoned  int `json:"poisoned"`         // sessions that a client had to retry, since their workers kept dying
}

func newPromises(p *pulse) *promises { return &promises{pulse: p, sessions: map[string]*promise{}} }

func (p *promises) violate(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.violations = append(p.violations, fmt.Sprintf(format, args...))
}

// broken tells whether a client has seen a violation.
func (p *promises) broken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.violations) > 0
}

func (p *promises) count(f func(t *tally)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.tally)
}

// started keeps that a session was acknowledged.
func (p *promises) started(session string, rounds, n int) *promise {
	defer p.pulse.beat()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions[session] != nil {
		p.violations = append(p.violations, fmt.Sprintf("session %s was given to two starts", session))
	}
	made := &promise{session: session, rounds: rounds, n: n, answers: map[visit]accepted{}}
	p.sessions[session] = made
	p.tally.Sessions++
	return made
}

// answered keeps that an answer was acknowledged, or that another one is said to count:
// whatever is said later about the same question must be the same.
func (p *promises) answered(s *promise, v visit, a accepted) {
	defer p.pulse.beat()
	p.mu.Lock()
	defer p.mu.Unlock()
	before, there := s.answers[v]
	if there && before != a {
		p.violations = append(p.violations, fmt.Sprintf("session %s: question %s was acknowledged with %+v and with %+v", s.session, v, before, a))
		return
	}
	if !there {
		s.answers[v] = a
		p.tally.Answers++
	}
}

func (p *promises) was(s *promise, v visit) (accepted, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, there := s.answers[v]
	return a, there
}
