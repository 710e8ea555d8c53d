package api

import "testing"

// An approval shows the function, the name and the resolved input that it approves, and may
// be given with another input.
func TestAnApprovalShowsWhatItApproves(t *testing.T) {
	w := newWorld(t, Options{})
	w.do("PUT", "/api/v1/workflows/publish", map[string]any{
		"steps": []any{
			map[string]any{"id": "root", "function": "ask", "input": map[string]any{"prompt": "News?"}},
			map[string]any{"id": "out", "name": "Publish", "function": "say", "input": map[string]any{"message": "All: @{SESSION_ID}.root.response"}, "approval": true},
		},
		"paths": []any{map[string]any{"source": "root", "target": "out"}},
	}).want(201)
	id := w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "publish"}).want(201).str("id")
	asked := w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", map[string]any{"response": "rain"}).want(200)
	asked.is("approval", "awaiting", 0, "kind").is("say", "awaiting", 0, "function").is("Publish", "awaiting", 0, "name").
		is("All: rain", "awaiting", 0, "input", "message")
	w.do("GET", "/api/v1/awaiting", nil).want(200).is("All: rain", "items", 0, "input", "message")
	w.do("GET", "/api/v1/sessions/"+id+"/explain", nil).want(200).is("stepgraph session answer "+id+" yes --step out", "because", 0, "mend")
	w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", map[string]any{"response": map[string]any{"approved": true, "input": map[string]any{"message": "All: sun"}}}).
		want(200).is("complete", "status").is("All: sun", "messages", 2, "content")
}
