package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/stepgraph/stepgraph/engine"
)

// ForkBody goes with fork.
type ForkBody struct {
	Step  string          `json:"step" minLength:"1" doc:"the step whose visit is made again"`
	Visit int             `json:"visit,omitempty" minimum:"1" doc:"which visit of it; the newest when left out"`
	State json.RawMessage `json:"state,omitempty" doc:"a state to begin with, instead of the one rebuilt from the history"`
	Until []string        `json:"until,omitempty" doc:"steps whose paths are not followed: the new session goes up to them; advance takes it on"`
	ID    string          `json:"id,omitempty" maxLength:"200" doc:"of the new session; a UUID v7 when left out"`
}

type forkIn struct {
	AtSession
	Waiting
	Keyed
	Body ForkBody
}

func (r *sessionRoutes) registerFork() {
	register(r.routeTable, operation{id: "forkSession", method: http.MethodPost, path: "/api/v1/sessions/{session}/fork", tag: tagSteering, status: http.StatusCreated,
		summary: "Start a session as another one was when a visit began", limit: largeLimit,
		about: "The visit is made again, with the graph of now. The old session is not touched. Answers 201 as soon as the new session is durable; " +
			"with ?wait= at its next pause or end.",
		problems: []string{"session_not_found", "step_not_found", "session_exists"}}, r.fork)
}

func (r *sessionRoutes) fork(ctx context.Context, in *forkIn) (*sessionOut, error) {
	wait, err := parseWait(in.Wait)
	if err != nil {
		return nil, err
	}
	b := &in.Body
	session, err := r.e.Fork(ctx, engine.ForkRequest{Session: in.Session, Step: b.Step, Visit: b.Visit, State: b.State, Until: b.Until, ID: b.ID, Key: in.Key})
	if err != nil {
		return nil, err
	}
	if session, err = r.wait(ctx, session, wait); err != nil {
		return nil, err
	}
	out := answerWith(session)
	out.Location = "../" + url.PathEscape(session.ID) // relative: right below any prefix
	return out, nil
}
