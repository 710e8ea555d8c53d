package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4096}}

// A refusal is an answer that is not a success.
type refusal struct {
	status int
	text   string
	after  string // Retry-After
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.text) }

// passing reports whether the same request may succeed later, or at another engine.
func passing(err error) bool {
	var r *refusal
	return err != nil && (!errors.As(err, &r) || r.status >= 500 || r.status == http.StatusTooManyRequests)
}

// send sends a request and reads the answer into out, unless that is nil.
func send(ctx context.Context, method, address, key string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return &refusal{response.StatusCode, string(answer), response.Header.Get("Retry-After")}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// A session is what the API says of one.
type session struct {
	ID     string
	Status string
}

// begin starts a session; waiting, it returns at the session's question or end.
func begin(ctx context.Context, e *process, workflow, id string, waiting bool) (session, error) {
	route := "/api/v1/sessions"
	if waiting {
		route += "?wait=60s"
	}
	var s session
	err := send(ctx, http.MethodPost, e.address+route, "start-"+id, map[string]any{"workflow": workflow, "id": id}, &s)
	if err != nil {
		return s, fmt.Errorf("start %s: %w", id, err)
	}
	return s, nil
}

// put stores a workflow: n calls one after another, each of which takes a time. asks puts a
// question before them, and a call of such a workflow says something.
func (b *bench) put(ctx context.Context, e *process, id string, n int, each time.Duration, asks bool) error {
	say := ""
	if asks {
		say = "done"
	}
	steps, paths := []any{}, []any{}
	add := func(name, function, input string) {
		if len(steps) == 0 {
			name = "root"
		} else {
			from := steps[len(steps)-1].(map[string]any)["id"]
			paths = append(paths, map[string]any{"source": from, "target": name})
		}
		steps = append(steps, map[string]any{"id": name, "function": function, "input": input})
	}
	if asks {
		add("ask", "request", `{"prompt": "Name?"}`)
	}
	for i := range n {
		add(fmt.Sprintf("call%d", i), function, fmt.Sprintf(`{"ms": %d, "say": %q}`, each.Milliseconds(), say))
	}
	var err error
	waited := b.until(ctx, "workflow "+id+" is stored", func() bool { // a young Neo4j may take longer than a request
		err = send(ctx, http.MethodPut, e.address+"/api/v1/workflows/"+id, "", map[string]any{"steps": steps, "paths": paths}, nil)
		return !passing(err)
	})
	return errors.Join(waited, err)
}

// A load is clients that start sessions one after another, at the engines in turn, and wait
// for the end of each.
type load struct {
	to       *fleet
	workflow string
	clients  int
	lasting  time.Duration
}

// A yield is what a load gave after its first quarter, which warms up.
type yield struct {
	times []float64 // of sessions, from start to end, in milliseconds
	rate  float64   // sessions a second
	ended int       // sessions, those of the warm-up too
	again int       // starts that were refused for now, and sent again
}

// play plays a load. Every session has ended when it returns.
func (b *bench) play(ctx context.Context, l load) (yield, error) {
	var mu sync.Mutex
	var y yield
	var others []float64 // times of sessions that ended outside of the window
	began := time.Now()
	warm, end := began.Add(l.lasting/4), began.Add(l.lasting)
	err := inParallel(l.clients, l.clients, func(i int) error {
		for n := 0; time.Now().Before(end); n++ {
			sent := time.Now()
			again, err := b.complete(ctx, l.to, l.workflow, b.id(l.workflow, i, n), i+n)
			if err != nil {
				return err
			}
			now := time.Now()
			mu.Lock()
			y.ended++
			y.again += again
			if now.After(warm) && now.Before(end) {
				y.times = append(y.times, milliseconds(now.Sub(sent)))
			} else {
				others = append(others, milliseconds(now.Sub(sent)))
			}
			mu.Unlock()
		}
		return nil
	})
	y.rate = float64(len(y.times)) / end.Sub(warm).Seconds()
	if len(y.times) == 0 { // sessions take longer than the window
		y.times, y.rate = others, float64(len(others))/time.Since(began).Seconds()
	}
	return y, err
}

// complete plays a session from start to end: at the at-th engine, and at the next one when
// that refuses it for now or is gone. It returns how often the start was sent again.
func (b *bench) complete(ctx context.Context, to *fleet, workflow, id string, at int) (again int, err error) {
	waited := b.until(ctx, "start "+id+" is acknowledged", func() bool {
		var s session
		s, err = begin(ctx, to.engine(at+again), workflow, id, true)
		if passing(err) {
			again++
			time.Sleep(20 * time.Millisecond)
			return false
		}
		if err == nil && s.Status == "error" {
			err = fmt.Errorf("session %s is in error", id)
		}
		return true
	})
	return again, errors.Join(waited, err)
}

// id names a session of this run.
func (b *bench) id(parts ...any) string {
	id := b.name
	for _, p := range parts {
		id += fmt.Sprint("-", p)
	}
	return fmt.Sprintf("%s-%d", id, time.Now().UnixNano()%1e9)
}

// inParallel calls do for 0 to n-1, some at once, and returns the first error.
func inParallel(n, atOnce int, do func(i int) error) error {
	var wg sync.WaitGroup
	var once sync.Once
	var first error
	next := make(chan int)
	for range min(n, atOnce) {
		wg.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					once.Do(func() { first = err })
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return first
}

// until waits for something.
func (b *bench) until(ctx context.Context, what string, ok func() bool) error {
	for end := time.Now().Add(b.sizes.patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("not within %s: %s", b.sizes.patience, what)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// cancel cancels sessions, so that the engines of the next row find nothing to do.
func cancel(ctx context.Context, e *process, ids []string) error {
	return inParallel(len(ids), 16, func(i int) error {
		err := send(ctx, http.MethodPost, e.address+"/api/v1/sessions/"+ids[i]+"/cancel", "", map[string]any{}, nil)
		var r *refusal
		if errors.As(err, &r) && r.status == http.StatusConflict {
			return nil // it has ended
		}
		return err
	})
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
