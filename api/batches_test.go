package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

type object = map[string]any

// results reads a batch's results to their end, which is the end of the batch.
func (w *world) results(batch, query string) []BatchItem {
	w.t.Helper()
	got := w.do("GET", "/api/v1/batches/"+batch+"/results"+query, nil).want(200)
	if kind := got.header.Get("Content-Type"); kind != ndjson {
		w.t.Errorf("results are %s", kind)
	}
	items := []BatchItem{}
	for line := range strings.Lines(got.text) {
		var item BatchItem
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			w.t.Fatalf("%v: %s", err, line)
		}
		items = append(items, item)
	}
	return items
}

// batch starts a batch and returns its id.
func (w *world) batch(body any, headers ...string) string {
	w.t.Helper()
	got := w.do("POST", "/api/v1/batches", body, headers...).want(202)
	id := got.str("id")
	if got.header.Get("Location") != "batches/"+id {
		w.t.Errorf("Location %q", got.header.Get("Location"))
	}
	return got.is("/api/v1/batches/"+id+"/results", "results").str("id")
}

// lines sends items as NDJSON.
func (w *world) lines(query, text string, headers ...string) *reply {
	w.t.Helper()
	return w.do("POST", "/api/v1/batches?"+query, text, append(headers, "Content-Type: "+ndjson)...)
}

func (w *world) status(id, want string) {
	w.t.Helper()
	s, err := w.engine.Wait(w.t.Context(), id)
	if err != nil || s.Status != want {
		w.t.Errorf("session %s is %+v, %v, want %s", id, s, err, want)
	}
}

func TestBatchByFilter(t *testing.T) {
	w := newWorld(t, Options{})
	var ids []string
	for range 3 {
		ids = append(ids, w.start("talk"))
	}
	blue := w.do("POST", "/api/v1/sessions?wait=10s", object{"workflow": "talk", "labels": object{"team": "blue"}}).want(201).str("id")
	other := w.start("typed")
	w.start("plain") // has ended: no answer's concern

	first := w.batch(object{"action": "answer", "filter": object{"workflow": "talk", "labels": object{"team": "blue"}}, "response": "Ada"})
	if got := w.results(first, ""); len(got) != 1 || got[0].Session != blue || got[0].Outcome != engine.ItemDone || got[0].Step != "root" || got[0].Visit != 1 || got[0].Ask != 1 || string(got[0].Response) != `"Ada"` {
		t.Errorf("results %+v", got)
	}
	second := w.batch(object{"action": "answer", "filter": object{"step": "root", "status": "awaiting_input", "workflow": "talk"}, "response": "Bob"})
	if got := w.results(second, ""); len(got) != 3 {
		t.Errorf("results %+v", got)
	}
	w.do("GET", "/api/v1/batches/"+second, nil).want(200).is("complete", "status").is(3, "total").is(3, "done").is(0, "failed").is("answer", "action")
	for _, id := range append(ids, blue) {
		w.status(id, engine.StatusAwaitingInput)
		w.do("GET", "/api/v1/sessions/"+id, nil).is("sure", "awaiting", 0, "step")
	}
	w.do("GET", "/api/v1/sessions/"+other, nil).is("root", "awaiting", 0, "step")

	// An answer's filter means those who wait: the session that has ended does not fail.
	all := w.batch(object{"action": "answer", "filter": object{}, "response": "green"})
	w.results(all, "")
	w.do("GET", "/api/v1/batches/"+all, nil).is(5, "total").is(5, "failed")
	if got := w.results(all, "?failed=true"); len(got) != 5 || !strings.Contains(got[0].Error, "answer does not fit") {
		t.Errorf("failed: %+v", got)
	}
	list := w.do("GET", "/api/v1/batches?limit=2", nil).want(200).is(all, "items", 0, "id").is(second, "items", 1, "id")
	w.do("GET", "/api/v1/batches?limit=2&cursor="+list.str("next"), nil).want(200).is(first, "items", 0, "id").is(nil, "next")
	w.do("GET", "/api/v1/batches?limit=1&cursor="+w.do("GET", "/api/v1/batches?limit=2", nil).str("next"), nil).is(nil, "next")
}

