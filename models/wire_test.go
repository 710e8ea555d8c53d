package models_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/models"
)

func TestStatusErrors(t *testing.T) {
	for status, want := range map[int]string{
		400: "bad_request false", 401: "auth false", 403: "auth false", 404: "not_found false", 408: "timeout true",
		409: "server true", 413: "bad_request false", 422: "bad_request false", 425: "server true", 429: "rate_limit true",
		500: "server true", 502: "server true", 503: "server true", 504: "timeout true", 529: "server true",
	} {
		err := models.StatusError("openai", status, http.Header{}, "")
		if got := fmt.Sprint(err.Kind, " ", err.Transient()); got != want || err.Status != status {
			t.Errorf("%d: %s (status %d), want %s", status, got, err.Status, want)
		}
	}
	err := models.StatusError("openai", 429, http.Header{"Retry-After": {"2"}}, "slow\n  down, sk-canary "+strings.Repeat("é", 700), "", "sk-canary")
	if !strings.HasPrefix(err.Error(), "openai: slow down, *** éé") || !strings.HasSuffix(err.Error(), "… (HTTP 429, rate_limit); try again in 2s") {
		t.Errorf("message %q", err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second}, {"Retry-After", "0.5", time.Second / 2}, {"Retry-After", "-3", 0},
		{"Retry-After", "soon", 0}, {"Retry-After", "NaN", 0}, {"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "Sun, 01 Nov 2026 12:01:30 GMT", 90 * time.Second}, {"Retry-After", "Sun, 01 Nov 2026 11:00:00 GMT", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond}, {"Other", "9", 0},
	} {
		if got := models.RetryAfter(http.Header{c.name: {c.value}}, now); got != c.want {
			t.Errorf("%s: %s: got %s, want %s", c.name, c.value, got, c.want)
		}
	}
	both := http.Header{"Retry-After": {"7"}, "Retry-After-Ms": {"1500"}}
	if got := models.RetryAfter(both, now); got != 1500*time.Millisecond {
		t.Errorf("with both headers: %s", got)
	}
}

func TestTransportErrors(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&url.Error{Op: "Post", URL: "http://u:sk-canary@host/?key=sk-canary", Err: refused}, "connection true"},
		{io.ErrUnexpectedEOF, "connection true"},
		{fmt.Errorf("error reading response body: %w", io.EOF), "connection true"},
		{&url.Error{Op: "Post", URL: "http://host", Err: context.DeadlineExceeded}, "timeout true"},
		{errors.New("error parsing response json: sk-canary"), "bad_response false"},
	} {
		err := models.TransportError(t.Context(), "openai", c.err, "sk-canary")
		if got := fmt.Sprint(err.Kind, " ", err.Transient()); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
		if strings.Contains(err.Error(), "sk-canary") {
			t.Errorf("the key stands in %q", err)
		}
	}
}

func TestContextErrors(t *testing.T) {
	limit := errors.New("timeout of step \"ask\", 2s")
	late, stop := context.WithTimeoutCause(t.Context(), -1, limit)
	defer stop()
	err := models.TransportError(late, "openai", io.EOF)
	if err.Kind != models.KindTimeout || !err.Transient() || !errors.Is(err, limit) {
		t.Errorf("deadline: %v", err)
	}
	why := errors.New("session cancelled by ada")
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	err = models.TransportError(gone, "openai", io.EOF)
	if err.Kind != models.KindCancelled || err.Transient() || !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
		t.Errorf("cancelled: %v", err)
	}
}
