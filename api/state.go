package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
)

type stateOut struct {
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag" doc:"the session's version"`
	Body        json.RawMessage
}

type putStateIn struct {
	AtSession
	Match
	RawBody []byte
}

func (s *server) registerState() {
	register(s, operation{id: "getState", method: http.MethodGet, path: "/api/v1/sessions/{session}/state", tag: tagSessions,
		summary: "Read a session's state", about: "The state itself, as it is stored. Times in it are milliseconds.",
		problems: []string{"session_not_found", "bad_request"}}, s.getState)
	register(s, operation{id: "putState", method: http.MethodPut, path: "/api/v1/sessions/{session}/state", tag: tagSessions,
		summary: "Replace the state of a session at rest",
		about:   "The session is woken with the new state and the graph of now. Who did it is kept.", limit: largeLimit, object: true,
		problems: []string{"session_not_found", "session_busy", "version_mismatch", "version_required"}}, s.putState)
}

func (s *server) getState(ctx context.Context, in *sessionIn) (*stateOut, error) {
	text, version, err := s.e.State(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		text = []byte("{}") // made by hand without a state
	}
	if !json.Valid(text) {
		return nil, problem("bad_request", "the state that is stored is no JSON; it can be replaced with PUT")
	}
	return &stateOut{ContentType: "application/json", ETag: versionTag(version), Body: text}, nil
}

func (s *server) putState(ctx context.Context, in *putStateIn) (*sessionOut, error) {
	version, any, err := in.version()
	if err != nil {
		return nil, err
	}
	if any {
		if _, version, err = s.e.State(ctx, in.Session); err != nil {
			return nil, err
		}
	}
	session, err := s.e.EditState(ctx, in.Session, version, bytes.Clone(in.RawBody), by) // huma uses the buffer again
	if err != nil {
		return nil, err
	}
	return answerWith(session), nil
}
