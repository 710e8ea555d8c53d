package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestKeysOfTheEngine(t *testing.T) {
	w := newWorld(t, Options{})
	key := keyHeader + ": k1"
	first := w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk"}, key).want(201)
	second := w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "talk"}, key).want(201)
	if first.str("id") != second.str("id") || second.header.Get(replayedHeader) != "true" || first.header.Get(replayedHeader) != "" {
		t.Errorf("%s and %s, replayed %q", first.text, second.text, second.header)
	}
	w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "plain"}, key).problem("key_reused")

	at := "/api/v1/sessions/" + first.str("id")
	w.do("POST", at+"/answer?wait=10s", map[string]any{"response": "Ada"}, keyHeader+": a").want(200)
	again := w.do("POST", at+"/answer?wait=10s", map[string]any{"response": "Ada"}, keyHeader+": a").want(200).is("root", "accepted", "step")
	if again.header.Get(replayedHeader) != "true" {
		t.Error("a repeated answer is not marked")
	}
	w.do("POST", at+"/answer", map[string]any{"response": "Bob"}, keyHeader+": a").problem("key_reused")
	w.do("POST", at+"/pause", map[string]any{"reason": "x"}, keyHeader+": p").want(200)
	if got := w.do("POST", at+"/pause", map[string]any{"reason": "x"}, keyHeader+": p").want(200); got.header.Get(replayedHeader) != "true" {
		t.Error("a repeated pause is not marked")
	}
	w.do("POST", at+"/resume", nil, keyHeader+": p").problem("key_reused")
	w.do("GET", "/api/v1/sessions/count", nil).is(1, "total")
	w.do("POST", at+"/pause", nil, keyHeader+": "+strings.Repeat("k", 201)).problem("request_invalid").is(keyHeader, "errors", 0, "parameter")
}

func TestKeysOfTheAPI(t *testing.T) {
	w := newWorld(t, Options{})
	steps := "/api/v1/workflows/talk/steps"
	key := keyHeader + ": k1"
	first := w.do("POST", steps, map[string]any{"id": "more"}, key).want(201)
	again := w.do("POST", steps, map[string]any{"id": "more"}, key).want(201)
	if again.text != first.text || again.header.Get(replayedHeader) != "true" || again.header.Get("ETag") != first.header.Get("ETag") {
		t.Errorf("replayed %s %v, want %s", again.text, again.header, first.text)
	}
	w.do("POST", steps, map[string]any{"id": "other"}, key).problem("key_reused")
	w.do("POST", steps, map[string]any{"id": "more"}, keyHeader+": k2").problem("step_exists")
	w.do("POST", steps, map[string]any{"id": "fresh"}, keyHeader+": k2").want(201) // what failed has used up no key
	w.do("POST", "/api/v1/workflows/plain/steps", map[string]any{"id": "more"}, key).want(201)
	for _, c := range []struct{ path, body, kind string }{
		{"/api/v1/workflows/talk/paths", `{"source": "more", "target": "fresh"}`, "application/json"},
		{"/api/v1/workflows/import?name=a.cypher", `CREATE (:STEP {id: 'root'})`, "text/plain"},
		{"/api/v1/eval/reference", `{"text": "x", "state": {}}`, "application/json"},
		{"/api/v1/eval/condition", `{"condition": "x", "state": {}}`, "application/json"},
	} {
		made := w.do("POST", c.path, c.body, "Content-Type: "+c.kind, key)
		if made.status/100 != 2 {
			t.Fatalf("%s: %s", c.path, made.text)
		}
		if got := w.do("POST", c.path, c.body, "Content-Type: "+c.kind, key).want(made.status); got.header.Get(replayedHeader) != "true" || got.text != made.text {
			t.Errorf("%s: not replayed: %s", c.path, got.text)
		}
		w.do("POST", c.path, c.body+" ", "Content-Type: "+c.kind, key).problem("key_reused")
	}
}

// TestKeyCountsOnceAmongMany sends one request many times at once.
func TestKeyCountsOnceAmongMany(t *testing.T) {
	w := newWorld(t, Options{})
	const many = 20
	var group sync.WaitGroup
	fresh := make(chan bool, many)
	for range many {
		group.Go(func() {
			got := w.do("POST", "/api/v1/workflows/talk/paths", map[string]any{"source": "root", "target": "sure"}, keyHeader+": k")
			if got.status != 201 {
				t.Errorf("status %d: %s", got.status, got.text)
			}
			fresh <- got.header.Get(replayedHeader) == ""
		})
	}
	group.Wait()
	close(fresh)
	made := 0
	for f := range fresh {
		if f {
			made++
		}
	}
	if paths := w.do("GET", "/api/v1/workflows/talk", nil).at("paths").([]any); made != 1 || len(paths) != 3 {
		t.Errorf("made %d times, %d paths", made, len(paths))
	}
}

func TestAnswerStoreIsBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	a := newAnswerStore()
	a.now = func() time.Time { return now }
	keep := func(scope string, bytes int) {
		k, mine := a.begin(scope, [32]byte{})
		if !mine {
			t.Fatalf("%s is there", scope)
		}
		a.finish(k, http.StatusOK, nil, make([]byte, bytes))
	}
	keep("first", 10)
	if _, mine := a.begin("first", [32]byte{}); mine {
		t.Error("first is forgotten")
	}
	for i := range maxAnswers {
		keep(fmt.Sprint(i), 1)
	}
	if len(a.kept) != maxAnswers || a.order.Len() != maxAnswers || a.bytes != maxAnswers {
		t.Errorf("%d kept, %d in order, %d bytes", len(a.kept), a.order.Len(), a.bytes)
	}
	keep("huge", maxAnswerBytes)
	keep("next", 1)
	if len(a.kept) > 2 || a.bytes > maxAnswerBytes {
		t.Errorf("%d kept, %d bytes", len(a.kept), a.bytes)
	}
	now = now.Add(answersLast)
	keep("tomorrow", 1)
	if len(a.kept) != 1 || a.bytes != 1 {
		t.Errorf("%d kept, %d bytes after a day", len(a.kept), a.bytes)
	}
}
