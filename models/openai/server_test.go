package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/openai"
)

// canary is the key of every test client; it must never come back in an error.
const canary = "sk-canary-0123456789"

// A server speaks the wire format: each request gets the next of its answers,
// the last one again and again.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []http.HandlerFunc
	requests []request
}

type request struct {
	header http.Header
	path   string
	body   map[string]any
	raw    string
}

func serve(t *testing.T, answers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	seen := request{header: r.Header.Clone(), path: r.URL.Path, raw: string(raw)}
	_ = json.Unmarshal(raw, &seen.body)
	s.mu.Lock()
	answer := s.answers[min(len(s.requests), len(s.answers)-1)]
	s.requests = append(s.requests, seen)
	s.mu.Unlock()
	answer(w, r)
}

func (s *server) seen() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func (s *server) client(t *testing.T) *openai.Client {
	t.Helper()
	c, err := openai.New(openai.Options{BaseURL: s.URL + "/v1", Key: canary})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reply answers with JSON; header holds names and values in turn.
func reply(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// says answers with a completion of this text.
func says(text string) http.HandlerFunc {
	quoted, _ := json.Marshal(text)
	return completion(`{"role":"assistant","content":` + string(quoted) + `,"refusal":null}`)
}

func completion(message string) http.HandlerFunc {
	return reply(200, `{"id":"c1","object":"chat.completion","created":1,"model":"gpt-4o-2024-08-06",
		"choices":[{"index":0,"message":`+message+`,"logprobs":null,"finish_reason":"stop"}],
		"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,
			"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":5}}}`)
}

// streams answers with server-sent events, one for each chunk.
func streams(chunks ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, chunk := range chunks {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk)
			w.(http.Flusher).Flush()
		}
	}
}

// delta is a chunk with a part of a message; finish may be empty.
func delta(part, finish string) string {
	reason := "null"
	if finish != "" {
		reason = `"` + finish + `"`
	}
	return `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":` +
		part + `,"logprobs":null,"finish_reason":` + reason + `}],"usage":null}`
}

const usageChunk = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-2024-08-06","choices":[],` +
	`"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`

func hello() models.Request {
	return models.Request{
		Model:    "gpt-4o",
		Key:      "s1/ask/1/0",
		Messages: []models.Message{{Role: models.RoleSystem, Content: "Be brief."}, {Role: models.RoleUser, Content: "Hi"}},
	}
}

// wire returns the part of a request that stands at a path of names.
func wire(r request, path ...string) any {
	var at any = r.body
	for _, name := range path {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	return at
}

// equalJSON compares JSON without regard to blanks and the order of keys.
func equalJSON(t *testing.T, what string, got any, want string) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := normal(t, text), normal(t, []byte(want)); a != b {
		t.Errorf("%s:\n got %s\nwant %s", what, a, b)
	}
}

func normal(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func noKey(t *testing.T, what string, err error) {
	t.Helper()
	for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		if strings.Contains(text, "canary") {
			t.Errorf("%s: the key stands in the error %s", what, text)
		}
	}
}
