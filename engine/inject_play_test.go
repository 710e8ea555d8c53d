package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
)

// A point is the moment of an injection: before the n-th call of a method that the engine
// makes to its store. Calls are counted per method, because polls come at random times and
// would shift a common count.
type point struct {
	method string
	n      int
}

func (p point) String() string { return fmt.Sprintf("%s/%d", p.method, p.n) }

// An injection is one request, delivered once, at one point of one scenario.
type injection struct {
	scenario string
	at       point
	request  string // a key of injections
	child    bool   // to the first live child of session A, else to A
	inside   bool   // through the engine that makes the call, else through another one
}

// String is what STEPGRAPH_INJECT takes to repeat the injection.
func (i injection) String() string {
	target, via := "session", "outside"
	if i.child {
		target = "child"
	}
	if i.inside {
		via = "inside"
	}
	return fmt.Sprintf("%s %s %s %s %s", i.scenario, i.at, i.request, target, via)
}

func parseInjection(text string) (i injection, err error) {
	var target, via, at string
	if _, err = fmt.Sscan(text, &i.scenario, &at, &i.request, &target, &via); err != nil {
		return i, fmt.Errorf("injection %q: want SCENARIO METHOD/N REQUEST session|child inside|outside: %w", text, err)
	}
	method, n, _ := strings.Cut(at, "/")
	i.at.method, i.child, i.inside = method, target == "child", via == "inside"
	_, err = fmt.Sscan(n, &i.at.n)
	return i, err
}

// An injected play is one play of a scenario into which at most one request is injected.
// After its events the play goes on until nothing is left to do: blocked calls are
// released, timers get their time and open questions an answer.
type injected struct {
	*world
	what injection

	mu           sync.Mutex
	calls        map[string]int // by method
	fired        bool
	firing       bool   // the request is being delivered
	sent         string // the session that the request went to, "" when there was none
	err          error  // how the request was refused
	undo         func() // takes back what the request began: lifts the pause
	over         bool   // the events have been played: calls are no longer counted
	now          *engine.Engine
	other        *engine.Engine
	removed      string   // the step that the request removed
	removedVisit int      // the visit that it was in
	refused      []string // how each event was refused, "" for those that were taken
	broken       []violation
}

// playInjected plays a scenario with one injection, or none where what is zero.
func playInjected(t testing.TB, s *scenario, store engine.Store, bubble bool, what injection) *injected {
	p := &injected{what: what, calls: map[string]int{}}
	p.world = &world{t: t, s: s, store: store, bubble: bubble, fakes: newFakes(), keys: map[string]string{},
		quiet: slog.New(slog.NewTextHandler(io.Discard, nil)), plan: faults.Plan{Before: p.before}}
	if !bubble {
		p.prefix = freshPrefix()
	}
	p.other = engine.New(store, p.fakes.registry(), engine.Options{Log: p.quiet, Name: "other"})
	p.started = func(e *engine.Engine) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.now = e
	}
	p.begin()
	defer func() { p.stop() }()
	for _, e := range s.events {
		p.refused = append(p.refused, p.plain(errorText(p.doAgain(e))))
		p.rest()
		p.takeBack()
	}
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.drain()
	return p
}

// doAgain plays an event. An edit of the state that is refused because of what the session is
// doing just now is repeated, as the refusal says: the scenario goes on with its effect.
func (p *injected) doAgain(e event) error {
	err := p.do(e)
	for range 10 {
		if e.refuse != "" || !errors.Is(err, engine.ErrSessionBusy) && !errors.Is(err, engine.ErrVersionMismatch) {
			break
		}
		p.rest()
		if p.bubble {
			time.Sleep(2 * time.Second)
		}
		p.rest()
		err = p.do(e)
	}
	return err
}

// rest lets the engine do what it can do now.
func (p *injected) rest() {
	if p.bubble {
		synctest.Wait()
		return
	}
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		firing := p.firing // what is on its way to the store is not seen there
		p.mu.Unlock()
		if !firing && p.rests() {
			return
		}
	}
}

// before is called before each store call of the scenario's engine.
func (p *injected) before(c faults.Call) {
	p.mu.Lock()
	hit := false
	if !p.over {
		p.calls[c.Method]++
		hit = !p.fired && p.what.at == point{c.Method, p.calls[c.Method]}
		p.fired = p.fired || hit
		p.firing = hit || p.firing
	}
	p.mu.Unlock()
	if hit {
		p.fire()
		p.mu.Lock()
		p.firing = false
		p.mu.Unlock()
	}
}

