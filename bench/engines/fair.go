package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// A kept store is one that a row with one engine is measured on.
type kept struct{ name, address string }

// stores are an SQLite file of the row's own, and Neo4j where there is one.
func (b *bench) stores(row string) []kept {
	all := []kept{{"SQLite", "sqlite:" + filepath.Join(b.folder, row+".db")}}
	if b.uri != "" {
		all = append(all, kept{"Neo4j", b.uri})
	}
	return all
}

// beside measures a chat of another workflow while many sessions are in calls of 5 s or
// wait for a slot: from its start over its question and the answer to its end.
func (b *bench) beside(ctx context.Context) error {
	for _, store := range b.stores("beside") {
		if err := b.besideOn(ctx, store); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) besideOn(ctx context.Context, store kept) error {
	f, err := b.serve(ctx, store.address, 1)
	if err != nil {
		return err
	}
	defer f.stop()
	e := f.engine(0)
	if err := b.put(ctx, e, "bench-night", 1, 5*time.Second, false); err != nil {
		return err
	}
	if err := b.put(ctx, e, "bench-chat", 0, 0, true); err != nil {
		return err
	}
	if store.name != "SQLite" { // a server plans its statements when they first come
		if _, err := b.chats(ctx, e, b.sizes.warm/2); err != nil {
			return err
		}
	}
	alone, err := b.chats(ctx, e, b.sizes.lasting/4)
	if err != nil {
		return err
	}
	b.add(line{what: "chat, started and answered", where: store.name + ", alone", times: alone, also: fmt.Sprintf("at most %s ms, %d chats", figure(slices.Max(alone)), len(alone))})
	ids := make([]string, b.sizes.crowd)
	err = inParallel(len(ids), 32, func(i int) error {
		ids[i] = b.id("night", i)
		_, err := begin(ctx, e, "bench-night", ids[i], false)
		return err
	})
	if err != nil {
		return err
	}
	times, err := b.chats(ctx, e, b.sizes.lasting*3/4)
	if err == nil && store.name != "SQLite" { // an SQLite file goes with the run
		err = cancel(ctx, e, ids)
	}
	if err != nil {
		return err
	}
	b.add(line{what: "chat, started and answered", where: fmt.Sprintf("%s, beside %d sessions in calls of 5 s", store.name, len(ids)), times: times,
		also: fmt.Sprintf("at most %s ms, %d chats", figure(slices.Max(times)), len(times))})
	return nil
}

// chats plays chats one after another and returns how long each took, in milliseconds.
func (b *bench) chats(ctx context.Context, e *process, lasting time.Duration) ([]float64, error) {
	var times []float64
	for end := time.Now().Add(lasting); time.Now().Before(end); {
		sent := time.Now()
		s, err := begin(ctx, e, "bench-chat", b.id("chat", len(times)), true)
		if err == nil {
			err = send(ctx, http.MethodPost, e.address+"/api/v1/sessions/"+s.ID+"/answer?wait=60s", "", map[string]any{"response": "Ada"}, &s)
		}
		if err == nil && s.Status != "complete" {
			err = fmt.Errorf("the chat %s is %s", s.ID, s.Status)
		}
		if err != nil {
			return nil, err
		}
		times = append(times, milliseconds(time.Since(sent)))
	}
	return times, nil
}

// overload measures two workflows that call one function with few slots: a quiet one alone,
// and again while the other one sends far more than there are slots for.
func (b *bench) overload(ctx context.Context) error {
	f, err := b.serve(ctx, b.stores("overload")[0].address, 1, "--max-calls-of", fmt.Sprintf("%s=%d", function, b.sizes.slots))
	if err != nil {
		return err
	}
	defer f.stop()
	const quietClients = 4
	for _, id := range []string{"bench-quiet", "bench-flood"} {
		if err := b.put(ctx, f.engine(0), id, 1, 100*time.Millisecond, false); err != nil {
			return err
		}
	}
	quiet := load{f, "bench-quiet", quietClients, b.sizes.lasting}
	alone, err := b.play(ctx, quiet)
	if err != nil {
		return err
	}
	var both [2]yield
	var errs [2]error
	var wg sync.WaitGroup
	for i, l := range []load{quiet, {f, "bench-flood", b.sizes.flood, b.sizes.lasting}} {
		wg.Go(func() { both[i], errs[i] = b.play(ctx, l) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	all := both[0].rate + both[1].rate
	what := fmt.Sprintf("1 call of 100 ms, %d slots for two workflows", b.sizes.slots)
	for _, l := range []struct {
		where   string
		y       yield
		clients int
		share   float64
	}{{"quiet workflow alone", alone, quietClients, 1}, {"quiet workflow, the other floods", both[0], quietClients, both[0].rate / all}, {"workflow that floods", both[1], b.sizes.flood, both[1].rate / all}} {
		b.add(line{what, l.where, figure(l.y.rate) + " sessions/s", l.y.times, fmt.Sprintf("%.0f %% of the calls, %d clients, %d starts sent again", 100*l.share, l.clients, l.y.again)})
	}
	return nil
}
