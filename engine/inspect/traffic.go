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

// Executions of many sessions are read together, at most trafficRows of them. Most sessions have no
// more than trafficFirst: those are read in one go.
const (
	trafficFirst = 20
	trafficRows  = trafficFirst * trafficSessions
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
	found, err := i.o.Store.ListSessions(ctx, store.SessionQuery{Workflow: workflow, Limit: limit + 1})
	if err != nil {
		return nil, err
	}
	if len(found) > limit {
		found, out.More = found[:limit], true
	}
	out.Sessions = len(found)
	of := make([]store.ExecutionsBefore, len(found))
	for i := range found {
		of[i].Session = found[i].ID
	}
	page := trafficFirst
	for read := 0; len(of) > 0 && read < trafficExecutions; read, page = read+page, min(pageSize, trafficExecutions-read-page) {
		var longer []store.ExecutionsBefore
		for part := range slices.Chunk(of, trafficRows/page) {
			more, err := i.addTraffic(ctx, out, part, page, since)
			if err != nil {
				return nil, err
			}
			longer = append(longer, more...)
		}
		of = longer
	}
	for _, s := range out.Steps {
		slices.Sort(s.took)
		s.P50, s.P95 = percentile(s.took, 50), percentile(s.took, 95)
	}
	return out, nil
}

// addTraffic adds a page of the histories of sessions. It returns the sessions whose history goes back
// further and is not older than since.
func (i *Inspector) addTraffic(ctx context.Context, out *Traffic, of []store.ExecutionsBefore, limit int, since time.Time) ([]store.ExecutionsBefore, error) {
	found, err := i.o.Store.RecentExecutions(ctx, of, limit)
	if err != nil {
		return nil, err
	}
	var longer []store.ExecutionsBefore
	for _, o := range of {
		page := found[o.Session]
		for i := range page {
			if !page[i].FinishedAt.Before(since) {
				if err := out.add(&page[i]); err != nil {
					return nil, err
				}
			}
		}
		if len(page) == limit && !page[0].FinishedAt.Before(since) {
			longer = append(longer, store.ExecutionsBefore{Session: o.Session, Before: page[0].Seq})
		}
	}
	return longer, nil
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
