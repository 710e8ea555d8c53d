package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// rolling restarts two engines one after the other under load. Clients send a start again,
// with its key and at the other engine, until it is acknowledged; a session that was
// acknowledged and does not complete is lost.
func (b *bench) rolling(ctx context.Context) error {
	f, err := b.serve(ctx, b.uri, 2, "--drain", "500ms", "--nats", b.nats)
	if err != nil {
		return err
	}
	defer f.stop()
	const workflow = "bench-rolling"
	if err := b.put(ctx, f.engine(0), workflow, 4, 50*time.Millisecond, false); err != nil {
		return err
	}
	r := &roll{to: f, workflow: workflow, enough: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		ended <- inParallel(b.sizes.slow, b.sizes.slow, func(i int) error { return r.client(ctx, b, i) })
	}()
	pause := b.sizes.lasting / 8
	began := time.Now()
	for i := range 2 {
		time.Sleep(pause) // load on both
		if err == nil {
			err = f.restart(ctx, i)
		}
	}
	took := time.Since(began) - 2*pause
	time.Sleep(pause)
	close(r.enough)
	if clients := <-ended; err == nil {
		err = clients
	}
	if err != nil {
		return err
	}
	lost, err := r.lost(ctx, b)
	if err != nil {
		return err
	}
	b.add(line{"rolling restart of two under load", "SIGTERM, start anew, then the other", figure(float64(len(r.ids))/(took+3*pause).Seconds()) + " sessions/s", r.times,
		fmt.Sprintf("lost %d of %d, %d requests sent again, both restarted in %.1f s", lost, len(r.ids), r.again, took.Seconds())})
	return nil
}

// A roll is what the clients of a rolling restart have seen.
type roll struct {
	to       *fleet
	workflow string
	enough   chan struct{} // closed when no more sessions are to be started

	mu    sync.Mutex
	ids   []string  // acknowledged
	times []float64 // from the first attempt to the acknowledgement at the end of the session
	again int       // attempts without an answer, or with one that says to try again
}

func (r *roll) client(ctx context.Context, b *bench, i int) error {
	for n := 0; ; n++ {
		select {
		case <-r.enough:
			return nil
		default:
		}
		id, sent := b.id(r.workflow, i, n), time.Now()
		again, err := b.complete(ctx, r.to, r.workflow, id, i+n)
		if err != nil {
			return err
		}
		r.mu.Lock()
		r.ids = append(r.ids, id)
		r.times = append(r.times, milliseconds(time.Since(sent)))
		r.again += again
		r.mu.Unlock()
	}
}

// lost waits for the sessions that have not ended and returns how many did not complete.
func (r *roll) lost(ctx context.Context, b *bench) (int, error) {
	lost := 0
	var mu sync.Mutex
	err := inParallel(len(r.ids), 16, func(i int) error {
		var s session
		var err error
		settled := b.until(ctx, "session has ended", func() bool {
			err = send(ctx, http.MethodGet, r.to.engine(i).address+"/api/v1/sessions/"+r.ids[i], "", nil, &s)
			return err != nil || s.Status != "active" && s.Status != "pending"
		})
		if settled != nil || err != nil || s.Status != "complete" {
			mu.Lock()
			lost++
			mu.Unlock()
		}
		return ctx.Err()
	})
	return lost, err
}
