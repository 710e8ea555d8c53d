package faultlane

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/engine"
)

func sessionConfig(server *neo4jserver.Server) neo4j.SessionConfig {
	return neo4j.SessionConfig{DatabaseName: server.Database}
}

// zombie freezes an engine in the middle of a call until another one has taken its session
// and made the call again, lets the first call end, and wakes the engine: it must be
// parked, its result must not count, and one EXECUTION must tell people of the second call.
func zombie(t *testing.T, server *neo4jserver.Server) {
	s := newStage(t, firstSeed(t))
	first, second := s.fleet.add(server.URI, nil), s.fleet.add(server.URI, nil)
	s.begin(t.Context())
	const id = "zombie"
	held := s.ledger.holdFirst(id, "charge")
	alone := only{first}
	w := newWire(alone, s.to, s.rng)
	got, err := w.send(t.Context(), http.MethodPost, "/api/v1/sessions", "zombie",
		map[string]any{"workflow": workflowID, "id": id, "inputs": map[string]any{"rounds": 2, "n": 1}})
	if err != nil || got.status != http.StatusCreated {
		t.Fatalf("start: %v %+v", err, got)
	}
	p := s.to.started(id, 2, 1)
	came(t, held)
	if err := s.fleet.stop(first); err != nil {
		t.Fatal(err)
	}
	c := &client{name: "living", wire: newWire(only{second}, s.to, s.rng), to: s.to, rng: s.rng, calm: patience}
	if err := c.attend(t.Context(), p, none()); err != nil { // the other engine plays it to its end
		t.Error(err)
	}
	close(held.letGo)
	if err := s.fleet.cont(first); err != nil {
		t.Fatal(err)
	}
	store, err := openServer(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	told := until(t.Context(), 10*lease, func() bool { return len(lostOf(t, store, id)) > 0 })
	o := s.quiet(t.Context(), func(ctx context.Context) (engine.Store, error) { return openServer(ctx, server) })
	for _, v := range o.judge(t.Context()) {
		t.Error(v)
	}
	lost := lostOf(t, store, id)
	if !told || len(lost) != 1 || lost[0].Step != "charge" || lost[0].Visit != 1 {
		t.Errorf("the first engine made a call that does not count; executions that say so: %+v", lost)
	}
	if n := s.fleet.logged("lease lost"); n != 1 {
		t.Errorf("%d workers were parked, want one", n)
	}
	if calls := s.ledger.of(id + "/charge/1/1"); len(calls) < 2 {
		t.Errorf("the call was made %d times, want again by the second engine", len(calls))
	}
}

// only is one engine of a fleet.
type only struct{ e *process }

func (o only) addresses() []string { return []string{o.e.address} }

// came waits until a call is held.
func came(t *testing.T, h *hold) {
	t.Helper()
	select {
	case <-h.came:
	case <-time.After(patience):
		t.Fatal("the call did not come")
	}
}

// lostOf returns the executions of a session that say that a call was lost.
func lostOf(t *testing.T, store engine.Store, id string) []engine.Execution {
	t.Helper()
	trace, err := readTrace(t.Context(), store, id)
	if err != nil {
		t.Error(err)
		return nil
	}
	var lost []engine.Execution
	for _, x := range trace.executions {
		if x.Status == engine.StatusLost {
			lost = append(lost, x)
		}
	}
	return lost
}
