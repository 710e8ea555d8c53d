package api

import (
	"net/http"
	"strings"
	"testing"
)

func TestBatchBodies(t *testing.T) {
	w := newWorld(t, Options{})
	for name, c := range map[string]struct{ body, kind, query, slug, place, says string }{
		"nothing":             {"", "", "", "bad_request", "", "missing"},
		"no object":           {"[]", "", "", "request_invalid", "", "object"},
		"cut off":             {`{"action": "cancel", "items": [{"session": "a"}`, "", "", "bad_request", "", "ends too early"},
		"two values":          {`{"action": "cancel", "filter": {}} {}`, "", "", "bad_request", "", "after"},
		"no JSON":             {`{"action": cancel}`, "", "", "bad_request", "", "byte"},
		"no action":           {`{"filter": {}}`, "", "", "request_invalid", "/action", "missing"},
		"unknown action":      {`{"action": "bake", "filter": {}}`, "", "", "request_invalid", "/action", ""},
		"unknown member":      {`{"action": "cancel", "filters": {}}`, "", "", "request_invalid", "/filters", ""},
		"unknown filter":      {`{"action": "cancel", "filter": {"statsu": "error"}}`, "", "", "request_invalid", "/filter/statsu", ""},
		"unknown status":      {`{"action": "cancel", "filter": {"status": ["error", "mad"]}}`, "", "", "request_invalid", "/filter/status", "mad"},
		"neither":             {`{"action": "cancel"}`, "", "", "bad_request", "", "one of the two"},
		"both":                {`{"action": "cancel", "filter": {}, "items": [{"session": "a"}]}`, "", "", "bad_request", "", "one of the two"},
		"negative":            {`{"action": "cancel", "filter": {}, "first": -1}`, "", "", "request_invalid", "/first", ""},
		"no response":         {`{"action": "answer", "filter": {}}`, "", "", "bad_request", "/response", ""},
		"items no list":       {`{"action": "cancel", "items": {}}`, "", "", "request_invalid", "/items", "list"},
		"item no object":      {`{"action": "cancel", "items": [{"session": "a"}, 5]}`, "", "", "request_invalid", "/items/1", ""},
		"item misspelt":       {`{"action": "cancel", "items": [{"sesion": "a"}]}`, "", "", "request_invalid", "/items/0", "sesion"},
		"item nameless":       {`{"action": "cancel", "items": [{"response": 1}]}`, "", "", "request_invalid", "/items/0", "session is missing"},
		"item too deep":       {`{"action": "cancel", "items": [{"session": "a", "response": ` + strings.Repeat("[", 201) + strings.Repeat("]", 201) + `}]}`, "", "", "bad_request", "/items/0", "deep"},
		"options twice":       {`{"action": "cancel", "filter": {}}`, "", "first=1", "request_invalid", "", "into the body"},
		"head too large":      {`{"action": "cancel", "reason": "` + strings.Repeat("x", normalLimit) + `"}`, "", "", "too_large", "", ""},
		"line no JSON":        {"{\"session\": \"a\"}\n\n{\"session\"}\n", ndjson, "action=cancel", "bad_request", "", "line 3"},
		"line not UTF-8":      {"{\"session\": \"\xff\"}\n", ndjson, "action=cancel", "bad_request", "", "line 1"},
		"line too long":       {`{"session": "` + strings.Repeat("x", maxItem) + `"}`, ndjson, "action=cancel", "too_large", "", "line 1"},
		"lines, no action":    {`{"session": "a"}`, ndjson, "", "bad_request", "/action", ""},
		"lines, unknown":      {`{"session": "a"}`, ndjson, "action=cancel&frist=1", "request_invalid", "", ""},
		"no lines":            {"\n", ndjson, "action=cancel", "bad_request", "", "one of the two"},
		"line without answer": {`{"session": "a"}`, ndjson, "action=answer", "bad_request", "/items/0/response", "missing"},
		"text":                {"x", "text/plain", "", "unsupported_media_type", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.t = t
			kind := c.kind
			if kind == "" {
				kind = "application/json"
			}
			got := w.do("POST", "/api/v1/batches?"+c.query, c.body, "Content-Type: "+kind).problem(c.slug)
			if c.place != "" {
				got.is(c.place, "errors", 0, "pointer")
			}
			if !strings.Contains(got.text, c.says) {
				t.Errorf("%s does not say %q", got.text, c.says)
			}
		})
	}
	w.do("GET", "/api/v1/batches", nil).want(200).is("[]", "items")
}

// TestBatchIsLimited: 64 MB and no more, however it comes.
func TestBatchIsLimited(t *testing.T) {
	w := newWorld(t, Options{})
	line := `{"session": "s", "response": "` + strings.Repeat("x", 1<<20) + "\"}\n"
	r, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+"/api/v1/batches?action=answer", struct{ *strings.Reader }{strings.NewReader(strings.Repeat(line, 64))})
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", ndjson)
	w.send(r).problem("too_large")
	if got := w.lines("action=answer", strings.Repeat(line[:1<<20], 1)[:1<<19]); got.status != 400 {
		t.Errorf("half a line: %s", got.text)
	}
}
