package inspect

import (
	"encoding/json"
	"testing"
	"time"

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
