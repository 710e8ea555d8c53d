package faultlane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// waitTime is what clients that wait give as ?wait=.
const waitTime = time.Second

// A client plays sessions, one after another: it starts one, answers whatever it asks and
// comes back until it has ended. It sends everything under a key, again and again until it
// is acknowledged, and now and then twice, or with another answer, on purpose.
type client struct {
	name  string
	wire  *wire
	to    *promises
	rng   *rand.Rand
	calm  time.Duration // how long a session may show no change
	count int
}

// A shown session is what the API says of one.
type shown struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Version  int64  `json:"version"`
	Awaiting []struct {
		Step     string `json:"step"`
		Visit    int    `json:"visit"`
		Ask      int    `json:"ask"`
		Answered bool   `json:"answered"`
	} `json:"awaiting"`
	Error *struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"error"`
}

// An acceptedBody is what is said of the answer that counts, by a success and by the
// problem already_answered.
type acceptedBody struct {
	Request  string          `json:"request"`
	Step     string          `json:"step"`
	Visit    int             `json:"visit"`
	Response json.RawMessage `json:"response"`
	Replayed bool            `json:"replayed"`
}

// errLeft ends a session's play after a violation: it has been written down.
var errLeft = errors.New("left after a violation")

// play plays sessions until nobody wants more.
func (c *client) play(ctx context.Context, more func() bool) {
	for more() {
		if err := c.session(ctx); err != nil && ctx.Err() != nil {
			return
		}
	}
}

func (c *client) session(ctx context.Context) error {
	p, err := c.start(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.to.violate("client %s: start: %v", c.name, err)
		}
		return err
	}
	cancelAt := -1
	if c.rng.IntN(10) == 0 {
		cancelAt = c.rng.IntN(4) // after so many looks at it
	}
	return c.attend(ctx, p, cancelAt)
}

// start starts a session, with an id of its own or one that the engine makes.
func (c *client) start(ctx context.Context) (*promise, error) {
	c.count++
	name := fmt.Sprintf("%s-%d", c.name, c.count)
	rounds, n := 1+c.rng.IntN(3), c.rng.IntN(1000)
	body := map[string]any{"workflow": workflowID, "inputs": map[string]any{"rounds": rounds, "n": n}}
	if c.rng.IntN(3) > 0 {
		body["id"] = name
	}
	route := "/api/v1/sessions"
	if c.rng.IntN(2) == 0 {
		route += "?wait=" + waitTime.String()
	}
	first, err := c.begin(ctx, route, name, body)
	if err != nil {
		return nil, err
	}
	p := c.to.started(first, rounds, n)
	if c.rng.IntN(4) == 0 { // a client that has forgotten that it was told
		again, err := c.begin(ctx, route, name, body)
		if err == nil && again != first {
			c.to.violate("start %s gave session %s, and then %s", name, first, again)
		}
	}
	return p, nil
}

func (c *client) begin(ctx context.Context, route, key string, body any) (string, error) {
	got, err := c.wire.send(ctx, http.MethodPost, route, "start-"+key, body)
	if err != nil {
		return "", err
	}
	var s shown
	if err := json.Unmarshal(got.body, &s); got.status != http.StatusCreated || err != nil {
		return "", fmt.Errorf("start %s: status %d: %s", key, got.status, got.body)
	}
	return s.ID, nil
}

// attend looks at a session and answers it until it has ended.
func (c *client) attend(ctx context.Context, p *promise, cancelAt int) error {
	changed, version := time.Now(), int64(-1)
	for look, pause := 0, 5*time.Millisecond; ; look++ {
		s, err := c.look(ctx, p)
		if err != nil {
			return c.leave(ctx, p, err)
		}
		if s.Version != version {
			changed, version, pause = time.Now(), s.Version, 5*time.Millisecond
		}
		switch {
		case s.Status == "complete" || s.Status == "cancelled":
			return nil
		case s.Status == "error":
			err = c.rescue(ctx, p, s, look)
		case look == cancelAt:
			err = c.cancel(ctx, p)
		case time.Since(changed) > c.calm:
			err = fmt.Errorf("nothing has happened for %s, it is %s at version %d", c.calm, s.Status, s.Version)
		default:
			var busy bool
			if busy, err = c.answerAll(ctx, p, s); busy && err == nil {
				continue
			}
		}
		if err != nil {
			return c.leave(ctx, p, err)
		}
		last(ctx, pause)
		pause = min(2*pause, 150*time.Millisecond)
	}
}

// leave gives a session up and says why.
func (c *client) leave(ctx context.Context, p *promise, err error) error {
	p.gaveUp = true
	if ctx.Err() == nil && !errors.Is(err, errLeft) {
		c.to.violate("session %s: %v", p.session, err)
	}
	return err
}

func (c *client) look(ctx context.Context, p *promise) (*shown, error) {
	got, err := c.wire.send(ctx, http.MethodGet, "/api/v1/sessions/"+p.session, "", nil)
	if err != nil {
		return nil, err
	}
	var s shown
	if err := json.Unmarshal(got.body, &s); got.status != http.StatusOK || err != nil {
		return nil, fmt.Errorf("it was acknowledged; looking at it gives status %d: %s", got.status, got.body)
	}
	return &s, nil
}

// answerAll answers what is open, in any order; it tells whether there was anything.
func (c *client) answerAll(ctx context.Context, p *promise, s *shown) (bool, error) {
	open := slices.Clone(s.Awaiting)
	c.rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	busy := false
	for _, q := range open {
		v := visit{q.Step, q.Visit}
		before, there := c.to.was(p, v)
		switch {
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
	route := "/api/v1/sessions/" + p.session + "/answer"
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
	case got.status == http.StatusConflict && got.slug == "no_open_question" && p.cancelled:
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

// cancel ends the session; an end that had not seen the cancel must not come after it.
func (c *client) cancel(ctx context.Context, p *promise) error {
	got, err := c.wire.send(ctx, http.MethodPost, "/api/v1/sessions/"+p.session+"/cancel", "cancel", map[string]any{"reason": "changed my mind"})
	switch {
	case err != nil:
		return err
	case got.status == http.StatusOK:
		p.cancelled = true
		c.to.count(func(t *tally) { t.Cancels++ })
		c.to.pulse.beat()
		return nil
	case got.status == http.StatusConflict && got.slug == "session_ended":
		return nil
	}
	return fmt.Errorf("cancel: status %d: %s", got.status, got.body)
}

// rescue retries a session whose workers were killed so often that the engine has put it
// aside. Any other error is none that this workflow can have.
func (c *client) rescue(ctx context.Context, p *promise, s *shown, look int) error {
	if s.Error == nil || s.Error.Kind != "poison" {
		return fmt.Errorf("it is in error: %+v", s.Error)
	}
	c.to.count(func(t *tally) { t.Poisoned++ })
	got, err := c.wire.send(ctx, http.MethodPost, "/api/v1/sessions/"+p.session+"/retry", fmt.Sprintf("retry-%d", look), map[string]any{})
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("retry: status %d: %s", got.status, got.body)
	}
	return err
}
