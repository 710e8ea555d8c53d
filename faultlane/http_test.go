package faultlane

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// attemptTime is how long one attempt at a request may take: a stopped engine never
// answers, another one does.
const attemptTime = 1500 * time.Millisecond

// engines are where requests can be sent just now.
type engines interface{ addresses() []string }

// A wire sends requests to any of the engines until one of them gives a definite answer.
type wire struct {
	engines engines
	to      *promises
	http    *http.Client
	rng     *rand.Rand
}

func newWire(e engines, p *promises, rng *rand.Rand) *wire {
	transport := &http.Transport{MaxIdleConnsPerHost: 4, DisableKeepAlives: false}
	return &wire{engines: e, to: p, http: &http.Client{Transport: transport}, rng: rng}
}

// errNoAnswer ends a request that nobody answered for too long.
var errNoAnswer = errors.New("no definite answer")

// A reply is a definite answer.
type reply struct {
	status int
	slug   string // of a problem
	tag    string // the ETag
	body   []byte
}

// as reads the body of a success into v, and makes an error of any other reply.
func (r *reply) as(what string, v any) error {
	if r.status >= 300 {
		return fmt.Errorf("%s: status %d: %s", what, r.status, r.body)
	}
	if err := json.Unmarshal(r.body, v); err != nil {
		return fmt.Errorf("%s: %w: %s", what, err, r.body)
	}
	return nil
}

// send makes a request until a definite answer comes.
func (w *wire) send(ctx context.Context, method, route, key string, body any) (*reply, error) {
	return w.sendMatching(ctx, method, route, key, "", body)
}

// sendMatching is send with the ETag of what was read before, as If-Match.
func (w *wire) sendMatching(ctx context.Context, method, route, key, match string, body any) (*reply, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	var got *reply
	tries := 0
	settled := until(ctx, patience, func() bool {
		if tries++; tries > 1 && method == http.MethodPost {
			w.to.count(func(t *tally) { t.Retried++ })
		}
		got = w.once(ctx, method, route, key, match, text)
		return got != nil
	})
	if !settled {
		return nil, errors.Join(errNoAnswer, context.Cause(ctx))
	}
	return got, nil
}

// once makes one attempt; nil says that its outcome is not known, or that it should be
// made again.
func (w *wire) once(ctx context.Context, method, route, key, match string, body []byte) *reply {
	all := w.engines.addresses()
	if len(all) == 0 {
		return nil
	}
	limit := attemptTime
	if strings.Contains(route, "wait=") {
		limit += waitTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, all[w.rng.IntN(len(all))]+route, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	if match != "" {
		request.Header.Set("If-Match", match)
	}
	response, err := w.http.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusRequestTimeout {
		return nil
	}
	got := &reply{status: response.StatusCode, tag: response.Header.Get("ETag"), body: text}
	var problem struct {
		Type string `json:"type"`
	}
	if got.status >= 400 && json.Unmarshal(text, &problem) == nil {
		got.slug = strings.TrimPrefix(problem.Type, "/problems/")
	}
	return got
}