// TestBatchSteers does every other action once, by filter.
func TestBatchSteers(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	failed := w.start("broken")
	do := func(body object) {
		t.Helper()
		if body["filter"] == nil {
			body["filter"] = object{"workflow": "talk"}
		}
		got := w.results(w.batch(body), "")
		if len(got) != 1 || got[0].Outcome != engine.ItemDone {
			t.Fatalf("%v gives %+v", body, got)
		}
	}
	do(object{"action": "pause", "reason": "lunch"})
	w.status(id, engine.StatusPaused)
	do(object{"action": "resume", "filter": object{"status": []string{"paused", "pending"}}})
	w.status(id, engine.StatusAwaitingInput)
	do(object{"action": "reask", "step": "root"})
	w.status(id, engine.StatusAwaitingInput)
	w.do("GET", "/api/v1/sessions/"+id, nil).is(2, "awaiting", 0, "ask")
	do(object{"action": "signal", "name": "go", "response": object{"a": 1}})
	do(object{"action": "move", "step": "root", "to": "sure"})
	w.status(id, engine.StatusAwaitingInput)
	w.do("GET", "/api/v1/sessions/"+id, nil).is("sure", "awaiting", 0, "step")
	do(object{"action": "advance", "step": "root"})
	do(object{"action": "retry", "filter": object{"status": "error"}, "new_key": true})
	w.status(failed, engine.StatusError)
	do(object{"action": "cancel"})
	w.status(id, engine.StatusCancelled)
	do(object{"action": "delete"})
	w.do("GET", "/api/v1/sessions/"+id, nil).problem("session_not_found")
	requests := w.do("GET", "/api/v1/sessions/"+failed+"/requests", nil).want(200).is("retry", "items", 0, "kind").is("api", "items", 0, "by")
	if !strings.Contains(requests.text, `"applied":true`) {
		t.Errorf("requests %s", requests.text)
	}
}

// TestBatchFromLines: two lines of one session answer two questions, and what a batch
// gave is the file of the next one.
func TestBatchFromLines(t *testing.T) {
	w := newWorld(t, Options{})
	a, b := w.start("talk"), w.start("typed")
	text := fmt.Sprintf("\uFEFF"+`{"session": %q, "response": "Ada"}

{"session": %q, "response": {"age": "old"}}
{"session": %q, "response": "Eve"}
{"session": "nobody", "response": 1}
`, a, b, a)
	id := w.lines("action=answer", text).want(202).str("id")
	got := w.results(id, "")
	if len(got) != 4 || got[0].Outcome != "done" || got[1].Outcome != "failed" || got[2].Outcome != "failed" || got[3].Error != "session not found" {
		t.Fatalf("results %+v", got)
	}
	if !strings.Contains(got[2].Error, "no open question") || !strings.Contains(got[1].Error, "/age") {
		t.Errorf("errors %q, %q", got[2].Error, got[1].Error)
	}
	w.status(a, engine.StatusAwaitingInput)

	// The results, mended, are the next batch's lines.
	again := w.do("GET", "/api/v1/batches/"+id+"/results?failed=true", nil).want(200).text
	again = strings.Replace(again, `"old"`, `36`, 1)
	again = strings.Replace(again, `"Eve"`, `"red"`, 1)
	next := w.lines("action=answer", again).want(202).is(3, "total").str("id")
	if got := w.results(next, ""); len(got) != 3 || got[0].N != 1 || got[0].Outcome != "done" || got[1].Outcome != "done" || got[2].Outcome != "failed" {
		t.Errorf("results %+v", got)
	}
	w.status(a, engine.StatusComplete)
	w.status(b, engine.StatusComplete)
}

