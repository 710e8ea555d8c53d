package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/internal/sse"
)

// Events that are timed, in the order of the table.
const (
	eventActive  = "step active"
	eventMessage = "message"
	eventEnd     = "end"
)

// events measures how much later a stream at the engine that does not run a session has
// its events than a stream at the one that does.
func (b *bench) events(ctx context.Context) error {
	for _, with := range []string{"NATS", "no NATS"} {
		args := []string{"--nats", b.nats}
		if with != "NATS" {
			args = nil
		}
		late, err := b.delays(ctx, args)
		if err != nil {
			return err
		}
		for _, event := range []string{eventActive, eventMessage, eventEnd} {
			b.add(line{what: "event at the other engine, later by: " + event, where: with, times: late[event],
				also: fmt.Sprintf("%d of %d came", len(late[event]), b.sizes.watched)})
		}
	}
	return nil
}

// delays returns the delays by event.
func (b *bench) delays(ctx context.Context, args []string) (map[string][]float64, error) {
	f, err := b.serve(ctx, b.uri, 2, args...)
	if err != nil {
		return nil, err
	}
	defer f.stop()
	const workflow = "bench-events"
	if err := b.put(ctx, f.engine(0), workflow, 1, 300*time.Millisecond, true); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	late := map[string][]float64{}
	err = inParallel(b.sizes.watched, 30, func(i int) error {
		here, there, err := b.watch(ctx, f, workflow, b.id(workflow, i))
		mu.Lock()
		defer mu.Unlock()
		for event, at := range there {
			if first, ok := here[event]; ok {
				late[event] = append(late[event], milliseconds(max(at.Sub(first), 0)))
			}
		}
		return err
	})
	return late, err
}

// watch plays a session at the first engine and returns when each event came there and at
// the second one.
func (b *bench) watch(ctx context.Context, f *fleet, workflow, id string) (here, there map[string]time.Time, err error) {
	if _, err := begin(ctx, f.engine(0), workflow, id, true); err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithTimeout(ctx, b.sizes.patience)
	defer stop()
	var came [2]map[string]time.Time
	var errs [2]error
	var open, closed sync.WaitGroup
	open.Add(2)
	for i := range came {
		closed.Go(func() {
			came[i], errs[i] = stream(ctx, f.engine(i).address+"/api/v1/sessions/"+id+"/events", sync.OnceFunc(open.Done))
		})
	}
	open.Wait()
	time.Sleep(rand.N(time.Second)) // an engine without NATS reads once a second, not in time with this
	err = send(ctx, http.MethodPost, f.engine(0).address+"/api/v1/sessions/"+id+"/answer", "", map[string]any{"response": "Ada"}, nil)
	if err != nil {
		stop()
	}
	closed.Wait()
	return came[0], came[1], errors.Join(err, errs[0], errs[1])
}

// stream reads the events of a session to its end; open is called at the first of them, or
// when there is none.
func stream(ctx context.Context, address string, open func()) (map[string]time.Time, error) {
	defer open()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	came := map[string]time.Time{}
	for e, err := range sse.Read(response.Body, 1<<20) {
		if err != nil {
			return nil, err
		}
		now := time.Now()
		var data struct{ Step, Status, Role string }
		if err := json.Unmarshal([]byte(e.Data), &data); err != nil {
			return nil, err
		}
		switch {
		case e.Type == "snapshot":
			open()
		case e.Type == "step" && data.Step == "call0" && data.Status == "active":
			came[eventActive] = now
		case e.Type == "message" && data.Role == "assistant":
			came[eventMessage] = now
		case e.Type == "end":
			came[eventEnd] = now
			return came, nil
		}
	}
	return nil, fmt.Errorf("the stream %s ended before the session", address)
}
