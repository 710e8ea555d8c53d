package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/openai"
)

func asError(err error, failed **models.Error) bool { return errors.As(err, failed) }

// TestFailureInTheServersWords: what is left of an error in a session still tells what the
// server answered.
func TestFailureInTheServersWords(t *testing.T) {
	s := serve(t, reply(400, `{"error":{"message":"bad request from stub","type":"invalid_request_error"}}`))
	for _, token := range []func(string){nil, func(string) {}} {
		q := hello()
		q.Token = token
		_, err := s.client(t).Generate(t.Context(), q)
		if err == nil {
			t.Fatal("no error")
		}
		if status, words, ok := models.Said(err.Error()); !ok || status != 400 || words != "bad request from stub" {
			t.Errorf("%v: got %d, %q, %v", err, status, words, ok)
		}
	}
}

func TestFailures(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(502)
		_, _ = io.WriteString(w, "<html><body>Bad gateway, sent "+canary+"</body></html>")
	}
	dropped := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"choices":`)
	}
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		want    string // kind, status, transient
		message string
	}{
		"key":         {reply(401, `{"error":{"message":"Incorrect API key provided: `+canary+`.","code":"invalid_api_key"}}`), "auth 401 false", "Incorrect API key provided: ***."},
		"forbidden":   {reply(403, `{"error":{"message":"not for you"}}`), "auth 403 false", "not for you"},
		"model":       {reply(404, `{"error":{"message":"The model does not exist"}}`), "not_found 404 false", "does not exist"},
		"limit":       {reply(429, `{"error":{"message":"Rate limit reached"}}`, "Retry-After", "3"), "rate_limit 429 true", "try again in 3s"},
		"server":      {reply(500, `{"error":{"message":"oops"}}`), "server 500 true", "oops"},
		"unavailable": {reply(503, ``), "server 503 true", "service unavailable"},
		"page":        {page, "server 502 true", "bad gateway"},
		"text":        {reply(400, `that `+canary+` is wrong`), "bad_request 400 false", "that *** is wrong"},
		"filter":      {reply(200, `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`), "refusal 0 false", "content filter"},
		"refusal":     {completion(`{"role":"assistant","content":null,"refusal":"I cannot do that."}`), "refusal 0 false", "I cannot do that."},
		"no choices":  {reply(200, `{"choices":[]}`), "bad_response 0 false", "no choices"},
		"no JSON":     {reply(200, `{"choices":[}`), "bad_response 0 false", "cannot be read"},
		"other type":  {reply(200, `hello`, "Content-Type", "text/plain"), "bad_response 0 false", "text/plain"},
		"dropped":     {dropped, "connection 0 true", "broke"},
	} {
		s := serve(t, c.answer)
		_, err := s.client(t).Generate(t.Context(), hello())
		var failed *models.Error
		if !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(failed.Kind, " ", failed.Status, " ", failed.Transient()); got != c.want || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %s: %v; want %s: %s", name, got, err, c.want, c.message)
		}
		if n := len(s.seen()); n != 1 {
			t.Errorf("%s: %d requests; the engine retries, not the library", name, n)
		}
		noKey(t, name, err)
	}
}

func TestRetryAfterIsKept(t *testing.T) {
	s := serve(t, reply(429, `{}`, "Retry-After", "9", "Retry-After-Ms", "1500"))
	_, err := s.client(t).Generate(t.Context(), hello())
	var failed *models.Error
	if !errors.As(err, &failed) || failed.RetryAfter != 1500*time.Millisecond {
		t.Errorf("%v", err)
	}
}

func TestNoConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	c, err := openai.New(openai.Options{BaseURL: "http://user:" + canary + "@" + address + "/?key=" + canary, Key: canary})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Generate(t.Context(), hello())
	var failed *models.Error
	if !errors.As(err, &failed) || failed.Kind != models.KindConnection || !failed.Transient() || !strings.Contains(err.Error(), address) {
		t.Errorf("%v", err)
	}
	noKey(t, "refused", err)
}

// stuck sends what is before and then nothing until the caller gives up; began
// is closed when the caller has had the chance to read it.
func stuck(before string, began chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if before != "" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, before)
			w.(http.Flusher).Flush()
		}
		close(began)
		<-r.Context().Done()
	}
}

func TestCancelledCalls(t *testing.T) {
	why := errors.New("session cancelled by ada")
	for name, before := range map[string]string{
		"before the headers": "", "in the stream": "data: " + delta(`{"content":"half"}`, "") + "\n\n",
	} {
		began := make(chan struct{})
		s := serve(t, stuck(before, began))
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-began; cancel(why) }()
		req := hello()
		if before != "" {
			req.Token = func(string) {}
		}
		_, err := s.client(t).Generate(ctx, req)
		var failed *models.Error
		if !errors.As(err, &failed) || failed.Kind != models.KindCancelled || failed.Transient() ||
			!errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSlowAnswersTimeOut(t *testing.T) {
	for name, before := range map[string]string{
		"before the headers": "", "in the stream": "data: " + delta(`{"content":"half"}`, "") + "\n\n",
	} {
		s := serve(t, stuck(before, make(chan struct{})))
		limit := errors.New("timeout of step ask")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, limit)
		req := hello()
		if before != "" {
			req.Token = func(string) {}
		}
		_, err := s.client(t).Generate(ctx, req)
		cancel()
		var failed *models.Error
		if !errors.As(err, &failed) || failed.Kind != models.KindTimeout || !failed.Transient() || !errors.Is(err, limit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnswersHaveALargestSize(t *testing.T) {
	s := serve(t, says(strings.Repeat("x", 5000)))
	c, err := openai.New(openai.Options{BaseURL: s.URL, MaxBody: 4000})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Generate(t.Context(), hello())
	var failed *models.Error
	if !errors.As(err, &failed) || failed.Kind != models.KindBadResponse || !strings.Contains(err.Error(), "larger than 4000 bytes") {
		t.Errorf("%v", err)
	}
}

// TestLooseTypesOfOtherServers: a compatible server sends lists, null and fractions where
// OpenAI sends a string or a whole number.
func TestLooseTypesOfOtherServers(t *testing.T) {
	s := serve(t, reply(200, `{"model":null,"choices":[{"finish_reason":null,"message":{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"}],
		"reasoning":{"steps":[]},"tool_calls":null,"refusal":null}}],"usage":{"prompt_tokens":3.0,"completion_tokens":null,"prompt_tokens_details":null}}`))
	resp, err := s.client(t).Generate(t.Context(), hello())
	if err != nil || resp.Text != "ab" || resp.Reasoning != "" || resp.Model != "gpt-4o" || resp.Usage != (models.Usage{InputTokens: 3}) {
		t.Errorf("%+v, %v", resp, err)
	}
}
