package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// An injectable is one kind of request that can be injected.
type injectable struct {
	// send delivers the request; undo, if not nil, is called after the event into which the
	// request fell.
	send func(ctx context.Context, p *injected, via *engine.Engine, session string) (undo func(), err error)
	// neutral: the play has to end as it does without the request.
	neutral bool
}

// errNotApplicable: there is nothing for the request to act on at this point.
var errNotApplicable = errors.New("not applicable here")

// injections are all kinds of request, by the name used in STEPGRAPH_INJECT.
var injections = map[string]injectable{
	"answer":     {send: sendAnswer},
	"heard":      {send: sendHeard},
	"signal":     {send: plainAction(engine.Action{Kind: engine.RequestSignal, Name: "nobody"}), neutral: true},
	"pause":      {send: sendPause, neutral: true},
	"resume":     {send: plainAction(engine.Action{Kind: engine.RequestResume}), neutral: true},
	"cancel":     {send: plainAction(engine.Action{Kind: engine.RequestCancel, Reason: "injected"})},
	"reask":      {send: plainAction(engine.Action{Kind: engine.RequestReask}), neutral: true},
	"retry":      {send: plainAction(engine.Action{Kind: engine.RequestRetry})},
	"move":       {send: sendMove},
	"edit":       {send: sendEdit, neutral: true},
	"remove":     {send: sendRemove},
	"child_ends": {send: sendChildEnd},
}

func injectionNames() []string {
	var names []string
	for name := range injections {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func plainAction(a engine.Action) func(context.Context, *injected, *engine.Engine, string) (func(), error) {
	return func(ctx context.Context, _ *injected, via *engine.Engine, session string) (func(), error) {
		a := a
		a.Session = session
		_, err := via.Act(ctx, a)
		return nil, err
	}
}

// sendPause pauses the session until the event is over.
func sendPause(ctx context.Context, p *injected, via *engine.Engine, session string) (func(), error) {
	_, err := via.Act(ctx, engine.Action{Session: session, Kind: engine.RequestPause})
	if errors.Is(err, engine.ErrSessionEnded) || errors.Is(err, engine.ErrSessionNotFound) {
		return nil, err // any other error leaves open whether the session was paused
	}
	return func() {
		if _, err := p.engine.Act(p.t.Context(), engine.Action{Session: session, Kind: engine.RequestResume}); err != nil {
			p.violate("pause cannot be lifted", session, "%v", err)
		}
	}, err
}

// sendAnswer answers the first question of the session that waits for a person.
func sendAnswer(ctx context.Context, p *injected, via *engine.Engine, session string) (func(), error) {
	s, err := p.other.Session(ctx, session)
	if err != nil {
		return nil, err
	}
	for _, q := range s.Awaiting {
		if q.Answered || q.Session != "" && q.Session != session || q.Kind == engine.AskSignal {
			continue
		}
		tries := answers
		if len(q.Options) > 0 {
			tries = append([]string{text2json(q.Options[0].Text)}, tries...)
		}
		for _, response := range tries {
			_, err = via.Answer(ctx, engine.AnswerRequest{Session: session, Step: q.Step, Visit: q.Visit, Ask: q.Ask, Response: json.RawMessage(response)})
			if !errors.Is(err, engine.ErrAnswerInvalid) {
				return nil, err
			}
		}
	}
	return nil, errNotApplicable
}

// sendHeard sends the signal that the session waits for.
func sendHeard(ctx context.Context, p *injected, via *engine.Engine, session string) (func(), error) {
	s, err := p.other.Session(ctx, session)
	if err != nil {
		return nil, err
	}
	for _, q := range s.Awaiting {
		late := q.Due != nil && !time.Now().Before(*q.Due) // the time has come first
		if q.Kind == engine.AskSignal && (q.Session == "" || q.Session == session) && !late {
			_, err := via.Act(ctx, engine.Action{Session: session, Kind: engine.RequestSignal, Name: q.Prompt})
			return nil, err
		}
	}
	return nil, errNotApplicable
}

// sendMove moves the session to the workflow's last step that stands in no body.
func sendMove(ctx context.Context, p *injected, via *engine.Engine, session string) (func(), error) {
	if p.what.child {
		return nil, errNotApplicable
	}
	inside := map[string]bool{}
	for _, path := range p.s.workflow.Paths {
		inside[path.Target] = inside[path.Target] || path.Kind == engine.Contains
	}
	to := ""
	for _, step := range p.s.workflow.Steps {
		if !inside[step.ID] {
			to = step.ID
		}
	}
	_, err := via.Act(ctx, engine.Action{Session: session, Kind: engine.RequestMove, To: to})
	return nil, err
}

// sendEdit changes a word of the workflow that nothing depends on.
func sendEdit(ctx context.Context, p *injected, via *engine.Engine, _ string) (func(), error) {
	w, err := via.Workflow(ctx, p.prefix+"W")
	if err != nil || len(w.Steps) == 0 {
		return nil, errNotApplicable
	}
	step := w.Steps[len(w.Steps)-1]
	step.Description = "edited"
	_, err = via.PutStep(ctx, w.ID, step, "")
	return nil, err
}

// sendRemove removes the first step that is active or waits, and says nothing to anybody.
func sendRemove(ctx context.Context, p *injected, via *engine.Engine, session string) (func(), error) {
	s, err := p.other.Session(ctx, session)
	if err != nil {
		return nil, err
	}
	for _, id := range sortedSteps(s.Steps) {
		switch s.Steps[id] {
		case engine.StatusActive, engine.StatusPending, engine.StatusAwaitingInput:
			p.removed = id
			if f := p.find(session); f != nil {
				p.removedVisit = int(f.own("live." + id + ".visit").Int())
			}
			_, err := via.RemoveStep(ctx, s.Workflow, id, "")
			return nil, err
		}
	}
	return nil, errNotApplicable
}

// sendChildEnd ends a live child at once: another engine that takes up nothing but what it
// is asked for cancels it and writes its end, so that the parent has the child's end in its
// inbox before the call at which the request was injected.
func sendChildEnd(ctx context.Context, p *injected, _ *engine.Engine, session string) (func(), error) {
	if !p.what.child {
		return nil, errNotApplicable
	}
	rec, err := p.store.Session(ctx, session)
	if err != nil || rec.Lease != "" {
		return nil, errNotApplicable // its holder has to end it
	}
	limited := &onlyAsked{Store: p.store, runs: make(chan struct{})}
	e := engine.New(limited, p.fakes.registry(), engine.Options{Log: p.quiet, Name: "child"})
	life, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- e.Run(life) }()
	<-limited.runs
	_, err = e.Act(ctx, engine.Action{Session: session, Kind: engine.RequestCancel, Reason: "injected"})
	if err == nil {
		_, err = e.Wait(ctx, session)
	}
	end()
	return nil, errors.Join(err, <-done)
}

// onlyAsked is a store on which an engine finds no due work: it claims only the sessions
// that it delivers something to.
type onlyAsked struct {
	engine.Store
	runs chan struct{} // closed once the engine runs
	once sync.Once
}

func (o *onlyAsked) Claim(context.Context, store.ClaimOptions) ([]store.Claimed, error) {
	o.once.Do(func() { close(o.runs) })
	return nil, nil
}

func (o *onlyAsked) NextDue(context.Context) (time.Time, error)         { return time.Time{}, nil }
func (o *onlyAsked) PendingWorkflows(context.Context) ([]string, error) { return nil, nil }
