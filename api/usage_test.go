package api

import "testing"

// A call of an imported call centre can be replayed on its canvas, and its uses and goals counted.
func TestUsageOfACallCentre(t *testing.T) {
	w := newWorld(t, Options{})
	graph := object{"nodes": []any{
		object{"id": "r", "type": "routerNode", "position": object{"x": 0, "y": 0}, "data": object{"agentName": "R", "systemPrompt": "Help."}}},
		"edges": []any{}}
	w.do("POST", "/api/v1/workflows/import?force=true&name=calls.json", graph).want(200).is("callcentre", "format")
	made := w.do("POST", "/api/v1/sessions?wait=10s", object{"workflow": "calls", "inputs": object{"prompt": "Hi"}}).want(201)
	id, _ := made.at("id").(string)
	w.do("GET", "/api/v1/sessions/"+id+"/trace", nil).want(200).is("highlight", "events", 0, "event").is("r", "events", 0, "nodes", 0).is(1, "usage", "r").is(false, "more")
	w.do("GET", "/api/v1/workflows/calls/usage", nil).want(200).is(1, "sessions").is(1, "usage", "r").is(false, "more")
	w.do("GET", "/api/v1/sessions/none/trace", nil).problem("session_not_found")
	w.do("GET", "/api/v1/workflows/none/usage", nil).problem("workflow_not_found")

	// An inbox shows who waits, where the question itself has no words.
	w.do("PUT", "/api/v1/workflows/wordless", `{"steps":[{"id":"root","function":"say","input":{"message":"Good evening."}},{"id":"caller","function":"ask","input":{}}],"paths":[{"source":"root","target":"caller"}]}`).want(201)
	w.do("POST", "/api/v1/sessions?wait=10s", object{"workflow": "wordless", "labels": object{"caller": "+47 1234"}}).want(201)
	w.do("GET", "/api/v1/awaiting?workflow=wordless", nil).want(200).is("+47 1234", "items", 0, "labels", "caller").is("Good evening.", "items", 0, "last")
}
