package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestBadRequests: whatever is wrong with a request, the right problem answers it.
func TestBadRequests(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	ended := w.start("plain")
	typed := w.start("typed")
	chosen := w.start("talk")
	w.do("POST", "/api/v1/sessions/"+chosen+"/answer?wait=10s", map[string]any{"response": "Ada"}).want(200)
	at := func(id, action string) string { return "/api/v1/sessions/" + id + "/" + action }
	deep := strings.Repeat("[", 201) + strings.Repeat("]", 201)
	for _, c := range []struct {
		name, method, path, body, kind string
		slug, place, parameter         string
	}{
		{"not JSON", "POST", "/api/v1/sessions", `{"workflow": `, "", "bad_request", "", ""},
		{"not UTF-8", "POST", "/api/v1/sessions", "{\"workflow\": \"\xff\"}", "", "bad_request", "", ""},
		{"two values", "POST", "/api/v1/sessions", `{} {}`, "", "bad_request", "", ""},
		{"too deep", "POST", at(id, "answer"), `{"response": ` + deep + `}`, "", "bad_request", "", ""},
		{"no body", "POST", "/api/v1/sessions", ``, "", "bad_request", "", ""},
		{"form", "POST", "/api/v1/sessions", `workflow=talk`, "application/x-www-form-urlencoded", "unsupported_media_type", "", ""},
		{"text", "POST", at(id, "pause"), `{}`, "text/plain", "unsupported_media_type", "", ""},
		{"broken type", "POST", "/api/v1/sessions", `{}`, "/;", "unsupported_media_type", "", ""},
		{"patch as text", "PATCH", "/api/v1/workflows/talk/steps/root", `{}`, "text/plain", "unsupported_media_type", "", ""},
		{"no object", "POST", "/api/v1/sessions", `[]`, "", "request_invalid", "", ""},
		{"unknown field", "POST", "/api/v1/sessions", `{"workflow": "talk", "wrkflow": 1}`, "", "request_invalid", "/wrkflow", ""},
		{"wrong type", "POST", "/api/v1/sessions", `{"workflow": 5}`, "", "request_invalid", "/workflow", ""},
		{"inputs no object", "POST", "/api/v1/sessions", `{"workflow": "talk", "inputs": [1]}`, "", "bad_request", "/inputs", ""},
		{"id with slash", "POST", "/api/v1/sessions", `{"workflow": "talk", "id": "a/b"}`, "", "bad_request", "", ""},
		{"id too long", "POST", "/api/v1/sessions", `{"workflow": "talk", "id": "` + strings.Repeat("x", 201) + `"}`, "", "request_invalid", "/id", ""},
		{"response missing", "POST", at(id, "answer"), `{"step": "root"}`, "", "request_invalid", "/response", ""},
		{"visit zero", "POST", at(id, "answer"), `{"response": 1, "visit": 0}`, "", "request_invalid", "/visit", ""},
		{"wait", "POST", at(id, "answer?wait=x"), `{"response": 1}`, "", "request_invalid", "", "wait"},
		{"move nowhere", "POST", at(id, "move"), `{}`, "", "request_invalid", "/to", ""},
		{"signal unnamed", "POST", at(id, "signal"), `{"name": ""}`, "", "request_invalid", "/name", ""},
		{"nested place", "PUT", "/api/v1/workflows/x", `{"steps": [{"id": "a"}, {"id": "b", "x": "left"}], "paths": []}`, "", "request_invalid", "/steps/1/x", ""},
		{"missing inside", "PUT", "/api/v1/workflows/x", `{"steps": [{"function": "say"}], "paths": []}`, "", "request_invalid", "/steps/0/id", ""},

		{"no session", "GET", "/api/v1/sessions/none", ``, "", "session_not_found", "", ""},
		{"no session to answer", "POST", at("none", "answer"), `{"response": 1}`, "", "session_not_found", "", ""},
		{"no session to pause", "POST", at("none", "pause"), ``, "", "session_not_found", "", ""},
		{"no session to move", "POST", at("none", "move"), `{"to": "root"}`, "", "session_not_found", "", ""},
		{"no session's state", "GET", at("none", "state"), ``, "", "session_not_found", "", ""},
		{"no session's messages", "GET", at("none", "messages"), ``, "", "session_not_found", "", ""},
		{"no session's executions", "GET", at("none", "executions"), ``, "", "session_not_found", "", ""},
		{"no session's events", "GET", at("none", "events"), ``, "", "session_not_found", "", ""},
		{"no session to delete", "DELETE", "/api/v1/sessions/none", ``, "", "session_not_found", "", ""},
		{"no workflow", "POST", "/api/v1/sessions", `{"workflow": "none"}`, "", "workflow_not_found", "", ""},
		{"no workflow to read", "GET", "/api/v1/workflows/none", ``, "", "workflow_not_found", "", ""},
		{"no workflow to delete", "DELETE", "/api/v1/workflows/none", ``, "", "workflow_not_found", "", ""},
		{"no workflow to export", "GET", "/api/v1/workflows/none/export", ``, "", "workflow_not_found", "", ""},
		{"no workflow for a step", "POST", "/api/v1/workflows/none/steps", `{"id": "a"}`, "", "workflow_not_found", "", ""},
		{"no entry", "POST", "/api/v1/sessions", `{"workflow": "talk", "entry": "nowhere"}`, "", "no_entry", "", ""},
		{"no step to advance", "POST", at(id, "advance"), `{"step": "nowhere"}`, "", "step_not_found", "", ""},
		{"no step to answer", "POST", at(id, "answer"), `{"step": "nowhere", "response": 1}`, "", "step_not_found", "", ""},
		{"no step to read", "GET", "/api/v1/workflows/talk/steps/nowhere", ``, "", "step_not_found", "", ""},
		{"no path to read", "GET", "/api/v1/workflows/talk/paths/nowhere", ``, "", "path_not_found", "", ""},
		{"no step to patch", "PATCH", "/api/v1/workflows/talk/steps/nowhere", `{}`, "", "step_not_found", "", ""},
		{"no step to remove", "DELETE", "/api/v1/workflows/talk/steps/nowhere", ``, "", "step_not_found", "", ""},
		{"no step for a path", "POST", "/api/v1/workflows/talk/paths", `{"source": "root", "target": "nowhere"}`, "", "step_not_found", "", ""},
		{"no path to patch", "PATCH", "/api/v1/workflows/talk/paths/nowhere", `{}`, "", "path_not_found", "", ""},
		{"no path to remove", "DELETE", "/api/v1/workflows/talk/paths/nowhere", ``, "", "path_not_found", "", ""},
		{"step exists", "POST", "/api/v1/workflows/talk/steps", `{"id": "root"}`, "", "step_exists", "", ""},
		{"path exists", "POST", "/api/v1/workflows/talk/paths", `{"id": "root>hello", "source": "root", "target": "hello"}`, "", "path_exists", "", ""},
		{"session exists", "POST", "/api/v1/sessions", `{"workflow": "talk", "id": "` + id + `"}`, "", "session_exists", "", ""},
		{"nothing asked", "POST", at(ended, "answer"), `{"response": 1}`, "", "no_open_question", "", ""},
		{"answered already", "POST", at(chosen, "answer"), `{"step": "root", "response": "Bob"}`, "", "already_answered", "", ""},
		{"no option", "POST", at(chosen, "answer"), `{"response": "green"}`, "", "answer_invalid", "/response", ""},
		{"not by schema", "POST", at(typed, "answer"), `{"response": {"age": "old"}}`, "", "answer_invalid", "/response/age", ""},
		{"session at work", "DELETE", "/api/v1/sessions/" + id, ``, "", "session_busy", "", ""},
		{"session ended", "POST", at(ended, "cancel"), ``, "", "session_ended", "", ""},
		{"other version", "DELETE", "/api/v1/workflows/talk", ``, `If-Match: "old"`, "version_mismatch", "", ""},
		{"other version of a step's workflow", "PATCH", "/api/v1/workflows/talk/steps/root", `{"name": "x"}`, `If-Match: "old"`, "version_mismatch", "", ""},
		{"no version", "PUT", at(ended, "state"), `{}`, "", "version_required", "", ""},
		{"no such file", "POST", "/api/v1/workflows/import?name=a.cypher", `CREATE (`, "text/plain", "workflow_invalid", "", ""},
		{"unknown file", "POST", "/api/v1/workflows/import?name=a.md", `# Notes`, "text/plain", "workflow_invalid", "", ""},
		{"file without name", "POST", "/api/v1/workflows/import", `# Notes`, "text/plain", "workflow_invalid", "", ""},
		{"format", "GET", "/api/v1/workflows/talk/export?format=xml", ``, "", "request_invalid", "", "format"},
		{"by", "GET", "/api/v1/sessions/count?by=moon", ``, "", "request_invalid", "", "by"},
		{"time", "GET", "/api/v1/sessions?created_after=yesterday", ``, "", "request_invalid", "", "created_after"},
		{"no route", "GET", "/api/v1/nothing", ``, "", "not_found", "", ""},
		{"no method", "PUT", "/api/v1/sessions", `{}`, "", "method_not_allowed", "", ""},
		{"no such problem", "GET", "/problems/none", ``, "", "not_found", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := *w
			w.t = t
			headers := []string{}
			if strings.HasPrefix(c.kind, "If-Match") {
				headers = append(headers, c.kind)
			} else if c.kind != "" {
				headers = append(headers, "Content-Type: "+c.kind)
			}
			var body any
			if c.body != "" {
				body = c.body
			}
			got := w.do(c.method, c.path, body, headers...).problem(c.slug)
			if c.place != "" {
				got.is(c.place, "errors", 0, "pointer")
			}
			if c.parameter != "" {
				got.is(c.parameter, "errors", 0, "parameter")
			}
			if got.str("detail") == "" && got.at("errors") == nil {
				t.Errorf("says nothing: %s", got.text)
			}
		})
	}
	// Nothing of all that has changed anything.
	w.do("GET", "/api/v1/sessions/count", nil).want(200).is(4, "total")
	w.do("GET", "/api/v1/sessions/"+id, nil).want(200).is("root", "awaiting", 0, "step").is(1, "awaiting", 0, "ask")
	w.do("GET", "/api/v1/workflows?limit=500", nil).want(200)
	if n := len(w.do("GET", "/api/v1/workflows", nil).at("items").([]any)); n != len(testWorkflows) {
		t.Errorf("%d workflows", n)
	}
}

