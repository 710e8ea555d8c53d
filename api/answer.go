package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

// AnswerBody answers a question or an approval.
type AnswerBody struct {
	Step     string          `json:"step,omitempty" doc:"the step that asks; the question that waits longest when left out"`
	Visit    int             `json:"visit,omitempty" minimum:"1" doc:"which visit of the step; the newest when left out"`
	Ask      int             `json:"ask,omitempty" minimum:"1" doc:"which question of the visit; the newest when left out"`
	Response json.RawMessage `json:"response" doc:"any JSON the question takes; for an approval {approved, input?, reason?}, true or false" example:"\"Ada\""`
}

type answerIn struct {
	AtSession
	Waiting
	Keyed
	Body AnswerBody
}

func (r *sessionRoutes) registerAnswer() {
	register(r.routeTable, operation{id: "answer", method: http.MethodPost, path: "/api/v1/sessions/{session}/answer", tag: tagPeople,
		summary: "Answer a question or an approval",
		about: "Answers 200 once the answer is durable, with what was accepted. The same answer to the same question again is a success; " +
			"another one is already_answered. With ?wait= it answers when the session rests again.",
		problems: []string{"session_not_found", "step_not_found", "no_open_question", "already_answered", "answer_invalid"}}, r.answer)
}

func (r *sessionRoutes) answer(ctx context.Context, in *answerIn) (*sessionOut, error) {
	wait, err := parseWait(in.Wait)
	if err != nil {
		return nil, err
	}
	b := &in.Body
	session, err := r.e.Answer(ctx, engine.AnswerRequest{Session: in.Session, Step: b.Step, Visit: b.Visit, Ask: b.Ask,
		Response: b.Response, Key: in.Key, By: by})
	if err != nil {
		return nil, err
	}
	if session, err = r.wait(ctx, session, wait); err != nil {
		return nil, err
	}
	return answerWith(session), nil
}

// by is who made a request, as kept with it.
const by = "api"
