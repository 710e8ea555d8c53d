package api

import (
	"net/http"
	"strings"
	"testing"
)

// TestHeadIsAnsweredAsGet: on every route that has a GET, with a status and type of GET, and
// without its body. A stream answers at once.
func TestHeadIsAnsweredAsGet(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk"}).want(201).str("id")
	batch := w.do("POST", "/api/v1/batches", map[string]any{"action": "cancel", "dry_run": true, "items": []any{map[string]any{"session": id}}}).want(202).str("id")
	fill := strings.NewReplacer("{batch}", batch)
	n := 0
	for _, r := range routes(t, w, id) {
		path := fill.Replace(r[1])
		if r[0] != http.MethodGet || strings.Contains(path, "/api/compat/") || strings.Contains(path, "/webhook/") || strings.ContainsAny(path, "{*") {
			continue
		}
		n++
		got := w.do(http.MethodHead, path, nil)
		if got.text != "" || got.status == http.StatusMethodNotAllowed {
			t.Errorf("HEAD %s: %d with a body of %d bytes", path, got.status, len(got.text))
		}
		if strings.HasSuffix(path, "/events") || strings.HasSuffix(path, "/results") {
			got.want(200)
			continue
		}
		if full := w.do(http.MethodGet, path, nil); full.status != got.status || full.header.Get("Content-Type") != got.header.Get("Content-Type") {
			t.Errorf("HEAD %s: %d %s, GET %d %s", path, got.status, got.header.Get("Content-Type"), full.status, full.header.Get("Content-Type"))
		}
	}
	if n < 40 {
		t.Errorf("only %d routes", n)
	}
	w.do("HEAD", "/api/v1/workflows/nothing", nil).want(404)
	w.do("HEAD", "/api/v1/sessions/x/events", nil).want(404)
}
