package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/engine"
)

type stateOut struct {
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag" doc:"the session's version"`
	Body        []byte
}

type putStateIn struct {
	AtSession
	Match
	RawBody []byte
}

func (r *sessionRoutes) registerState() {
	register(r.routeTable, operation{id: "getState", method: http.MethodGet, path: "/api/v1/sessions/{session}/state", tag: tagSessions,
		summary: "Read a session's state", problems: []string{"session_not_found"},
		about: "The state itself, to the letter as it is stored; times in it are milliseconds. One that was made by hand and is not valid JSON comes as text/plain."}, r.getState)
	op := r.api.OpenAPI().Paths["/api/v1/sessions/{session}/state"].Get
	op.Responses["200"].Content = map[string]*huma.MediaType{"application/json": {Schema: r.anyObject("SessionState")}}
	register(r.routeTable, operation{id: "putState", method: http.MethodPut, path: "/api/v1/sessions/{session}/state", tag: tagSessions,
		summary: "Replace the state of an idle session",
		about:   "The session is woken with the new state and the graph of now. Who did it is kept.", limit: largeLimit, object: true, objectName: "SessionState",
		problems: []string{"session_not_found", "session_busy", "version_mismatch", "version_required"}}, r.putState)
}

func (r *sessionRoutes) getState(ctx context.Context, in *sessionIn) (*stateOut, error) {
	text, version, err := r.e.State(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		text = []byte("{}") // made by hand without a state
	}
	kind := "application/json"
	if !json.Valid(text) {
		kind = "text/plain; charset=utf-8" // so that it can be read and mended
	}
	return &stateOut{ContentType: kind, ETag: versionTag(version), Body: text}, nil
}

func (r *sessionRoutes) putState(ctx context.Context, in *putStateIn) (*sessionOut, error) {
	version, any, err := in.version()
	if err != nil {
		return nil, err
	}
	if any {
		if _, version, err = r.e.State(ctx, in.Session); err != nil {
			return nil, err
		}
	}
	session, err := r.e.EditState(ctx, engine.EditRequest{Session: in.Session, Version: version, State: in.RawBody, By: by})
	if err != nil {
		return nil, err
	}
	return answerWith(session), nil
}
