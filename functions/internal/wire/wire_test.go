package wire_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/functions/internal/wire"
)

func TestRead(t *testing.T) {
	if text, err := wire.Read(strings.NewReader("1234"), 4); string(text) != "1234" || err != nil {
		t.Errorf("Read = %s, %v", text, err)
	}
	if _, err := wire.Read(strings.NewReader("12345"), 4); !wire.TooLarge(err) {
		t.Errorf("Read beyond the limit = %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-7": 0, "soon": 0, "99999999999": 24 * time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat):  time.Minute,
		now.Add(-time.Minute).Format(http.TimeFormat): 0,
	}
	for value, want := range tests {
		if got := wire.RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("RetryAfter(%q) = %s, want %s", value, got, want)
		}
	}
}

func TestEnded(t *testing.T) {
	why := errors.New("the step may take 1s")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 0, why)
	defer cancel()
	<-ctx.Done()
	if err := wire.Ended(ctx); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, why) {
		t.Errorf("Ended = %v", err)
	}
}
