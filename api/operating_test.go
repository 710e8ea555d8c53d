package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

func TestFork(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", object{"response": "Ada"}).want(200)
	at := "/api/v1/sessions/" + id + "/fork"
	fork := w.do("POST", at+"?wait=10s", object{"step": "hello", "visit": 1, "id": "fork-1"}, "Idempotency-Key: f").want(201).is("fork-1", "id").is("sure", "awaiting", 0, "step")
	if base, _ := url.Parse(at); base.ResolveReference(&url.URL{Path: fork.header.Get("Location")}).Path != "/api/v1/sessions/fork-1" {
		t.Errorf("Location %q", fork.header.Get("Location"))
	}
	again := w.do("POST", at+"?wait=10s", object{"step": "hello", "visit": 1, "id": "fork-1"}, "Idempotency-Key: f").want(201)
	if again.header.Get(replayedHeader) != "true" {
		t.Error("the same fork again is not marked")
	}
	w.do("POST", at, object{"step": "hello", "id": "fork-1"}).problem("session_exists")
	w.do("POST", at, object{"step": "nowhere"}).problem("step_not_found")
	w.do("POST", at, object{"step": "hello", "visit": 9}).problem("step_not_found")
	w.do("POST", "/api/v1/sessions/none/fork", object{"step": "hello"}).problem("session_not_found")
	edited := w.do("POST", at+"?wait=10s", object{"step": "hello", "state": object{"data": object{"outputs": object{"root": []any{object{"response": "Grace"}}}}}}).want(201)
	if !strings.Contains(edited.text, "Hello Grace") {
		t.Errorf("with another state: %s", edited.text)
	}
	w.do("GET", "/api/v1/sessions/"+id, nil).is("sure", "awaiting", 0, "step") // as it was
}

func TestExplain(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	at := "/api/v1/sessions/" + id + "/explain"
	w.do("GET", at, nil).want(200).is("awaiting_input", "status").is("root", "because", 0, "step").is("stepgraph session answer "+id+" ANSWER --step root", "because", 0, "mend")
	text := w.do("GET", at, nil, "Accept: text/plain").want(200)
	if kind := text.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") || !strings.Contains(text.text, "asks \"Name?\"") {
		t.Errorf("%s: %s", kind, text.text)
	}
	for accept, want := range map[string]bool{"text/plain, */*": true, "application/json, text/plain": false, "": false, "text/html,text/plain;q=0.9": true, "*/*": false} {
		if wantsText(accept) != want {
			t.Errorf("Accept %q: text %t", accept, !want)
		}
	}
	w.do("GET", "/api/v1/sessions/none/explain", nil).problem("session_not_found")
	w.do("GET", "/api/v1/sessions/none/requests", nil).problem("session_not_found")
}

// TestWhomAnEditTouches asks before the edit and is told with it.
func TestWhomAnEditTouches(t *testing.T) {
	w := newWorld(t, Options{})
	before := w.start("talk")
	at := w.start("talk")
	w.do("POST", "/api/v1/sessions/"+at+"/answer?wait=10s", object{"response": "Ada"}).want(200)
	w.start("plain")
	steps := "/api/v1/workflows/talk/steps/"
	w.do("GET", steps+"sure/affected", nil).want(200).is(1, "at", "count").is(at, "at", "sessions", 0).is(before, "before", "sessions", 0).is(2, "scanned")
	w.do("GET", steps+"root/affected", nil).want(200).is(before, "at", "sessions", 0).is(at, "behind", "sessions", 0)
	next := w.do("GET", steps+"root/affected?limit=1", nil).want(200).is(true, "more").is(1, "behind", "count").json["next"]
	w.do("GET", fmt.Sprintf("%sroot/affected?limit=1&cursor=%s", steps, next), nil).want(200).is(0, "behind", "count").is(before, "at", "sessions", 0)
	w.do("GET", steps+"root/affected?cursor=x", nil).problem("bad_request")
	w.do("GET", "/api/v1/workflows/talk/paths/hello%3Esure/affected", nil).want(200).is("hello", "step").is(1, "before", "count")
	w.do("GET", steps+"nowhere/affected", nil).problem("step_not_found")
	w.do("GET", "/api/v1/workflows/talk/paths/x/affected", nil).problem("path_not_found")
	w.do("GET", "/api/v1/workflows/none/steps/root/affected", nil).problem("workflow_not_found")

	w.do("PATCH", steps+"sure", object{"name": "x"}).want(200).is(1, "affected", "at_step").is(2, "affected", "sessions", "awaiting_input")
	w.do("POST", "/api/v1/workflows/talk/paths", object{"id": "p", "source": "root", "target": "sure"}).want(201).is(1, "affected", "at_step")
	w.do("PATCH", "/api/v1/workflows/talk/paths/p", object{"label": "x"}).want(200).is(1, "affected", "at_step")
	w.do("DELETE", "/api/v1/workflows/talk/paths/p", nil).want(200).is(1, "affected", "at_step")

	path := "/api/v1/workflows/talk/paths/root%3Ehello/whatif"
	w.do("POST", path, object{"condition": object{"false": "@{SESSION_ID}.root.response"}}).want(200).
		is(1, "scanned").is(1, "open_now").is(0, "open_then").is(1, "changed").is(at, "sessions", 0)
	w.do("POST", path, object{"condition": "@{SESSION_ID}.root.response", "operator": "OR", "limit": 5}).want(200).is(0, "changed")
	w.do("POST", "/api/v1/workflows/talk/paths/x/whatif", object{}).problem("path_not_found")
}

