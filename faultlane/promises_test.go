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
	removal    bool // ended sessions are removed meanwhile
}

// A promise is what one session's client was told.
type promise struct {
	session   string
	rounds    int
	n         int
	answers   map[visit]accepted
	cancelled bool // a cancel was acknowledged
	gaveUp    bool // its client found a violation and left

	flow  string   // "" is the workflow faults
	above *promise // of a child session: that of its root
	told  any      // what else its flow was told
}

// isCancelled reports whether a cancel was acknowledged, of the session or of its root.
func (s *promise) isCancelled() bool { return s.cancelled || s.above != nil && s.above.cancelled }

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
	Pauses    int `json:"pauses"`
	Signals   int `json:"signals"`
	Edits     int `json:"edits"`
	Forks     int `json:"forks"`
	Batches   int `json:"batches"`

	Flows map[string]int `json:"flows"` // sessions by flow, children not counted
}

func newPromises(p *pulse) *promises { return &promises{pulse: p, sessions: map[string]*promise{}} }

func (p *promises) violate(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.violations = append(p.violations, fmt.Sprintf(format, args...))
}

// broken reports whether a client has seen a violation.
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

// startedFlow keeps that a session of a flow was acknowledged.
func (p *promises) startedFlow(session, flow string, told any) *promise {
	made := p.started(session, 0, 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	made.flow, made.told = flow, told
	if p.tally.Flows == nil {
		p.tally.Flows = map[string]int{}
	}
	p.tally.Flows[flow]++
	return made
}

// child is the promise of a session below one that was acknowledged.
func (p *promises) child(root *promise, session string) *promise {
	p.mu.Lock()
	defer p.mu.Unlock()
	made := p.sessions[session]
	if made == nil {
		made = &promise{session: session, flow: root.flow, above: root, answers: map[visit]accepted{}}
		p.sessions[session] = made
	}
	return made
}

func (p *promises) was(s *promise, v visit) (accepted, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, there := s.answers[v]
	return a, there
}
