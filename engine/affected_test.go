package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
)

// A search for affected sessions that is cut into answers looks at each session once.
func TestSearchAffectedGoesOn(t *testing.T) {
	s := memory.New(memory.Options{})
	e := engine.New(s, engine.NewRegistry(), engine.Options{})
	flow := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "last"}}, Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "last"}}}
	if _, err := e.PutWorkflow(t.Context(), flow, ""); err != nil {
		t.Fatal(err)
	}
	const n = 1000
	var fresh []store.NewSession
	for i := range n {
		id, at := fmt.Sprintf("s%04d", i), "root"
		if i%4 == 0 {
			at = "last"
		}
		fresh = append(fresh, store.NewSession{ID: id, Workflow: "w", Root: id, Status: engine.StatusError, Counters: []byte(`{}`),
			State: fmt.Appendf(nil, `{"id":%q,"workflow":{%q:{"status":"error","error":"x"}}}`, id, at)})
	}
	if _, err := s.Create(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	want, err := e.Affected(t.Context(), engine.AffectedQuery{Workflow: "w", Step: "last"})
	if err != nil || want.At.Count != n/4 || want.Before.Count != n-n/4 || want.Scanned != n || want.More {
		t.Fatalf("got %+v, %v", want, err)
	}
	for _, during := range []time.Duration{time.Nanosecond, time.Hour} {
		engine.SearchFor(e, during)
		for _, limit := range []int{0, 200, 333} {
			q := engine.AffectedQuery{Workflow: "w", Step: "last", Limit: limit}
			sum, answers := &engine.Affected{Workflow: "w", Step: "last"}, 0
			for {
				more, err := e.SearchAffected(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if more.More != (more.Next != nil) || limit > 0 && more.Scanned > limit {
					t.Fatalf("limit %d: looked at %d sessions, more %t, next %v", limit, more.Scanned, more.More, more.Next)
				}
				sum.Merge(more)
				answers++
				if more.Next == nil {
					break
				}
				q.After = *more.Next
			}
			if fmt.Sprint(sum) != fmt.Sprint(want) {
				t.Errorf("limit %d: %+v, want %+v", limit, sum, want)
			}
			if during < time.Hour && answers < n/200 || during == time.Hour && limit == 0 && answers != 1 {
				t.Errorf("limit %d, %s: %d answers", limit, during, answers)
			}
		}
	}
}
