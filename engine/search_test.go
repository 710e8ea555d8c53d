package engine_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
)

// searched is an engine that stops to look as soon as it may, on a store that is filled.
func searched(t *testing.T, n int) *engine.Engine {
	t.Helper()
	e := engine.New(filled(t, n), engine.NewRegistry(), engine.Options{})
	engine.SearchFor(e, time.Nanosecond)
	return e
}

// filled is a store with n sessions. The text "needle" is in each tenth.
func filled(t *testing.T, n int) engine.Store {
	t.Helper()
	s := memory.New(memory.Options{})
	var fresh []store.NewSession
	for i := range n {
		word := "hay"
		if i%10 == 0 {
			word = "needle"
		}
		fresh = append(fresh, store.NewSession{ID: fmt.Sprintf("s%04d", i), Workflow: "w", Root: fmt.Sprintf("s%04d", i), Status: engine.StatusActive,
			Labels: map[string]string{"half": fmt.Sprint(i % 2)}, State: []byte(`{"word":"` + word + `"}`), Counters: []byte(`{}`)})
	}
	if _, err := s.Create(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	return s
}

// A search that is cut into answers finds each session once, in order, however many fit on a page.
func TestSearchGoesOn(t *testing.T) {
	e := searched(t, 1000)
	for _, limit := range []int{1, 7, 30, 31, 500} {
		q := engine.SessionQuery{Text: "needle", Limit: limit}
		var got []string
		looked, answers := 0, 0
		for {
			page, err := e.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Sessions) > limit {
				t.Fatalf("%d sessions on a page of %d", len(page.Sessions), limit)
			}
			for i := range page.Sessions {
				got = append(got, page.Sessions[i].ID)
			}
			looked += page.Looked
			answers++
			if page.Next == nil {
				break
			}
			q.After = *page.Next
		}
		want := []string{}
		for i := 990; i >= 0; i -= 10 {
			want = append(want, fmt.Sprintf("s%04d", i))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("limit %d: found %v, want %v", limit, got, want)
		}
		if looked < 990 || looked > 1000+answers {
			t.Errorf("limit %d: looked at %d of 1000 sessions in %d answers", limit, looked, answers)
		}
		if limit == 500 && answers < 3 {
			t.Errorf("limit %d: %d answers, want the search to stop before it has seen all", limit, answers)
		}
	}
}

// slowLook is a store that takes its time for each session it is asked to look at.
type slowLook struct {
	engine.Store
	each time.Duration
}

func (s slowLook) ListSessions(ctx context.Context, q store.SessionQuery) ([]store.SessionRecord, error) {
	time.Sleep(time.Duration(len(q.IDs)) * s.each)
	return s.Store.ListSessions(ctx, q)
}

// However long a session takes to be looked at, the answer comes soon.
func TestSearchAnswersSoon(t *testing.T) {
	for _, each := range []time.Duration{time.Microsecond, 20 * time.Microsecond, 100 * time.Microsecond, 400 * time.Microsecond, 800 * time.Microsecond} {
		synctest.Test(t, func(t *testing.T) {
			e := engine.New(slowLook{filled(t, 3000), each}, engine.NewRegistry(), engine.Options{})
			began := time.Now()
			page, err := e.Search(t.Context(), engine.SessionQuery{Text: "a text that none has"})
			if took := time.Since(began); err != nil || took > 80*time.Millisecond || took < 30*time.Millisecond && page.Next != nil {
				t.Errorf("%s for each session: %d looked at in %s, %v", each, page.Looked, took, err)
			}
		})
	}
}

func TestSearchCountGoesOn(t *testing.T) {
	e := searched(t, 1000)
	for by, want := range map[string]map[string]int64{"status": {"active": 500}, "workflow": {"w": 500}, "step": {}} {
		q := engine.SessionQuery{Labels: map[string]string{"half": "1"}}
		sum, answers := map[string]int64{}, 0
		for {
			counts, err := e.SearchCount(t.Context(), q, by)
			if err != nil {
				t.Fatal(err)
			}
			for name, n := range counts.Counts {
				sum[name] += n
			}
			answers++
			if counts.Next == nil {
				break
			}
			q.After = *counts.Next
		}
		if !maps.Equal(sum, want) {
			t.Errorf("by %s: %v, want %v", by, sum, want)
		}
		if by == "status" && answers < 3 {
			t.Errorf("%d answers, want the count to stop before it has seen all", answers)
		}
	}
	whole, err := e.SearchCount(t.Context(), engine.SessionQuery{}, "")
	if err != nil || whole.Next != nil || whole.Counts["active"] != 1000 {
		t.Errorf("count of all: %+v, %v", whole, err)
	}
}