func TestNotFoundsSayWhatExists(t *testing.T) {
	w := newWorld(t, Options{})
	w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "none"}).is("[broken default plain slow talk thinks typed]", "exists").
		is(`workflow not found: "none"`, "detail")
	w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "plain", "entry": "x"}).is("[other root]", "exists")
	w.do("DELETE", "/api/v1/workflows/talk/paths/x", nil).is("[hello>sure root>hello]", "exists")
	got := w.do("PUT", "/api/v1/sessions", `{}`)
	if allow := got.header.Values("Allow"); fmt.Sprint(allow) != "[GET POST]" {
		t.Errorf("Allow %v", allow)
	}
}

func TestAlreadyAnsweredShowsWhatCounted(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	path := "/api/v1/sessions/" + id + "/answer?wait=10s"
	w.do("POST", path, map[string]any{"step": "root", "response": "Ada"}).want(200)
	w.do("POST", path, map[string]any{"step": "root", "response": "Bob"}).problem("already_answered").is("Ada", "accepted", "response").is("root", "accepted", "step")
	again := w.do("POST", path, map[string]any{"step": "root", "response": "Ada"}).want(200).is(true, "accepted", "replayed")
	if again.header.Get(replayedHeader) != "true" {
		t.Error("the same answer again is not marked")
	}
}

