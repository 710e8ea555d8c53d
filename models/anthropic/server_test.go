package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/anthropic"
)

// canary is the key of every test client; it must never come back in an error.
const canary = "sk-ant-canary-0123456789"

// A server gives each request the next of its answers, the last one again and
// again.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	answers []http.HandlerFunc
	headers []http.Header
	bodies  []string
}

func serve(t *testing.T, answers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	answer := s.answers[min(len(s.bodies), len(s.answers)-1)]
	s.headers, s.bodies = append(s.headers, r.Header.Clone()), append(s.bodies, r.URL.Path+" "+string(body))
	s.mu.Unlock()
	answer(w, r)
}

// seen returns the bodies of the requests, without their path.
func (s *server) seen(t *testing.T) []string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var bodies []string
	for _, text := range s.bodies {
		body, ok := strings.CutPrefix(text, "/base/v1/messages ")
		if !ok {
			t.Errorf("a request went to %s", text)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

func (s *server) client(t *testing.T) *anthropic.Client {
	t.Helper()
	c, err := anthropic.New(anthropic.Options{BaseURL: s.URL + "/base", Key: canary})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

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

// streams answers with server-sent events named by the type of their data.
func streams(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range events {
			var named struct{ Type string }
			_ = json.Unmarshal([]byte(event), &named)
			_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", named.Type, event)
			w.(http.Flusher).Flush()
		}
	}
}

const (
	start = `{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],
		"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_read_input_tokens":30,"cache_creation_input_tokens":5,"output_tokens":1}}}`
	openText = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	shut     = `{"type":"content_block_stop","index":0}`
	stop     = `{"type":"message_stop"}`
)

func words(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + string(quoted) + `}}`
}

func ends(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":20}}`
}

// says streams a whole answer.
func says(parts ...string) http.HandlerFunc {
	events := []string{oneLine(start), openText}
	for _, part := range parts {
		events = append(events, words(part))
	}
	return streams(append(events, shut, ends("end_turn"), stop)...)
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", "") }

func hello() models.Request {
	return models.Request{Model: "claude-sonnet-4-5", Key: "s1/ask/1/0", Messages: []models.Message{{Role: models.RoleUser, Content: "Hi"}}}
}

func equalJSON(t *testing.T, what, got, want string) {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(got), &a), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatalf("%s: %v in %s", what, err, got)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Errorf("%s:\n got %s\nwant %s", what, x, y)
	}
}