// TestBatchDryRun does nothing and says what would be, with the graph of now.
func TestBatchDryRun(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	w.do("PATCH", "/api/v1/workflows/talk/steps/hello", object{"input": `{"message": "Edited @{SESSION_ID}.root.response"}`}).want(200)
	before := everything(t, w)
	batch := w.do("POST", "/api/v1/batches", object{"action": "answer", "filter": object{"workflow": "talk"}, "response": "Ada", "dry_run": true}).want(202).is(true, "dry_run").str("id")
	got := w.results(batch, "")
	if len(got) != 1 || got[0].Outcome != "done" {
		t.Fatalf("results %+v", got)
	}
	var would engine.Forecast
	if err := json.Unmarshal(got[0].Would, &would); err != nil {
		t.Fatal(err)
	}
	if would.Session != id || would.Status != engine.StatusAwaitingInput || len(would.Awaiting) != 1 || would.Awaiting[0].Step != "sure" || len(would.Steps) != 2 {
		t.Errorf("would %s", got[0].Would)
	}
	if after := everything(t, w); after != before {
		t.Errorf("a dry run changed\n%s\nto\n%s", before, after)
	}
	// What it forecast is the file of the batch that does it.
	real := w.lines("action=answer", w.do("GET", "/api/v1/batches/"+batch+"/results", nil).text).want(202).str("id")
	w.results(real, "")
	if _, err := w.engine.Wait(t.Context(), id); err != nil { // done means accepted: it is applied a moment later
		t.Fatal(err)
	}
	w.do("GET", "/api/v1/sessions/"+id+"/messages", nil).is("Edited Ada", "items", 2, "content")
}

// TestBatchRollback previews a rollback, which changes nothing, and does it: to before the visit that is
// named, not the newest.
func TestBatchRollback(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", object{"response": "Ada"}).want(200)
	before := everything(t, w)
	back := object{"action": "rollback", "items": []object{{"session": id, "step": "hello"}}, "visit": 1}
	preview := object{"dry_run": true}
	maps.Copy(preview, back)
	got := w.results(w.batch(preview), "")
	if len(got) != 1 || got[0].Outcome != "done" || !strings.Contains(string(got[0].Would), `"step":"hello"`) {
		t.Fatalf("results %+v", got)
	}
	if after := everything(t, w); after != before {
		t.Errorf("a dry run changed\n%s\nto\n%s", before, after)
	}
	w.results(w.batch(back), "")
	if _, err := w.engine.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	hello := w.do("GET", "/api/v1/sessions/"+id+"/executions?step=hello", nil).want(200)
	hello.is(2, "items", 1, "visit")
	w.do("POST", "/api/v1/batches", object{"action": "rollback", "filter": object{"workflow": "talk"}}).want(400)
	missing := w.results(w.batch(object{"action": "rollback", "items": []object{{"session": id, "step": "hello"}}, "visit": 9, "dry_run": true}), "")
	if len(missing) != 1 || !strings.Contains(string(missing[0].Would), "not rolled back") {
		t.Errorf("a visit that never was: %+v", missing)
	}
}

func TestBatchFirstAndFailures(t *testing.T) {
	w := newWorld(t, Options{})
	for range 6 {
		w.start("talk")
	}
	first := w.batch(object{"action": "cancel", "filter": object{"workflow": "talk"}, "first": 2})
	if got := w.results(first, ""); len(got) != 2 {
		t.Errorf("first 2 are %+v", got)
	}
	w.do("GET", "/api/v1/sessions/count?status=cancelled", nil).is(2, "total")
	var lines strings.Builder
	for n := range 10 {
		fmt.Fprintf(&lines, "{\"session\": \"nobody-%d\"}\n", n)
	}
	stopped := w.lines("action=cancel&stop_after_failures=3", lines.String()).want(202).str("id")
	got := w.results(stopped, "")
	failed := len(w.results(stopped, "?failed=true"))
	if len(got) != 10 || failed != 3 || got[9].Outcome != engine.ItemOpen {
		t.Errorf("%d results, %d failed, the last is %+v", len(got), failed, got[len(got)-1])
	}
	w.do("GET", "/api/v1/batches/"+stopped, nil).is("stopped", "status").is("stopped after 3 failures", "message").is(3, "failed")
}

