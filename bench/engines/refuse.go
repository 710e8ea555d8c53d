package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// refusals measures an engine with few places while clients start far more sessions than it can run
// and wait for none of them: what is refused, how a quiet workflow fares, how much memory the
// engine takes half-way and at the end, and whether every acknowledged session is in the store.
func (b *bench) refusals(ctx context.Context) error {
	f, err := b.serve(ctx, b.stores("refusals")[0].address, 1, "--max-calls-of", fmt.Sprintf("%s=%d", function, b.sizes.slots),
		"--max-sessions", "40", "--max-waiting", "40", "--max-late", "1s")
	if err != nil {
		return err
	}
	defer f.stop()
	e := f.engine(0)
	const quietClients = 4
	for _, id := range []string{"bench-quiet", "bench-flood"} {
		if err := b.put(ctx, e, id, 1, 100*time.Millisecond, false); err != nil {
			return err
		}
	}
	lasting := b.sizes.lasting * 5 / 2
	quiet := load{f, "bench-quiet", quietClients, lasting}
	half := make(chan string, 1)
	time.AfterFunc(lasting/2, func() { half <- e.memory() })
	var calm yield
	var calmErr error
	var flood flooded
	var wg sync.WaitGroup
	wg.Go(func() { calm, calmErr = b.play(ctx, quiet) })
	wg.Go(func() { flood = b.floodStarts(ctx, e, "bench-flood", lasting) })
	wg.Wait()
	grown := <-half + ", then " + e.memory()
	if err := errors.Join(calmErr, flood.err); err != nil {
		return err
	}
	found, err := count(ctx, e, "bench-flood")
	if err != nil {
		return err
	}
	if found < int(flood.taken.Load()) {
		return fmt.Errorf("%d starts were acknowledged and %d sessions are in the store", flood.taken.Load(), found)
	}
	const what = "starts beyond 40 places, --max-late 1s"
	b.add(line{what, "workflow that floods", figure(float64(flood.taken.Load())/lasting.Seconds()) + " starts/s", nil,
		fmt.Sprintf("%d acknowledged, %d in the store, %d refused (429, all with Retry-After), %d clients, resident memory %s", flood.taken.Load(), found, flood.refused.Load(), b.sizes.flood, grown)})
	b.add(line{what, "quiet workflow beside it", figure(calm.rate) + " sessions/s", calm.times, fmt.Sprintf("%d clients, %d starts sent again", quietClients, calm.again)})
	return nil
}

// flooded is what became of the starts of a flood.
type flooded struct {
	taken, refused *atomic.Int64
	err            error
}

// floodStarts starts sessions from many clients and waits for none of them to run.
func (b *bench) floodStarts(ctx context.Context, e *process, workflow string, lasting time.Duration) flooded {
	f := flooded{taken: &atomic.Int64{}, refused: &atomic.Int64{}}
	end := time.Now().Add(lasting)
	f.err = inParallel(b.sizes.flood, b.sizes.flood, func(i int) error {
		for n := 0; time.Now().Before(end); n++ {
			_, err := begin(ctx, e, workflow, b.id(workflow, i, n), false)
			var r *refusal
			switch {
			case err == nil:
				f.taken.Add(1)
			case errors.As(err, &r) && r.status == http.StatusTooManyRequests && r.after != "":
				f.refused.Add(1)
				time.Sleep(50 * time.Millisecond) // sooner than the answer asks for
			default:
				return err
			}
		}
		return nil
	})
	return f
}

// memory is the resident memory of an engine, where the system shows it.
func (e *process) memory() string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", e.cmd.Process.Pid))
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			return figure(kb/1024) + " MB"
		}
	}
	return "unknown"
}
