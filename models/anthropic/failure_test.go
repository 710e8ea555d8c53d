package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/models"
)

func TestFailures(t *testing.T) {
	fault := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"}}`
	}
	moved := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.test/?key="+canary, http.StatusTemporaryRedirect)
	}
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		want    string
		message string
	}{
		"key":          {reply(401, fault("authentication_error", "invalid x-api-key "+canary)), "auth 401 false", "invalid x-api-key ***"},
		"request":      {reply(400, fault("invalid_request_error", "max_tokens: too large")), "bad_request 400 false", "too large"},
		"limit":        {reply(429, fault("rate_limit_error", "slow down"), "Retry-After", "3"), "rate_limit 429 true", "try again in 3s"},
		"overloaded":   {reply(529, fault("overloaded_error", "Overloaded")), "server 529 true", "Overloaded"},
		"page":         {reply(502, `<html>bad</html>`), "server 502 true", "bad gateway"},
		"text":         {reply(503, `down`), "server 503 true", "down"},
		"stream broke": {streams(oneLine(start), openText, words("half")), "connection 0 true", "before the answer did"},
		"stream fails": {streams(oneLine(start), fault("overloaded_error", "Overloaded")), "server 529 true", "Overloaded"},
		"stream limit": {streams(fault("rate_limit_error", "slow "+canary)), "rate_limit 429 true", "slow ***"},
		"stream no JSON": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: message_start\ndata: {\"type\n\n")
		}, "bad_response 0 false", "cannot be read"},
		"refusal":         {streams(oneLine(start), ends("refusal"), stop), "refusal 0 false", "the model refused"},
		"JSON that is no": {reply(200, `{"content":[`), "bad_response 0 false", "no message"},
		"redirect":        {moved, "bad_response 0 false", "redirected to elsewhere.test"},
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
		if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), "canary") {
			t.Errorf("%s: the key stands in the error %#v", name, err)
		}
		if n := len(s.seen(t)); n != 1 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

func TestSlowAndCancelledCalls(t *testing.T) {
	began := make(chan struct{}, 2)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		streams(oneLine(start), openText, words("half"))(w, r)
		began <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	var failed *models.Error
	if _, err := s.client(t).Generate(ctx, hello()); !errors.As(err, &failed) || failed.Kind != models.KindCancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	late, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := s.client(t).Generate(late, hello()); !errors.As(err, &failed) || failed.Kind != models.KindTimeout || !failed.Transient() {
		t.Errorf("late: %v", err)
	}
	s.CloseClientConnections()
	s.Close()
	if _, err := s.client(t).Generate(t.Context(), hello()); !errors.As(err, &failed) || failed.Kind != models.KindConnection || !failed.Transient() {
		t.Errorf("no server: %v", err)
	}
}
