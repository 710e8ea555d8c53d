package faultlane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
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
	flows []*flow // what it plays besides the workflow faults
	edits edits   // of the workflow that is its own
}

// A shown session is what the API says of one.
type shown struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Version  int64  `json:"version"`
	Awaiting []struct {
		Session  string `json:"session"` // "" is the session looked at
		Kind     string `json:"kind"`
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
	if len(c.flows) > 0 && c.rng.IntN(4) > 0 {
		return c.flow(ctx, c.flows[c.rng.IntN(len(c.flows))])
	}
	p, err := c.start(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.to.violate("client %s: start: %v", c.name, err)
		}
		return err
	}
	d := doings{cancelAt: -1, pauseAt: -1}
	if c.rng.IntN(10) == 0 {
		d.cancelAt = c.rng.IntN(4)
	}
	if c.rng.IntN(6) == 0 {
		d.pauseAt = c.rng.IntN(4)
	}
	return c.attend(ctx, p, d)
}

// doings are what a client does to a session besides answering it, by how often it has
// looked at it; -1 is never. each comes at every look and reports whether it has done
// something.
type doings struct {
	cancelAt, pauseAt int
	each              func(s *shown, look int) (busy bool, err error)

	paused   bool
	resumeAt int
}

// none lets a session go on without a pause or a cancel.
func none() doings { return doings{cancelAt: -1, pauseAt: -1} }

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

// reasons is what the engines say of a session that does not go on.
func (c *client) reasons(ctx context.Context, p *promise) string {
	var text strings.Builder
	for _, path := range []string{"/api/v1/sessions/" + p.session + "/explain", "/api/v1/sessions/" + p.session + "/requests", "/api/v1/engines", "/api/v1/doctor"} {
		got, err := c.wire.send(ctx, http.MethodGet, path, "", nil)
		if err != nil {
			fmt.Fprintf(&text, "\n%s: %v", path, err)
			continue
		}
		fmt.Fprintf(&text, "\n%s: %s", path, got.body[:min(len(got.body), 4000)])
	}
	return text.String()
}

// attend looks at a session and answers it until it has ended.
func (c *client) attend(ctx context.Context, p *promise, d doings) error {
	changed, version := time.Now(), int64(-1)
	for look, pause := 0, 5*time.Millisecond; ; look++ {
		asked := time.Now()
		s, err := c.look(ctx, p)
		changed = changed.Add(time.Since(asked)) // while the store is away, nothing can happen
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
		case look == d.cancelAt:
			err = c.cancel(ctx, p)
		case look == d.pauseAt || d.paused && look >= d.resumeAt:
			err = c.pauseOrResume(ctx, p, &d, look)
		case time.Since(changed) > c.calm:
			err = fmt.Errorf("nothing has happened for %s, it is %s at version %d%s", c.calm, s.Status, s.Version, c.reasons(ctx, p))
		default:
			var busy bool
			if d.each != nil {
				if busy, err = d.each(s, look); busy && err == nil {
					continue
				}
			}
			if err == nil {
				busy, err = c.answerAll(ctx, p, s)
			}
			if busy && err == nil {
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

// pauseOrResume pauses a session, and lifts the pause some looks later. A session that ends
// first has nothing to pause.
func (c *client) pauseOrResume(ctx context.Context, p *promise, d *doings, look int) error {
	action := "pause"
	if d.paused {
		action = "resume"
	}
	taken, err := c.steer(ctx, p.session, action, fmt.Sprintf("%s-%d", action, look), map[string]any{})
	if err != nil {
		return err
	}
	if taken && !d.paused {
		c.to.count(func(t *tally) { t.Pauses++ })
	}
	d.paused, d.resumeAt = taken && !d.paused, look+1+c.rng.IntN(6)
	return nil
}

// steer sends one request until it is acknowledged, or refused because the session has ended.
func (c *client) steer(ctx context.Context, session, action, key string, body map[string]any) (taken bool, err error) {
	got, err := c.wire.send(ctx, http.MethodPost, "/api/v1/sessions/"+url.PathEscape(session)+"/"+action, key, body)
	switch {
	case err != nil:
		return false, err
	case got.status == http.StatusOK:
		c.to.pulse.beat()
		return true, nil
	case got.status == http.StatusConflict && got.slug == "session_ended":
		return false, nil
	}
	return false, fmt.Errorf("%s: status %d: %s", action, got.status, got.body)
}

// leave gives a session up and says why.
func (c *client) leave(ctx context.Context, p *promise, err error) error {
	p.gaveUp = ctx.Err() == nil
	if p.gaveUp && !errors.Is(err, errLeft) {
		c.to.violate("session %s: %v", p.session, err)
		err = fmt.Errorf("%w: %w", errLeft, err)
	}
	return err
}

func (c *client) look(ctx context.Context, p *promise) (*shown, error) {
	got, err := c.wire.send(ctx, http.MethodGet, "/api/v1/sessions/"+p.session, "", nil)
	if err != nil {
		return nil, err
	}
	if c.to.removal && got.slug == "session_not_found" { // it has ended; the oracle looks for it in the archive
		return &shown{ID: p.session, Status: engine.StatusComplete}, nil
	}
	var s shown
	if err := json.Unmarshal(got.body, &s); got.status != http.StatusOK || err != nil {
		return nil, fmt.Errorf("it was acknowledged; looking at it gives status %d: %s", got.status, got.body)
	}
	return &s, nil
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
