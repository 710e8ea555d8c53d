package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// retention measures how many sessions a second `stepgraph prune` removes while others
// come and end, and whether the store stays at its size.
func (b *bench) retention(ctx context.Context) error {
	for _, store := range b.stores("retention") {
		if err := b.retentionOn(ctx, store); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) retentionOn(ctx context.Context, store kept) error {
	f, err := b.serve(ctx, store.address, 1)
	if err != nil {
		return err
	}
	defer f.stop()
	const workflow = "bench-short"
	if err := b.put(ctx, f.engine(0), workflow, 2, 0, false); err != nil {
		return err
	}
	traffic := load{f, workflow, min(b.sizes.clients, 16), b.sizes.lasting / 2}
	if store.name != "SQLite" { // a young Neo4j compiles the statements first
		warm := traffic
		warm.lasting = b.sizes.warm
		if _, err := b.pruneBeside(ctx, f.engine(0), store, warm); err != nil {
			return err
		}
	}
	before, err := b.play(ctx, traffic)
	if err != nil {
		return err
	}
	const what = "prune beside traffic"
	b.add(line{what, store.name + ", nothing removed", figure(before.rate) + " sessions/s end", before.times, sized(store)})
	traffic.lasting *= 3
	p, err := b.pruneBeside(ctx, f.engine(0), store, traffic)
	if err != nil {
		return err
	}
	also := fmt.Sprintf("%s sessions/s removed; sessions in the store %d, then %d", figure(p.removed), p.before, p.after)
	if p.size != "" {
		also += "; " + p.size
	}
	b.add(line{what, store.name + ", what ended 1 s ago is removed", figure(p.traffic.rate) + " sessions/s end", p.traffic.times, also})
	return nil
}

// pruned is what removal beside traffic gave.
type pruned struct {
	traffic       yield
	removed       float64 // sessions a second
	before, after int     // sessions in the store
	size          string  // half-way and at the end
}

// pruneBeside prunes again and again until the traffic has ended. The last call is cut off,
// so sessions are counted in the store and not by what the command prints.
func (b *bench) pruneBeside(ctx context.Context, e *process, store kept, traffic load) (p pruned, err error) {
	if p.before, err = count(ctx, e, traffic.workflow); err != nil {
		return p, err
	}
	began := time.Now()
	pruning, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		for pruning.Err() == nil {
			prune := exec.CommandContext(pruning, b.program, "prune", "--older-than", "1s", "--workflow", traffic.workflow, "--server", e.address)
			prune.Cancel = func() error { return prune.Process.Signal(os.Interrupt) } // the next one may begin at once
			text, err := prune.CombinedOutput()
			if err != nil && pruning.Err() == nil {
				ended <- fmt.Errorf("prune: %w: %s", err, text)
				return
			}
		}
		ended <- nil
	}()
	half := make(chan string, 1)
	time.AfterFunc(traffic.lasting/2, func() { half <- sized(store) })
	p.traffic, err = b.play(ctx, traffic)
	took := time.Since(began)
	stop()
	if cut := <-ended; err == nil {
		err = cut
	}
	if err == nil {
		p.after, err = count(ctx, e, traffic.workflow)
	}
	p.removed = float64(p.before+p.traffic.ended-p.after) / took.Seconds()
	if p.size = <-half; p.size != "" {
		p.size += ", then " + sized(store)
	}
	return p, err
}

// count returns how many sessions of a workflow the store has.
func count(ctx context.Context, e *process, workflow string) (int, error) {
	var counted struct{ Total int }
	err := send(ctx, http.MethodGet, e.address+"/api/v1/sessions/count?workflow="+workflow, "", nil, &counted)
	return counted.Total, err
}

// sized shows how large an SQLite store is with its log; "" for another store.
func sized(store kept) string {
	file, ok := strings.CutPrefix(store.address, "sqlite:")
	if !ok {
		return ""
	}
	var bytes int64
	for _, part := range []string{"", "-wal"} {
		if info, err := os.Stat(file + part); err == nil {
			bytes += info.Size()
		}
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
