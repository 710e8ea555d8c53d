package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

func TestTalk(t *testing.T) {
	w := newWorld(t, Options{})
	made := w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk", "inputs": map[string]any{"who": "me"},
		"labels": map[string]string{"team": "blue"}}).want(201)
	id := made.str("id")
	made.is("awaiting_input", "status").is("root", "awaiting", 0, "step").is("Name?", "awaiting", 0, "prompt").
		is("question", "awaiting", 0, "kind").is("Name?", "messages", 0, "content").is("blue", "labels", "team")
	if got := made.header.Get("Location"); got != "sessions/"+id {
		t.Errorf("Location %q", got)
	}
	if got, want := made.header.Get("ETag"), fmt.Sprintf(`"%v"`, made.at("version")); got != want {
		t.Errorf("ETag %s, want %s", got, want)
	}
	for _, field := range []string{"created_at", "updated_at"} {
		if at, err := time.Parse(time.RFC3339, made.str(field)); err != nil || !strings.HasSuffix(made.str(field), "Z") || time.Since(at) > time.Minute {
			t.Errorf("%s is %s: %v", field, made.str(field), err)
		}
	}

	answered := w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10", map[string]any{"step": "root", "response": "Ada"}).want(200)
	answered.is("root", "accepted", "step").is("Ada", "accepted", "response").is(false, "accepted", "replayed").
		is("sure", "awaiting", 0, "step").is("select", "awaiting", 0, "kind").is("red", "awaiting", 0, "options", 0, "text")
	done := w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", map[string]any{"response": "blue"}).want(200)
	done.is("complete", "status").is("[]", "awaiting")

	chat := w.do("GET", "/api/v1/sessions/"+id+"/messages", nil).want(200)
	said := ""
	for _, m := range chat.at("items").([]any) {
		said += m.(map[string]any)["role"].(string)[:1] + ":" + m.(map[string]any)["content"].(string) + " "
	}
	if said != "a:Name? u:Ada a:Hello Ada a:Which? u:blue " {
		t.Errorf("chat is %s", said)
	}
	if _, err := time.Parse(time.RFC3339, chat.str("items", 0, "at")); err != nil {
		t.Error(err)
	}

	ran := w.do("GET", "/api/v1/sessions/"+id+"/executions", nil).want(200)
	ran.is("root", "items", 0, "step").is("answered", "items", 0, "status").is("[]", "items", 0, "reads").
		is("hello", "items", 1, "step").is("["+id+"/1]", "items", 1, "reads").is("["+id+"/1]", "items", 1, "took").
		is("Hello Ada", "items", 1, "input", "message").is("say", "items", 1, "function").is(3, "items", 2, "seq")
	only := w.do("GET", "/api/v1/sessions/"+id+"/executions?step=hello", nil).want(200)
	if n := len(only.at("items").([]any)); n != 1 {
		t.Errorf("%d executions of hello", n)
	}

	state := w.do("GET", "/api/v1/sessions/"+id+"/state", nil).want(200)
	state.is(id, "id").is("complete", "workflow", "root", "status").is("me", "data", "outputs", "who", 0).is("me", "data", "outputs", "initial", 0, "who")
	if state.header.Get("ETag") != done.header.Get("ETag") || state.header.Get("Content-Type") != "application/json" {
		t.Errorf("state has ETag %s, session %s", state.header.Get("ETag"), done.header.Get("ETag"))
	}
	if raw, _, err := w.engine.State(t.Context(), id); err != nil || strings.TrimSpace(state.text) != string(raw) {
		t.Errorf("state is not what is stored: %v", err)
	}

	w.do("DELETE", "/api/v1/sessions/"+id, nil).want(204)
	w.do("GET", "/api/v1/sessions/"+id, nil).problem("session_not_found")
}

func TestStartAnswersAtOnce(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "slow"}).want(201).is("active", "status").str("id")
	w.do("POST", "/api/v1/sessions/"+id+"/pause?wait=50ms", nil).want(200) // the call goes on: the time is up first
	close(w.gate)
	w.do("POST", "/api/v1/sessions/"+id+"/resume?wait=10s", nil).want(200).is("complete", "status")
}

func TestWaitTakesSecondsAndDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "0": 0, "10": 10 * time.Second, "1.5": 1500 * time.Millisecond,
		"10s": 10 * time.Second, "1m": time.Minute, "60": time.Minute, "61": -1, "61s": -1, "-1": -1, "-1s": -1, "soon": -1, "NaN": -1, "1e300": -1} {
		got, err := parseWait(text)
		if want < 0 {
			if err == nil {
				t.Errorf("%q gives %s", text, got)
			}
		} else if err != nil || got != want {
			t.Errorf("%q gives %s, %v, want %s", text, got, err, want)
		}
	}
	w := newWorld(t, Options{})
	w.do("POST", "/api/v1/sessions?wait=2h", map[string]any{"workflow": "plain"}).problem("request_invalid").is("wait", "errors", 0, "parameter")
	w.do("GET", "/api/v1/sessions", nil).want(200).is("[]", "items")
}

func TestSteering(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	post := func(action string, body any) *reply {
		return w.do("POST", "/api/v1/sessions/"+id+"/"+action+"?wait=10s", body)
	}
	post("pause", map[string]any{"reason": "lunch"}).want(200).is("paused", "status")
	post("answer", map[string]any{"response": "Ada"}).want(200).is(true, "awaiting", 0, "answered")
	post("resume", nil).want(200).is("sure", "awaiting", 0, "step")
	post("reask", map[string]any{"step": "sure"}).want(200).is(2, "awaiting", 0, "ask")
	post("move", map[string]any{"from": "sure", "to": "root"}).want(200).is("root", "awaiting", 0, "step").is(2, "awaiting", 0, "visit")
	post("signal", map[string]any{"name": "ring", "body": []int{1}}).want(200)
	post("advance", map[string]any{"step": "hello"}).want(200)
	post("cancel", nil).want(200).is("cancelled", "status")
	post("pause", nil).problem("session_ended")

	id = w.start("broken")
	w.do("GET", "/api/v1/sessions/"+id, nil).want(200).is("error", "status")
	post("retry", map[string]any{"step": "root", "new_key": true}).want(200).is("error", "status")
	if n := len(w.do("GET", "/api/v1/sessions/"+id+"/executions", nil).at("items").([]any)); n != 2 {
		t.Errorf("%d attempts, want 2", n)
	}
}

func TestPutState(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("plain")
	path := "/api/v1/sessions/" + id + "/state"
	got := w.do("GET", path, nil).want(200)
	edited := strings.Replace(got.text, `"done"`, `"edited"`, 1)
	w.do("PUT", path, edited).problem("version_required")
	w.do("PUT", path, edited, `If-Match: "999"`).problem("version_mismatch")
	w.do("PUT", path, edited, `If-Match: "x"`).problem("version_mismatch")
	w.do("PUT", path, `[]`, "If-Match: *").problem("request_invalid")
	w.do("GET", path, nil).want(200).is("done", "data", "outputs", "root", 0, "message")
	w.do("PUT", path, edited, "If-Match: "+got.header.Get("ETag")).want(200).is(id, "id")
	w.do("GET", path, nil).want(200).is("edited", "data", "outputs", "root", 0, "message")
}

func TestStateMadeByHand(t *testing.T) {
	w := newWorld(t, Options{})
	for id, text := range map[string]string{"blanks": "{ \"id\":  \"blanks\" }", "broken": "{ \"id\": "} {
		made := store.NewSession{ID: id, Workflow: "plain", State: []byte(text), Status: engine.StatusError, Root: id}
		if _, err := w.store.Create(t.Context(), []store.NewSession{made}); err != nil {
			t.Fatal(err)
		}
		got := w.do("GET", "/api/v1/sessions/"+id+"/state", nil).want(200)
		if kind := got.header.Get("Content-Type"); id == "broken" && (got.text != text || kind != "text/plain; charset=utf-8") {
			t.Errorf("%s: %s, %s", id, kind, got.text)
		}
	}
	w.do("GET", "/api/v1/sessions/broken", nil).want(200).is("error", "status").is("state_unreadable", "error", "kind")
	w.do("PUT", "/api/v1/sessions/broken/state", `{"id": "broken"}`, "If-Match: *").want(200)
}

