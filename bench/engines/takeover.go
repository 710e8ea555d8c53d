package main

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// takeovers measures how long the sessions of a killed engine wait for the other engine.
func (b *bench) takeovers(ctx context.Context) error {
	for _, lease := range []time.Duration{b.sizes.lease, b.sizes.short} {
		if err := b.takeover(ctx, lease); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) takeover(ctx context.Context, lease time.Duration) error {
	f, err := b.serve(ctx, b.uri, 2, "--lease", lease.String(), "--nats", b.nats)
	if err != nil {
		return err
	}
	defer f.stop()
	const workflow = "bench-takeover"
	if err := b.put(ctx, f.engine(0), workflow, 200, time.Second, false); err != nil {
		return err
	}
	ids := make([]string, b.sizes.killed)
	err = inParallel(len(ids), 8, func(i int) error {
		ids[i] = b.id(workflow, i)
		_, err := begin(ctx, f.engine(0), workflow, ids[i], false)
		return err
	})
	if err == nil {
		err = b.until(ctx, "all sessions have called", func() bool { return len(b.stub.calledAfter(ids, time.Time{})) == len(ids) })
	}
	if err != nil {
		return err
	}
	killed := time.Now()
	f.engine(0).end(syscall.SIGKILL)
	dead := time.Now() // a call that comes later is the other engine's
	var first, last time.Duration
	err = b.until(ctx, "the other engine has taken all sessions", func() bool {
		called := b.stub.calledAfter(ids, dead)
		if len(called) > 0 && first == 0 {
			first = time.Since(killed)
		}
		last = time.Since(killed)
		return len(called) == len(ids)
	})
	if err == nil {
		err = cancel(ctx, f.engine(1), ids)
	}
	if err != nil {
		return err
	}
	b.add(line{what: "takeover after kill -9 of one of two", where: "lease " + lease.String(),
		also: fmt.Sprintf("first call %.1f s, last session %.1f s, %d sessions", first.Seconds(), last.Seconds(), len(ids))})
	return nil
}
