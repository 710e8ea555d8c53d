package agentzeroapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

// The drawer of a node asks for the profiles, by GET or by POST {action: list}.
func TestFlowAgents(t *testing.T) {
	s := newFlowServer(t)
	const want = `{"data":[{"key":"default","label":"Default"},{"key":"researcher","label":"Reads a lot"}],"ok":true}`
	listed, err := json.Marshal(s.call("agents", map[string]string{"action": "list"}))
	if err != nil || string(listed) != want {
		t.Errorf("POST: %s %v", listed, err)
	}
	response, err := http.Get(s.url + "/api/agents")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != want+"\n" {
		t.Errorf("GET: %s %v", body, err)
	}
	if got := s.call("agents", map[string]string{"action": "delete"}); got["ok"] != false || got["error"] == "" {
		t.Errorf("another action: %v", got)
	}
}