func TestListsAndCursors(t *testing.T) {
	w := newWorld(t, Options{})
	const many = 23
	for i := range many {
		w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "talk", "id": fmt.Sprintf("s%02d", i), "labels": map[string]string{"n": fmt.Sprint(i % 2)}}).want(201)
	}
	for i := range many {
		if _, err := w.engine.Wait(t.Context(), fmt.Sprintf("s%02d", i)); err != nil {
			t.Fatal(err)
		}
	}
	for list, key := range map[string]string{"/api/v1/sessions": "id", "/api/v1/awaiting": "session"} {
		seen := map[string]bool{}
		next, pages := "", 0
		for {
			page := w.do("GET", list+"?limit=5&cursor="+url.QueryEscape(next), nil).want(200)
			for _, item := range page.at("items").([]any) {
				id := item.(map[string]any)[key].(string)
				if seen[id] {
					t.Errorf("%s: %s twice", list, id)
				}
				seen[id] = true
			}
			pages++
			if next, _ = page.json["next"].(string); next == "" {
				break
			}
		}
		if len(seen) != many || pages != 5 {
			t.Errorf("%s: %d items on %d pages", list, len(seen), pages)
		}
	}
	count := func(query string, want int) {
		t.Helper()
		if got := len(w.do("GET", "/api/v1/sessions?limit=500&"+query, nil).want(200).at("items").([]any)); got != want {
			t.Errorf("%s: %d sessions, want %d", query, got, want)
		}
	}
	count("status=awaiting_input", many)
	count("status=complete,awaiting_input", many)
	count("status=complete&status=error", 0)
	count("workflow=talk", many)
	count("workflow=other", 0)
	count("awaiting=true&step=root", many)
	count("step=sure", 0)
	count("q=s07", 1)
	count("label=n%3D1", many/2)
	count("created_after=2999-01-01T00:00:00Z", 0)
	w.do("GET", "/api/v1/sessions/count?by=workflow,status", nil).want(200).is(many, "counts", "talk,awaiting_input").is(many, "total")
	w.do("GET", "/api/v1/sessions/count?by=step", nil).want(200).is(many, "counts", "talk/root")
	w.do("GET", "/api/v1/sessions/count", nil).want(200).is(many, "counts", "awaiting_input").is("status", "by")

	cursorOfSessions := w.do("GET", "/api/v1/sessions?limit=1", nil).str("next")
	w.do("GET", "/api/v1/awaiting?cursor="+cursorOfSessions, nil).problem("bad_request").is("cursor", "errors", 0, "parameter")
	w.do("GET", "/api/v1/sessions?cursor=nonsense", nil).problem("bad_request")
	w.do("GET", "/api/v1/sessions?limit=501", nil).problem("request_invalid").is("limit", "errors", 0, "parameter")
	w.do("GET", "/api/v1/sessions?limit=0", nil).problem("request_invalid")
	w.do("GET", "/api/v1/sessions?status=sleeping", nil).problem("request_invalid").is("status", "errors", 0, "parameter")
	w.do("GET", "/api/v1/sessions?statuss=error", nil).problem("request_invalid").is("statuss", "errors", 0, "parameter")
	w.do("GET", "/api/v1/sessions?label=n", nil).problem("request_invalid")
}

func TestHistoryPages(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", map[string]any{"response": "Ada"}).want(200)
	read := func(query string) (contents []string) {
		next := ""
		for {
			page := w.do("GET", "/api/v1/sessions/"+id+"/messages?"+query+"&cursor="+next, nil).want(200)
			text := []string{}
			for _, m := range page.at("items").([]any) {
				text = append(text, m.(map[string]any)["content"].(string))
			}
			contents = append(contents, strings.Join(text, "+"))
			if next, _ = page.json["next"].(string); next == "" {
				return contents
			}
		}
	}
	for query, want := range map[string]string{
		"limit=3":             "[Name?+Ada+Hello Ada Which?]",
		"limit=2":             "[Name?+Ada Hello Ada+Which?]",
		"limit=3&newest=true": "[Ada+Hello Ada+Which? Name?]",
		"limit=2&newest=true": "[Hello Ada+Which? Name?+Ada]",
	} {
		if got := fmt.Sprint(read(query)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestSessionIDsWithSlashes(t *testing.T) {
	w := newWorld(t, Options{})
	w.do("GET", "/api/v1/sessions/"+url.PathEscape("parent/step/1/0"), nil).problem("session_not_found")
	if got := w.do("GET", "/api/v1/sessions/a%2Fb%20c", nil).problem("session_not_found").str("detail"); !strings.Contains(got, "a/b c") {
		t.Errorf("detail %q", got)
	}
}
