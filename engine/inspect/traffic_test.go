package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

func TestTrafficCountsAttempts(t *testing.T) {
	out := &Traffic{Steps: map[string]*StepTraffic{}, Paths: map[string]*PathTraffic{}}
	start := time.Unix(1000, 0)
	for i, x := range []store.Execution{
		{Step: "a", Status: store.StatusComplete, Paths: json.RawMessage(`[{"path":"a>b","target":"b","open":true},{"path":"a>c","target":"c","open":false}]`)},
		{Step: "a", Status: store.StatusError, Usage: json.RawMessage(`{"input_tokens":3,"output_tokens":4,"cost_usd":0.5}`)},
		{Step: "ask", Status: store.StatusAnswered},
		{Step: "a", Status: store.StatusLost},
		{Step: "a", Status: store.StatusRound},
	} {
		x.StartedAt, x.FinishedAt = start, start.Add(time.Duration(i+1)*time.Second)
		if err := out.add(&x); err != nil {
			t.Fatal(err)
		}
	}
	a := out.Steps["a"]
	if out.Visits != 3 || a.Visits != 2 || a.Failed != 1 || a.Input != 3 || a.Output != 4 || a.Cost != 0.5 || len(a.took) != 2 {
		t.Errorf("%+v %+v", out, a)
	}
	if ask := out.Steps["ask"]; ask.Visits != 1 || len(ask.took) != 0 {
		t.Errorf("the time until an answer counts: %+v", ask)
	}
	if *out.Paths["a>b"] != (PathTraffic{Taken: 1}) || *out.Paths["a>c"] != (PathTraffic{Refused: 1}) {
		t.Errorf("%+v", out.Paths)
	}
	if err := out.add(&store.Execution{ID: "s/1", Paths: json.RawMessage(`{`)}); err == nil {
		t.Error("paths that are not valid JSON are no error")
	}
}

// histories is a store of sessions that have run a step some number of times, a second each, up to now.
type histories struct {
	store.Store
	now   time.Time
	runs  []int64
	reads int
	most  int // rows that one read may have returned
}

func (h *histories) Workflows(context.Context, []string, map[string][]string) ([]*graph.Workflow, error) {
	return []*graph.Workflow{{ID: "w"}}, nil
}

func (h *histories) ListSessions(_ context.Context, q store.SessionQuery) ([]store.SessionRecord, error) {
	h.reads++
	var found []store.SessionRecord
	for i := range min(len(h.runs), q.Limit) {
		found = append(found, store.SessionRecord{ID: fmt.Sprint(i)})
	}
	return found, nil
}

func (h *histories) RecentExecutions(_ context.Context, of []store.ExecutionsBefore, limit int) (map[string][]store.Execution, error) {
	h.reads++
	h.most = max(h.most, len(of)*limit)
	found := map[string][]store.Execution{}
	for _, o := range of {
		var i int
		if _, err := fmt.Sscan(o.Session, &i); err != nil {
			return nil, err
		}
		last := h.runs[i]
		if o.Before > 0 {
			last = o.Before - 1
		}
		for seq := max(1, last-int64(limit)+1); seq <= last; seq++ {
			at := h.now.Add(-time.Duration(h.runs[i]-seq) * time.Second)
			found[o.Session] = append(found[o.Session], store.Execution{Session: o.Session, Seq: seq, Step: "a", Status: store.StatusComplete, StartedAt: at, FinishedAt: at})
		}
	}
	return found, nil
}

// Traffic reads the histories of many sessions together, however long some of them are.
func TestTrafficReads(t *testing.T) {
	short := make([]int64, 700)
	for i := range short {
		short[i] = int64(i % 20)
	}
	for name, c := range map[string]struct {
		runs           []int64
		within         time.Duration
		sessions, read int
		visits         int64
		more           bool
	}{
		"short histories": {runs: short, sessions: 500, read: 2, visits: 4750, more: true},
		"no session":      {read: 1},
		"as long as a page, longer, and longer than what is looked at": {runs: []int64{20, 21, 220, 221, 1999, 2000, 2001, 3000}, sessions: 8, read: 12, visits: 20 + 21 + 220 + 221 + 1999 + 3*2000},
		"of the last minute": {runs: []int64{5, 20, 61, 3000}, within: time.Minute, sessions: 4, read: 3, visits: 5 + 20 + 61 + 61},
	} {
		h := &histories{now: time.Unix(1_000_000, 0), runs: c.runs}
		since := time.Time{}
		if c.within > 0 {
			since = h.now.Add(-c.within)
		}
		got, err := New(Options{Store: h}).Traffic(t.Context(), TrafficQuery{Workflow: "w", Since: since})
		if err != nil {
			t.Fatal(err)
		}
		if got.Sessions != c.sessions || got.Visits != c.visits || got.More != c.more || h.reads != c.read || h.most > 10_000 {
			t.Errorf("%s: %d visits of %d sessions, more %t, in %d reads of at most %d rows; want %d of %d, %t, in %d", name, got.Visits, got.Sessions, got.More, h.reads, h.most,
				c.visits, c.sessions, c.more, c.read)
		}
	}
}

func TestPercentile(t *testing.T) {
	list := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for percent, want := range map[int]int64{50: 5, 95: 10, 100: 10, 10: 1} {
		if got := percentile(list, percent); got != want {
			t.Errorf("p%d is %d, want %d", percent, got, want)
		}
	}
	if percentile(nil, 95) != 0 {
		t.Error("nothing has a percentile")
	}
}