// TestUndo takes an edit back, and then the removal of the step.
func TestUndo(t *testing.T) {
	w := newWorld(t, Options{})
	w.start("talk")
	log := "/api/v1/workflows/talk/log?step=hello"
	first := w.do("GET", log, nil).want(200).is(true, "items", 0, "current").str("items", 0, "hash")
	w.do("PATCH", "/api/v1/workflows/talk/steps/hello", object{"input": `{"message": "Other"}`, "x": 7}).want(200)
	w.start("talk") // reads, and so keeps, the new text
	both := w.do("GET", log, nil).want(200).is(first, "items", 0, "hash").is(false, "items", 0, "current").is(true, "items", 1, "current")
	second := both.str("items", 1, "hash")
	diff := "/api/v1/workflows/talk/steps/hello/diff?from=" + first[:8]
	w.do("GET", diff, nil).want(200).is("input", "items", 0, "name").is(`{"message": "Other"}`, "items", 0, "to")
	w.do("GET", diff+"&to="+first, nil).want(200).is("[]", "items")
	w.do("GET", "/api/v1/workflows/talk/steps/hello/diff?from=abcdef12", nil).problem("step_not_found")
	w.do("GET", "/api/v1/workflows/talk/steps/hello/diff", nil).problem("request_invalid")
	restore := "/api/v1/workflows/talk/steps/hello/restore"
	w.do("POST", restore, object{"hash": first}).want(200).is(`{"message":"Hello @{SESSION_ID}.root.response"}`, "step", "input").is(7, "step", "x").is("[]", "problems")
	w.do("DELETE", "/api/v1/workflows/talk/steps/hello", nil).want(200)
	w.do("DELETE", "/api/v1/workflows/talk/steps/sure", nil).want(200)
	w.do("POST", restore, object{"hash": second[:6]}).want(200).is("hello", "step", "id").is("target_gone", "problems", 0, "code")
	w.do("POST", restore, object{"hash": "abcdef"}).problem("step_not_found")
	w.do("GET", "/api/v1/workflows/none/log", nil).problem("workflow_not_found")
	if found := w.do("GET", "/api/v1/workflows/talk/validate", nil).want(200).at("problems").([]any); len(found) == 0 {
		t.Error("a step that nothing leads to is not a problem")
	}
	w.do("GET", "/api/v1/workflows/none/validate", nil).problem("workflow_not_found")
}

func TestStatsAndDoctor(t *testing.T) {
	w := newWorld(t, Options{})
	w.start("talk")
	second := w.start("talk")
	w.do("POST", "/api/v1/sessions/"+second+"/answer?wait=10s", object{"response": "Ada"}).want(200)
	w.start("broken")
	w.do("GET", "/api/v1/workflows/talk/stats", nil).want(200).is(2, "sessions").is(2, "status", engine.StatusAwaitingInput).is(1, "waiting", "root").is(1, "waiting", "sure")
	w.do("GET", "/api/v1/workflows/broken/stats", nil).want(200).is(1, "status", engine.StatusError).is("map[]", "waiting").is(1, "steps", "root", engine.StatusError).is(false, "more")
	w.do("GET", "/api/v1/workflows/none/stats", nil).problem("workflow_not_found")
	found := w.do("GET", "/api/v1/doctor", nil).want(200)
	if found.str("status") == "error" || !strings.Contains(found.text, "memory") {
		t.Errorf("doctor: %s", found.text)
	}
	w.do("GET", "/api/v1/awaiting?label=team%3Dblue", nil).want(200).is("[]", "items")
	w.do("GET", "/api/v1/awaiting?workflow=talk&step=sure", nil).want(200).is(second, "items", 0, "session")
}
