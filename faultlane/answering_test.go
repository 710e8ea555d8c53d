package faultlane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// An acceptedBody is what is said of the answer that counts, by a success and by the
// problem already_answered.
type acceptedBody struct {
	Request  string          `json:"request"`
	Step     string          `json:"step"`
	Visit    int             `json:"visit"`
	Response json.RawMessage `json:"response"`
	Replayed bool            `json:"replayed"`
}

// answerAll answers what is open, in any order; it reports whether there was anything.
func (c *client) answerAll(ctx context.Context, p *promise, s *shown) (bool, error) {
	open := slices.Clone(s.Awaiting)
	c.rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	busy := false
	for _, q := range open {
		v := visit{q.Step, q.Visit}
		p := p
		if q.Session != "" && q.Session != p.session {
			p = c.to.child(p, q.Session)
		}
		before, there := c.to.was(p, v)
		switch {
		case q.Kind == "signal":
			continue
		case there && !q.Answered:
			c.to.violate("session %s: question %s is open again after %s was acknowledged", p.session, v, before.request)
			return busy, errLeft
		case q.Answered:
			continue
		}
		busy = true
		if err := c.answer(ctx, p, v, q.Ask); err != nil {
			return busy, err
		}
	}
	return busy, nil
}

// answer answers one question; sometimes twice at once, sometimes with two answers of
// which one may count, sometimes with another one afterwards.
func (c *client) answer(ctx context.Context, p *promise, v visit, ask int) error {
	response := fmt.Sprintf("%s of %s", v, p.session)
	way := c.rng.IntN(8)
	if way > 1 {
		if err := c.submit(ctx, c.wire, p, v, ask, "a", response); err != nil {
			return err
		}
		switch way {
		case 2:
			return c.submit(ctx, c.wire, p, v, ask, "a", response)
		case 3:
			return c.submit(ctx, c.wire, p, v, ask, "b", "other "+response)
		}
		return nil
	}
	other, text := "a", response
	if way == 1 {
		other, text = "b", "other "+response
	}
	second := newWire(c.wire.engines, c.to, rand.New(rand.NewPCG(c.rng.Uint64(), 1)))
	defer second.http.CloseIdleConnections()
	var both sync.WaitGroup
	var errs [2]error
	both.Go(func() { errs[0] = c.submit(ctx, c.wire, p, v, ask, "a", response) })
	both.Go(func() { errs[1] = c.submit(ctx, second, p, v, ask, other, text) })
	both.Wait()
	return errors.Join(errs[0], errs[1])
}

// submit sends one answer until it is acknowledged or refused because another one counts.
func (c *client) submit(ctx context.Context, w *wire, p *promise, v visit, ask int, key, response string) error {
	route := "/api/v1/sessions/" + url.PathEscape(p.session) + "/answer"
	if v.n%2 == 0 {
		route += "?wait=" + waitTime.String()
	}
	got, err := w.send(ctx, http.MethodPost, route, fmt.Sprintf("%s-%d-%s", v.step, v.n, key),
		map[string]any{"step": v.step, "visit": v.n, "ask": ask, "response": response})
	if err != nil {
		return err
	}
	var s struct {
		Accepted *acceptedBody `json:"accepted"`
	}
	if err := json.Unmarshal(got.body, &s); err != nil {
		return fmt.Errorf("answer %s: status %d: %w: %s", v, got.status, err, got.body)
	}
	switch {
	case got.status == http.StatusOK && s.Accepted != nil:
		if s.Accepted.Replayed {
			c.to.count(func(t *tally) { t.Replays++ })
		}
	case got.status == http.StatusConflict && got.slug == "already_answered" && s.Accepted != nil:
		c.to.count(func(t *tally) { t.Conflicts++ })
	case got.status == http.StatusConflict && got.slug == "no_open_question" && p.isCancelled():
		return nil
	default:
		return fmt.Errorf("answer %s: status %d: %s", v, got.status, got.body)
	}
	var text string
	if err := json.Unmarshal(s.Accepted.Response, &text); err != nil {
		return fmt.Errorf("answer %s: accepted %s: %w", v, s.Accepted.Response, err)
	}
	if got.status == http.StatusOK && text != response {
		return fmt.Errorf("answer %s: %q was acknowledged as %q", v, response, text)
	}
	c.to.answered(p, visit{s.Accepted.Step, s.Accepted.Visit}, accepted{s.Accepted.Request, text})
	return nil
}
