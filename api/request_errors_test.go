package api

import (
	"strings"
	"testing"
)

// A request that does not fit is answered with the place, what is wrong there, and what was
// probably meant or is known.
func TestMisfitsSayWhatWasMeant(t *testing.T) {
	w := newWorld(t, Options{})
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/sessions", `{"workfow": "x"}`, `/workfow: unexpected property; did you mean "workflow"?`},
		{"POST", "/sessions", `{"zzq": 1}`, "/zzq: unexpected property; known are "},
		{"POST", "/sessions", `[]`, "the body: expected object, got a list"},
		{"POST", "/sessions", `{"workflow": 3}`, "/workflow: expected string, got 3"},
		{"GET", "/sessions?statsu=active", "", `parameter statsu: unknown query parameter; did you mean "status"?`},
		{"PUT", "/workflows/w", `{"steps": [{"id": "root", "functon": "reply"}], "paths": []}`, `/steps/0/functon: unexpected property; did you mean "function"?`},
		{"PATCH", "/workflows/talk/steps/root", `{"functon": "reply"}`, `/functon: unexpected property; did you mean "function"?`},
		{"PATCH", "/workflows/talk/steps/root", `{"approval": "yes"}`, "/approval: expected boolean, got a text"},
		{"POST", "/batches", `{"acton": "x"}`, "/action: is missing; and 1 more"},
		{"POST", "/workflows/talk/validate", `{}`, "it takes GET"},
		{"GET", "/sesions", "", "there is no such route; /docs"},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		got := w.do(c.method, "/api/v1"+c.path, body)
		detail, _ := got.json["detail"].(string)
		if got.status < 400 || detail == "" || !strings.Contains(detail, c.want) {
			t.Errorf("%s %s %s: want %s, got %d\n%s", c.method, c.path, c.body, c.want, got.status, got.text)
		}
	}
}
