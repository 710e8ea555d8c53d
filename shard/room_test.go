package shard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
)

// The sessions of a database that is gone do not keep the places of an engine, nor the slots of a
// function: work of the other database goes on, and theirs once it is back.
func TestADeadDatabaseHoldsNoRoom(t *testing.T) {
	p := newPair(t, "eu")
	pass := make(chan struct{})
	registry := function.NewRegistry()
	registry.Add(function.Spec{Name: "slow", Effects: true, Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		select {
		case <-pass:
			return json.RawMessage(`{}`), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})})
	e := engine.New(p.Store, registry, engine.Options{MaxSessions: 4, MaxWaiting: 40, CallsOf: map[string]int{"slow": 2}, LeaseFor: time.Second, PollEvery: 20 * time.Millisecond})
	for _, id := range []string{"eu", "chat"} {
		_, err := p.EditWorkflow(t.Context(), store.Edit{Workflow: id, PutSteps: []graph.Step{{ID: "root"}, {ID: "call", Function: "slow"}},
			PutPaths: []graph.Path{{ID: "1", Source: "root", Target: "call"}}})
		p.noError(err)
	}
	enginetest.Start(t, e)
	start := func(workflow string, n int) {
		t.Helper()
		for i := range n {
			_, err := e.Start(t.Context(), engine.StartRequest{Workflow: workflow, ID: fmt.Sprintf("%s-%d", workflow, i)})
			p.noError(err)
		}
	}
	complete := func(workflow string) int {
		counts, err := p.main.CountSessions(t.Context(), store.SessionQuery{Workflow: workflow}, "status")
		if workflow == "eu" {
			counts, err = p.eu.CountSessions(t.Context(), store.SessionQuery{Workflow: workflow}, "status")
		}
		p.noError(err)
		return int(counts[store.StatusComplete])
	}
	const sessions = 20
	start("eu", sessions)
	p.eventually("both slots are in use and the rest waits", func() bool {
		f := e.Load().Functions["slow"]
		return f.Calls == 2 && f.Queued > 2
	})
	p.gone.Store(true)
	close(pass)
	began := time.Now()
	start("chat", 10)
	p.eventually("the other database's sessions are complete", func() bool { return complete("chat") == 10 })
	t.Logf("10 sessions of the other database took %s", time.Since(began))
	if n := complete("eu"); n > 0 {
		t.Errorf("%d sessions of the database that is gone are complete", n)
	}
	p.gone.Store(false)
	p.eventually("all sessions are complete", func() bool { return complete("eu") == sessions })
}
