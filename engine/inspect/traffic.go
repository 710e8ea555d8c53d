package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/internal/evaluation"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Traffic is what ran in a workflow in a span of time: how often, how long, how dear.
type Traffic struct {
	Workflow string                  `json:"workflow"`
	Visits   int64                   `json:"visits"`
	Sessions int                     `json:"sessions"` // whose history was read
	More     bool                    `json:"more"`     // there are older sessions, which were not read
	Steps    map[string]*StepTraffic `json:"steps"`
	Paths    map[string]*PathTraffic `json:"paths"`
}

// StepTraffic has the counts and durations of a step's ended attempts. The time in which a
// person answered is not included.
type StepTraffic struct {
	Visits int64   `json:"visits"`
	Failed int64   `json:"failed"`
	P50    int64   `json:"p50_ms"`
	P95    int64   `json:"p95_ms"`
	Input  int64   `json:"input_tokens"`
	Output int64   `json:"output_tokens"`
	Cost   float64 `json:"cost_usd"`

	took []int64
}

// PathTraffic counts how often a path was taken and not taken.
type PathTraffic struct {
	Taken   int64 `json:"taken"`
	Refused int64 `json:"refused"`
}

// A TrafficQuery names a workflow and the span of time.
type TrafficQuery struct {
	Workflow string
	Since    time.Time // executions that ended before are not counted
	Limit    int       // of sessions that are read, the newest; 0 means 500, which is the most
}

// Bounds of Traffic: a look at a workflow reads no more than this, whatever it has run.
const (
	trafficSessions   = 500
	trafficExecutions = 2000 // of one session, the newest
)

// Traffic counts the executions that ended since q.Since in the newest q.Limit sessions of a workflow. The history has no index on time, because maintaining one would slow
// down every checkpoint; sessions are read instead.
func (i *Inspector) Traffic(ctx context.Context, q TrafficQuery) (*Traffic, error) {
	workflow, since, limit := q.Workflow, q.Since, q.Limit
	if _, err := i.workflow(ctx, workflow); err != nil {
		return nil, err
	}
	if limit <= 0 || limit > trafficSessions {
		limit = trafficSessions
	}
	out := &Traffic{Workflow: workflow, Steps: map[string]*StepTraffic{}, Paths: map[string]*PathTraffic{}}
	var ids []string
	if err := i.eachSession(ctx, store.SessionQuery{Workflow: workflow}, limit+1, func(rec *store.SessionRecord) bool {
		ids = append(ids, rec.ID)
		return true
	}); err != nil {
		return nil, err
	}
	if len(ids) > limit {
		ids, out.More = ids[:limit], true
	}
	for _, id := range ids {
		if err := i.addTraffic(ctx, out, id, since); err != nil {
			return nil, err
		}
	}
	for _, s := range out.Steps {
		slices.Sort(s.took)
		s.P50, s.P95 = percentile(s.took, 50), percentile(s.took, 95)
	}
	return out, nil
}

// addTraffic adds one session's history, newest page first, until it is older than since.
func (i *Inspector) addTraffic(ctx context.Context, out *Traffic, session string, since time.Time) error {
	q := store.HistoryQuery{Newest: true, Limit: pageSize}
	for read := 0; read < trafficExecutions; {
		page, err := i.o.Store.Executions(ctx, session, q)
		if err != nil {
			return err
		}
		for i := range page {
			if !page[i].FinishedAt.Before(since) {
				if err := out.add(&page[i]); err != nil {
					return err
				}
			}
		}
		read += len(page)
		if len(page) < q.Limit || page[0].FinishedAt.Before(since) {
			break
		}
		q.Before = page[0].Seq
	}
	out.Sessions++
	return nil
}

func (t *Traffic) add(x *store.Execution) error {
	if x.Status == store.StatusLost || x.Status == store.StatusRound {
		return nil
	}
	t.Visits++
	s := t.Steps[x.Step]
	if s == nil {
		s = &StepTraffic{}
		t.Steps[x.Step] = s
	}
	s.Visits++
	if x.Status == store.StatusError {
		s.Failed++
	}
	if x.Status != store.StatusAnswered {
		s.took = append(s.took, x.FinishedAt.Sub(x.StartedAt).Milliseconds())
	}
	if len(x.Usage) > 0 {
		var u function.Usage
		if err := json.Unmarshal(x.Usage, &u); err != nil {
			return fmt.Errorf("execution %s: usage: %w", x.ID, err)
		}
		s.Input, s.Output, s.Cost = s.Input+int64(u.InputTokens), s.Output+int64(u.OutputTokens), s.Cost+u.Cost
	}
	if len(x.Paths) == 0 {
		return nil
	}
	var evaluated []evaluation.Path
	if err := json.Unmarshal(x.Paths, &evaluated); err != nil {
		return fmt.Errorf("execution %s: paths: %w", x.ID, err)
	}
	for _, j := range evaluated {
		p := t.Paths[j.Path]
		if p == nil {
			p = &PathTraffic{}
			t.Paths[j.Path] = p
		}
		if j.Open {
			p.Taken++
		} else {
			p.Refused++
		}
	}
	return nil
}

// percentile is the nearest-rank one of sorted values; 0 when there are none.
func percentile(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}