// TestBatchStopsAndContinues: at two items a second most of them are open when it is
// stopped, and they stay so until it goes on.
func TestBatchStopsAndContinues(t *testing.T) {
	w := newWorld(t, Options{})
	for range 4 {
		w.start("talk")
	}
	id := w.batch(object{"action": "answer", "filter": object{"workflow": "talk"}, "response": "Ada", "rate": 2})
	at := "/api/v1/batches/" + id
	w.do("GET", at, nil).is("running", "status").is(4, "total")
	if open := w.results(id, "?follow=false"); len(open) != 4 || open[3].Outcome != engine.ItemOpen {
		t.Errorf("as things are: %+v", open)
	}
	w.do("POST", at+"/stop", object{"reason": "wrong text"}).want(200).is("stopped", "status").is("stopped by a person: wrong text", "message")
	w.do("POST", at+"/stop", nil).want(200).is("stopped", "status")
	done := 0
	for _, item := range w.results(id, "") { // ends, although items are open
		if item.Outcome == engine.ItemDone {
			done++
		}
	}
	if done == 4 {
		t.Error("nothing was left to stop")
	}
	w.do("POST", at+"/continue", nil).want(200).is("running", "status").is(nil, "message")
	for _, item := range w.results(id, "") {
		if item.Outcome != engine.ItemDone {
			t.Errorf("after it went on: %+v", item)
		}
	}
	w.do("POST", at+"/stop", nil).want(200).is("complete", "status")
	w.do("DELETE", at, nil).want(204)
	for _, c := range [][2]string{{"GET", at}, {"GET", at + "/results"}, {"DELETE", at}, {"POST", at + "/stop"}, {"POST", at + "/continue"}} {
		w.do(c[0], c[1], nil).problem("batch_not_found")
	}
}

func TestBatchKey(t *testing.T) {
	w := newWorld(t, Options{})
	w.start("talk")
	w.start("talk")
	body := object{"action": "answer", "filter": object{"workflow": "talk"}, "response": "Ada"}
	first := w.do("POST", "/api/v1/batches", body, "Idempotency-Key: k1").want(202)
	w.results(first.str("id"), "")
	again := w.do("POST", "/api/v1/batches", body, "Idempotency-Key: k1").want(202).is(first.str("id"), "id").is(2, "done")
	if first.header.Get(replayedHeader) != "" || again.header.Get(replayedHeader) != "true" {
		t.Errorf("replayed %q, %q", first.header.Get(replayedHeader), again.header.Get(replayedHeader))
	}
	body["response"] = "Eve"
	w.do("POST", "/api/v1/batches", body, "Idempotency-Key: k1").problem("key_reused")
	if n := len(w.do("GET", "/api/v1/batches", nil).at("items").([]any)); n != 1 {
		t.Errorf("%d batches", n)
	}
}

// TestBatchOfTenThousand answers as many sessions from one body.
func TestBatchOfTenThousand(t *testing.T) {
	const many = 10_000
	w := newWorld(t, Options{})
	var body strings.Builder
	body.WriteString(`{"items": [`)
	for n := range many {
		id := fmt.Sprintf("s%d", n)
		if _, err := w.engine.Start(t.Context(), engine.StartRequest{Workflow: "typed", ID: id}); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"session": %q, "response": {"age": %d}}`, id, n)
	}
	body.WriteString(`], "action": "answer"}`)
	for n := range many {
		w.status(fmt.Sprintf("s%d", n), engine.StatusAwaitingInput)
	}
	id := w.batch(body.String())
	got := w.results(id, "")
	if len(got) != many || got[many-1].N != many || string(got[many-1].Response) != fmt.Sprintf(`{"age":%d}`, many-1) {
		t.Fatalf("%d results, the last is %+v", len(got), got[len(got)-1])
	}
	w.do("GET", "/api/v1/batches/"+id, nil).is("complete", "status").is(many, "done").is(0, "failed")
	for n := range many {
		w.status(fmt.Sprintf("s%d", n), engine.StatusComplete)
	}
}
