package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

// AnswerBody answers a question or an approval.
type AnswerBody struct {
	Step     string          `json:"step,omitempty" doc:"the step of the question; the oldest open question by default"`
	Visit    int             `json:"visit,omitempty" minimum:"1" doc:"visit of the step; the newest by default"`
	Ask      int             `json:"ask,omitempty" minimum:"1" doc:"number of the question within the visit; the newest by default"`
	Response json.RawMessage `json:"response" doc:"JSON that matches the question; for an approval {approved, input?, reason?}, true or false" example:"\"Ada\""`
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
		about: "Answers 200 with the accepted answer once it is durable. Repeating the same answer to the same question succeeds; " +
			"a different one is already_answered. With ?wait= it responds when the session is idle again.",
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
