package main

import (
	"context"
	"fmt"
	"time"
)

// A trial is one workflow that is played with one engine and with two.
type trial struct {
	what, workflow string
	steps, clients int
	each           time.Duration // of a call
	args           []string      // of serve
}

// speed measures steps a second and the time from start to end with one engine and with
// two: functions that take no time show what the database allows, slow calls what slots do.
func (b *bench) speed(ctx context.Context) error {
	now := trial{"10 calls that take no time", "bench-now", 10, b.sizes.clients, 0, nil}
	slow := trial{fmt.Sprintf("3 calls of 200 ms, %d slots an engine", b.sizes.slots), "bench-slow", 3, b.sizes.slow, 200 * time.Millisecond,
		[]string{"--max-calls-of", fmt.Sprintf("%s=%d", function, b.sizes.slots)}}
	if b.sizes.warm > 0 { // a server that has just started is several times slower
		if _, err := b.try(ctx, now, 1, b.sizes.warm); err != nil {
			return err
		}
	}
	for _, w := range []trial{now, slow} {
		var of [3]yield
		for _, n := range []int{1, 2, 2, 1} { // so that a change of the machine meets both
			y, err := b.try(ctx, w, n, b.sizes.lasting*2/3)
			if err != nil {
				return err
			}
			of[n].times = append(of[n].times, y.times...)
			of[n].rate += y.rate / 2
		}
		for n, with := range []string{"one engine", "two engines"} {
			y := of[n+1]
			b.add(line{"start to end: " + w.what, with, figure(y.rate*float64(w.steps)) + " steps/s", y.times, fmt.Sprintf("%d clients", w.clients)})
		}
	}
	return nil
}

// try plays a trial with n engines.
func (b *bench) try(ctx context.Context, w trial, n int, lasting time.Duration) (yield, error) {
	f, err := b.serve(ctx, b.uri, n, append([]string{"--nats", b.nats}, w.args...)...)
	if err != nil {
		return yield{}, err
	}
	defer f.stop()
	if err := b.put(ctx, f.engine(0), w.workflow, w.steps, w.each, false); err != nil {
		return yield{}, err
	}
	return b.play(ctx, load{f, w.workflow, w.clients, lasting})
}