// fire delivers the injection's request. It runs on the goroutine of the store call, which
// waits for it: nothing of the engine that depends on the call can happen meanwhile.
func (p *injected) fire() {
	via := p.other
	p.mu.Lock()
	if p.what.inside {
		via = p.now
	}
	p.mu.Unlock()
	target := p.target()
	if target == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), 5*time.Second)
	defer cancel()
	undo, err := injections[p.what.request].send(ctx, p, via, target)
	p.mu.Lock()
	defer p.mu.Unlock()
	if errors.Is(err, errNotApplicable) {
		return
	}
	p.sent, p.undo, p.err = target, undo, err
}

// target is the session that the request goes to, "" when there is none.
func (p *injected) target() string {
	ctx := context.WithoutCancel(p.t.Context())
	root := p.prefix + "A"
	if _, err := p.store.Session(ctx, root); err != nil {
		return ""
	}
	if !p.what.child {
		return root
	}
	children, err := p.store.Children(ctx, root)
	if err != nil {
		p.t.Error(err)
		return ""
	}
	for _, id := range children {
		if rec, err := p.store.Session(ctx, id); err == nil && !hasEnded(rec.Status) {
			return id
		}
	}
	return ""
}

func hasEnded(status string) bool {
	return slices.Contains([]string{engine.StatusComplete, engine.StatusCancelled, engine.StatusError}, status)
}

// takeBack ends what the request began, once the event it fell into is over.
func (p *injected) takeBack() {
	p.mu.Lock()
	undo := p.undo
	p.undo = nil
	p.mu.Unlock()
	if undo != nil {
		undo()
		p.rest()
	}
}

// drain lets everything end that can end.
func (p *injected) drain() {
	p.takeBack()
	length := 20 * time.Second // more than a lease
	for range 6 {
		for _, call := range p.fakes.waiting() {
			name, _, _ := strings.Cut(call, " (visit")
			p.fakes.release(name)
		}
		if p.bubble {
			time.Sleep(length)
		}
		length = 2 * time.Second
		p.takeBack() // of a request that was accepted only now
		p.rest()
		if !p.answerAll() && len(p.fakes.waiting()) == 0 {
			break
		}
		p.rest()
	}
	if p.bubble { // what came last is found by a poll
		time.Sleep(length)
	}
	p.rest() // the last call may have ended only after it was seen to be under way
}

// answers are tried in turn on an open question.
var answers = []string{`"yes"`, `true`, `1`, `"Ada"`, `{}`, `[]`}

// answerAll answers every open question; it returns false when there is none.
func (p *injected) answerAll() bool {
	any := false
	for _, name := range p.sessions {
		s, err := p.other.Session(p.t.Context(), p.prefix+name)
		if err != nil {
			continue
		}
		for _, q := range s.Awaiting {
			if q.Answered {
				continue
			}
			any = true
			p.answerOne(p.prefix+name, q)
		}
	}
	return any
}

func (p *injected) answerOne(session string, q engine.Question) {
	if q.Session != "" {
		session = q.Session
	}
	if q.Kind == engine.AskSignal {
		_, err := p.engine.Act(p.t.Context(), engine.Action{Session: session, Kind: engine.RequestSignal, Name: q.Prompt})
		p.answeredWith(session, q, err)
		return
	}
	tries := answers
	for _, o := range q.Options {
		tries = append([]string{text2json(o.Text)}, tries...)
	}
	var err error
	for _, response := range tries {
		_, err = p.engine.Answer(p.t.Context(), engine.AnswerRequest{Session: session, Step: q.Step, Visit: q.Visit, Ask: q.Ask, Response: []byte(response)})
		if !errors.Is(err, engine.ErrAnswerInvalid) {
			break
		}
	}
	p.answeredWith(session, q, err)
}

// answeredWith reports a question that is shown as open and takes no answer.
func (p *injected) answeredWith(session string, q engine.Question, err error) {
	if err != nil && !errors.Is(err, engine.ErrAnswerInvalid) {
		p.violate("open question takes no answer", session, "%s/%d/%d: %v", q.Step, q.Visit, q.Ask, err)
	}
}

// A violation is one finding of the oracle. Reason is its kind, the key of the table of
// known violations.
type violation struct{ reason, detail string }

func (p *injected) violate(reason, session, format string, args ...any) {
	p.broken = append(p.broken, violation{reason, p.plain(session) + ": " + p.plain(fmt.Sprintf(format, args...))})
}
