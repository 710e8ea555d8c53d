package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

const (
	firstWait = time.Second      // wait before the second attempt if the policy sets none; it doubles
	longest   = 30 * time.Second // the longest wait before an attempt, and the longest Retry-After that is obeyed
	// MostRetries is the maximal number of retries within one call. The step's own retry
	// policy, which survives a crash, applies in addition.
	MostRetries = 10
)

// A Policy sets the timeout and the retries of a request. The zero value is one attempt with
// the client's timeout.
type Policy struct {
	Timeout  time.Duration // of each attempt
	Retries  int           // attempts after the first, at most MostRetries
	Statuses []int         // that are retried; empty: the transient ones (408, 425, 429, 5xx)
	Wait     time.Duration // before the second attempt; 1 s by default; doubles up to 30 s
}

// An Answer is the response with secrets masked.
type Answer struct {
	Status   int // 0: no response
	Header   map[string]string
	Type     string // Content-Type
	Body     string // as bytes, not necessarily valid text
	Attempts int
}

// Do sends the request and retries it as the policy says. A bad status or an incomplete
// response is an error beside the part of the response that arrived. A Retry-After of up to 30
// s is obeyed; a longer one is returned in the error for the step's own retry policy. When ctx
// has ended, the error is wire.Ended's.
func (s *Sending) Do(ctx context.Context, p Policy) (Answer, *function.CallError) {
	if p.Timeout == 0 {
		p.Timeout = s.client.options.Timeout
	}
	if p.Wait == 0 {
		p.Wait = firstWait
	}
	for attempt := 1; ; attempt++ {
		answer, fault := s.once(ctx, p.Timeout)
		answer.Attempts = attempt
		if fault == nil || attempt > min(p.Retries, MostRetries) || !p.again(answer, fault) || ctx.Err() != nil {
			return answer, fault
		}
		wait := max(fault.RetryAfter, min(p.Wait<<(attempt-1), longest))
		if wait > longest || sleep.For(ctx, wait) != nil {
			return answer, fault
		}
	}
}

func (p Policy) again(answer Answer, fault *function.CallError) bool {
	if fault.Kind == KindStatus && len(p.Statuses) > 0 {
		return slices.Contains(p.Statuses, answer.Status)
	}
	return fault.Transient
}

func (s *Sending) once(ctx context.Context, limit time.Duration) (Answer, *function.CallError) {
	answer := Answer{Header: map[string]string{}}
	limited, cancel := context.WithTimeoutCause(s.context(ctx), limit, fmt.Errorf("the request may take %s", limit))
	defer cancel()
	response, err := s.client.http.Do(s.fresh(limited))
	if err != nil {
		return answer, s.failed(limited, err, limit)
	}
	defer response.Body.Close()
	body, err := wire.Read(response.Body, MaxBody)
	answer.Status = response.StatusCode
	answer.Header = s.secrets.headers(response.Header)
	answer.Type = response.Header.Get("Content-Type")
	switch {
	case wire.TooLarge(err):
		return answer, TooLarge()
	case err != nil:
		return answer, s.failed(limited, err, limit)
	}
	answer.Body = s.secrets.mask(string(body))
	return answer, status(response)
}

// fresh returns the request for one attempt with an unread body.
func (s *Sending) fresh(ctx context.Context) *http.Request {
	request := s.request.Clone(ctx)
	if s.body == nil {
		return request
	}
	request.ContentLength = int64(len(s.body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.body)), nil }
	request.Body, _ = request.GetBody() // never fails for an in-memory body
	if len(s.body) == 0 {
		request.Body, request.GetBody = http.NoBody, func() (io.ReadCloser, error) { return http.NoBody, nil }
	}
	return request
}
