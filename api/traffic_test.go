package api

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestTraffic(t *testing.T) {
	w := newWorld(t, Options{})
	for range 3 {
		id := w.start("talk")
		w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", object{"response": "Ada"}).want(200)
	}
	at := "/api/v1/workflows/talk/traffic"
	w.do("GET", at, nil).want(200).is(6, "visits").is(3, "sessions").is(3, "steps", "hello", "visits").is(0, "steps", "hello", "failed").
		is(3, "paths", "hello>sure", "taken").is(false, "more")
	w.do("GET", at+"?limit=2", nil).want(200).is(4, "visits").is(true, "more")
	w.do("GET", at+"?after="+url.QueryEscape(time.Now().Add(time.Hour).UTC().Format(time.RFC3339)), nil).want(200).is(0, "visits")
	w.do("GET", "/api/v1/workflows/none/traffic", nil).problem("workflow_not_found")
}

func TestServer(t *testing.T) {
	w := newWorld(t, Options{Neo4jBrowser: "http://127.0.0.1:7474/browser/"})
	got := w.do("GET", "/api/v1/server", nil).want(200).is("memory", "store")
	if strings.Contains(got.text, "browser") {
		t.Errorf("a store without a Browser names one: %s", got.text)
	}
}

// TestAwaitingNamesTheWorkflow: an inbox over all workflows needs no second request.
func TestAwaitingNamesTheWorkflow(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	w.do("GET", "/api/v1/awaiting", nil).want(200).is(id, "items", 0, "session").is("talk", "items", 0, "workflow")
}
