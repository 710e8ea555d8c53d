package web_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// answers plays one answer after the other: a status with a Retry-After, or no connection
// for 0.
type answers struct {
	status []int
	after  string
	at     []time.Time
}

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	status := a.status[len(a.at)]
	a.at = append(a.at, time.Now())
	if status == 0 {
		return nil, errors.New("connection reset")
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {a.after}}, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func TestWaitsBetweenAttempts(t *testing.T) {
	tests := []struct {
		name   string
		status []int
		after  string
		wait   time.Duration
		want   []time.Duration
	}{
		{"doubling from a second", []int{0, 503, 503, 200}, "", 0, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
		{"up to half a minute", []int{500, 500, 500, 200}, "", 20 * time.Second, []time.Duration{20 * time.Second, 30 * time.Second, 30 * time.Second}},
		{"as asked for", []int{429, 200}, "7", 0, []time.Duration{7 * time.Second}},
		{"no less than our own", []int{503, 200}, "1", 5 * time.Second, []time.Duration{5 * time.Second}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				played := &answers{status: test.status, after: test.after}
				s, fault := web.New(web.Options{Transport: played}).Prepare(t.Context(), "GET", "http://shop.example/")
				if fault != nil {
					t.Fatal(fault)
				}
				answer, fault := s.Do(t.Context(), web.Policy{Retries: len(test.want), Wait: test.wait})
				if fault != nil || answer.Status != 200 || answer.Attempts != len(test.status) {
					t.Fatalf("status %d after %d attempts, %v", answer.Status, answer.Attempts, fault)
				}
				for i, want := range test.want {
					if got := played.at[i+1].Sub(played.at[i]); got != want {
						t.Errorf("wait %d was %s, want %s", i+1, got, want)
					}
				}
			})
		})
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		played := &answers{status: []int{503, 200}}
		s, fault := web.New(web.Options{Transport: played}).Prepare(t.Context(), "GET", "http://shop.example/")
		if fault != nil {
			t.Fatal(fault)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if answer, fault := s.Do(ctx, web.Policy{Retries: 5}); fault == nil || answer.Attempts != 1 || len(played.at) != 1 {
			t.Errorf("%d attempts, %v", answer.Attempts, fault)
		}
	})
}