func TestBodiesAreLimited(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	large := func(n int) string { return `{"response": "` + strings.Repeat("x", n) + `"}` }
	w.do("POST", "/api/v1/sessions/"+id+"/answer", large(normalLimit)).problem("too_large")
	w.do("POST", "/api/v1/sessions/"+id+"/answer", large(normalLimit-16)).want(200)
	w.do("PUT", "/api/v1/sessions/"+id+"/state", `{"x": "`+strings.Repeat("x", largeLimit)+`"}`, "If-Match: *").problem("too_large")
	w.do("PUT", "/api/v1/sessions/"+id+"/state", `{"x": "`+strings.Repeat("x", 9<<19)+`"}`, "If-Match: *").problem("too_large") // the engine's 4 MB
	w.do("POST", "/api/v1/workflows/import?name=a.cypher", strings.Repeat(" ", largeLimit+1), "Content-Type: text/plain").problem("too_large")

	// A length that is not announced is limited too.
	r, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+"/api/v1/sessions", struct{ *strings.Reader }{strings.NewReader(large(normalLimit))})
	if err != nil {
		t.Fatal(err)
	}
	w.send(r).problem("too_large")
}

func TestEveryProblemHasAPage(t *testing.T) {
	w := newWorld(t, Options{})
	index := w.do("GET", "/problems", nil).want(200)
	for i := range problemTable {
		row := &problemTable[i]
		if row.Title == "" {
			problemRowOf(row.Slug)
			continue
		}
		got := w.do("GET", "/problems/"+row.Slug, nil).want(200)
		if !strings.Contains(got.text, row.Means) || !strings.Contains(index.text, got.text) {
			t.Errorf("%s: page is %s", row.Slug, got.text)
		}
	}
}
