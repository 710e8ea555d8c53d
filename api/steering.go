package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

// ReasonBody goes with pause, resume and cancel.
type ReasonBody struct {
	Reason string `json:"reason,omitempty" maxLength:"10000" doc:"kept with the request"`
}

// RetryBody goes with retry.
type RetryBody struct {
	Step   string `json:"step,omitempty" doc:"one step in error; all of them when left out"`
	NewKey bool   `json:"new_key,omitempty" doc:"call under a fresh idempotency key"`
}

// StepBody goes with advance.
type StepBody struct {
	Step string `json:"step" minLength:"1" doc:"the finished step whose paths are judged again"`
}

// MoveBody goes with move.
type MoveBody struct {
	From string `json:"from,omitempty" doc:"the step that is closed"`
	To   string `json:"to" minLength:"1" doc:"the step that is activated"`
}

// ReaskBody goes with reask.
type ReaskBody struct {
	Step string `json:"step,omitempty" doc:"one step that waits; all of them when left out"`
}

// RollbackBody goes with rollback.
type RollbackBody struct {
	Step       string `json:"step" minLength:"1" doc:"the step before whose visit the session goes back"`
	Visit      int    `json:"visit,omitempty" minimum:"0" doc:"the newest when left out"`
	Compensate string `json:"compensate,omitempty" doc:"a step that runs before, to undo outside what the session cannot"`
}

// SignalBody goes with signal.
type SignalBody struct {
	Name string          `json:"name" minLength:"1" doc:"what the session waits for"`
	Body json.RawMessage `json:"body,omitempty" doc:"any JSON"`
}

// action makes an engine's action of one kind of body.
type action[B any] struct {
	kind, summary, about string
	optional             bool // the body may be left out
	problems             []string
	make                 func(b *B) engine.Action
}

type actIn[B any] struct {
	AtSession
	Waiting
	Keyed
	Body B
}

func (r *sessionRoutes) registerSteering() {
	reason := func(b *ReasonBody) engine.Action { return engine.Action{Reason: b.Reason} }
	registerAction(r, action[ReasonBody]{kind: engine.RequestPause, optional: true, make: reason, summary: "Pause a session",
		about: "Calls under way finish; answers given meanwhile are applied on resume.", problems: []string{"session_ended"}})
	registerAction(r, action[ReasonBody]{kind: engine.RequestResume, optional: true, make: reason, summary: "Resume an idle session",
		about: "Lifts a pause, reads state and graph again and tries what is pending."})
	registerAction(r, action[ReasonBody]{kind: engine.RequestCancel, optional: true, make: reason, summary: "End a session",
		problems: []string{"session_ended"}})
	registerAction(r, action[RetryBody]{kind: engine.RequestRetry, optional: true, summary: "Run steps in error again",
		make:     func(b *RetryBody) engine.Action { return engine.Action{Step: b.Step, NewKey: b.NewKey} },
		problems: []string{"session_ended", "step_not_found"}})
	registerAction(r, action[StepBody]{kind: engine.RequestAdvance, summary: "Judge a finished step's paths again",
		about:    "A path added later lets a stalled session continue. A session that was started to end at the step (until) continues from it.",
		make:     func(b *StepBody) engine.Action { return engine.Action{Step: b.Step} },
		problems: []string{"session_ended", "step_not_found"}})
	registerAction(r, action[MoveBody]{kind: engine.RequestMove, summary: "Take a session from one step to another",
		make:     func(b *MoveBody) engine.Action { return engine.Action{Step: b.From, To: b.To} },
		problems: []string{"session_ended", "step_not_found"}})
	registerAction(r, action[ReaskBody]{kind: engine.RequestReask, optional: true, summary: "Show a step's current question to a session that waits already",
		make:     func(b *ReaskBody) engine.Action { return engine.Action{Step: b.Step} },
		problems: []string{"session_ended", "step_not_found"}})
	registerAction(r, action[RollbackBody]{kind: engine.RequestRollback, summary: "Take a session back to before a visit",
		about: "What ran since is cancelled, outputs and statuses become what they were, and the step begins a new visit. The history keeps all that happened.",
		make: func(b *RollbackBody) engine.Action {
			return engine.Action{Step: b.Step, Visit: b.Visit, To: b.Compensate}
		},
		problems: []string{"session_ended", "step_not_found"}})
	registerAction(r, action[SignalBody]{kind: engine.RequestSignal, summary: "Send a session a signal",
		make:     func(b *SignalBody) engine.Action { return engine.Action{Name: b.Name, Body: b.Body} },
		problems: []string{"session_ended"}})
}

func registerAction[B any](r *sessionRoutes, a action[B]) {
	about := "Answers 200 once the request is durable; with ?wait= when the session is idle again."
	if a.about != "" {
		about = a.about + " " + about
	}
	register(r.routeTable, operation{id: a.kind + "Session", method: http.MethodPost, path: "/api/v1/sessions/{session}/" + a.kind, tag: tagSteering,
		summary: a.summary, about: about, optional: a.optional, problems: append(a.problems, "session_not_found")},
		func(ctx context.Context, in *actIn[B]) (*sessionOut, error) {
			wait, err := parseWait(in.Wait)
			if err != nil {
				return nil, err
			}
			do := a.make(&in.Body)
			do.Session, do.Kind, do.Key, do.By = in.Session, a.kind, in.Key, by
			session, err := r.e.Act(ctx, do)
			if err != nil {
				return nil, err
			}
			if session, err = r.wait(ctx, session, wait); err != nil {
				return nil, err
			}
			return answerWith(session), nil
		})
}
