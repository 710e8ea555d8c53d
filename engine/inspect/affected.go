package inspect

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/evaluation"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/references"
)

// Affected lists the sessions that an edit of a step or path would affect: those at the step,
// those that can still reach it, and those that have passed it.
type Affected struct {
	Workflow string `json:"workflow"`
	Step     string `json:"step"`
	// At counts sessions in which the step is active, pending, awaiting input, in error or a
	// waiting join. Before counts sessions from whose current steps a path leads to it. Behind
	// counts sessions that have visited it and can no longer reach it.
	At     AffectedGroup `json:"at"`
	Before AffectedGroup `json:"before"`
	Behind AffectedGroup `json:"behind"`
	// Scanned is how many sessions were looked at; More that there are others, which begin at Next.
	Scanned int           `json:"scanned"`
	More    bool          `json:"more,omitempty"`
	Next    *store.Cursor `json:"-"`
}

// An AffectedQuery names a step, or a path whose source is the step.
type AffectedQuery struct {
	Workflow string
	Step     string // not used with Path
	Path     string
	Limit    int          // of open sessions that are read, newest first; 0 means 10,000
	After    store.Cursor // Next of the answer before
}

// An AffectedGroup counts sessions and names some of them.
type AffectedGroup struct {
	Count    int      `json:"count"`
	Sessions []string `json:"sessions"` // the newest, at most 20
}

// affectedNames is how many sessions of a group are named.
const affectedNames = 20

func (g *AffectedGroup) add(id string) {
	g.merge(AffectedGroup{1, []string{id}})
}

func (g *AffectedGroup) merge(more AffectedGroup) {
	g.Count += more.Count
	free := max(0, affectedNames-len(g.Sessions))
	g.Sessions = append(g.Sessions, more.Sessions[:min(free, len(more.Sessions))]...)
}

// Merge adds an answer about sessions that come after those of this one.
func (a *Affected) Merge(more *Affected) {
	a.At.merge(more.At)
	a.Before.merge(more.Before)
	a.Behind.merge(more.Behind)
	a.Scanned, a.More, a.Next = a.Scanned+more.Scanned, more.More, more.Next
}

// Affected reads the open sessions of a workflow and groups them by where the step is for them.
func (i *Inspector) Affected(ctx context.Context, q AffectedQuery) (*Affected, error) {
	return i.affected(ctx, q, 0)
}

// SearchAffected is Affected for as long as a search takes: where the states of the sessions
// are not read by then, the answer is about those that are, and Next says where to go on.
func (i *Inspector) SearchAffected(ctx context.Context, q AffectedQuery) (*Affected, error) {
	return i.affected(ctx, q, i.o.SearchTime())
}

// affected looks at sessions until about the given time has passed; 0 for as long as it takes.
func (i *Inspector) affected(ctx context.Context, q AffectedQuery, during time.Duration) (*Affected, error) {
	began := time.Now()
	w, err := i.workflow(ctx, q.Workflow)
	if err != nil {
		return nil, err
	}
	def, step := graph.Compile(w), q.Step
	if q.Path != "" {
		p := w.Path(q.Path)
		if p == nil {
			return nil, &store.DetailError{Err: store.ErrPathNotFound, Detail: q.Path}
		}
		step = p.Source
	}
	if def.Step(step) == nil {
		return nil, store.StepNotFound(w, step)
	}
	out := &Affected{Workflow: q.Workflow, Step: step, At: AffectedGroup{Sessions: []string{}},
		Before: AffectedGroup{Sessions: []string{}}, Behind: AffectedGroup{Sessions: []string{}}}
	limit := q.Limit
	if limit <= 0 {
		limit = 10_000
	}
	reach := def.Reaching(step)
	sessions := store.SessionQuery{Workflow: q.Workflow, Status: openStatuses, After: q.After}
	err = i.eachSession(ctx, sessions, limit, func(rec *store.SessionRecord) bool {
		out.Scanned++
		if st, err := state.Parse(rec.ID, rec.State); err == nil {
			out.place(st, rec.ID, step, reach)
		}
		stop := during > 0 && out.Scanned%pageSize == 0 && late(time.Since(began), out.Scanned/pageSize, during)
		if stop || out.Scanned == limit {
			end := rec.Cursor(false)
			out.More, out.Next = true, &end
		}
		return !stop
	})
	return out, err
}

// late reports whether a look that has read some pages would take longer than it should with the next.
func late(took time.Duration, pages int, during time.Duration) bool {
	return during-took < took/time.Duration(2*pages)
}

// place puts one session into the group it belongs to.
func (a *Affected) place(st *state.State, id, step string, reach map[string]bool) {
	before := false
	for _, s := range st.StepIDs() {
		switch st.Status(s) {
		case store.StatusActive, store.StatusPending, store.StatusAwaitingInput, store.StatusError:
			if s == step {
				a.At.add(id)
				return
			}
			before = before || reach[s]
		}
	}
	if waits := st.IsWaitingJoin(step); waits {
		a.At.add(id)
		return
	}
	switch {
	case before:
		a.Before.add(id)
	case st.Status(step) == store.StatusComplete:
		a.Behind.add(id)
	}
}

// A WhatIf compares a path's condition with another one on the last sessions of its
// workflow.
type WhatIf struct {
	Workflow string   `json:"workflow"`
	Path     string   `json:"path"`
	Scanned  int      `json:"scanned"`
	OpenNow  int      `json:"open_now"`
	OpenThen int      `json:"open_then"`
	Changed  int      `json:"changed"`
	Sessions []string `json:"sessions"` // where it would change, at most 20
}

// A WhatIfQuery has the condition and operator to evaluate in place of a path's own.
type WhatIfQuery struct {
	Workflow  string
	Path      string
	Condition any // as in graph.Path
	Operator  string
	Limit     int // of sessions, newest first; 0 means 100
}

// WhatIf evaluates a condition in place of a path's own for sessions of the workflow that have
// visited the path's source.
func (i *Inspector) WhatIf(ctx context.Context, q WhatIfQuery) (*WhatIf, error) {
	w, err := i.workflow(ctx, q.Workflow)
	if err != nil {
		return nil, err
	}
	p := w.Path(q.Path)
	if p == nil {
		return nil, &store.DetailError{Err: store.ErrPathNotFound, Detail: q.Path}
	}
	limit := q.Limit
	if limit <= 0 {
		limit = 100
	}
	def := graph.Compile(w)
	now, then := conditions.Parse(p.Condition, p.Operator), conditions.Parse(q.Condition, q.Operator)
	out := &WhatIf{Workflow: q.Workflow, Path: q.Path, Sessions: []string{}}
	err = i.eachSession(ctx, store.SessionQuery{Workflow: q.Workflow}, 10*limit, func(rec *store.SessionRecord) bool {
		st, err := state.Parse(rec.ID, rec.State)
		if err != nil || st.Status(p.Source) != store.StatusComplete {
			return true
		}
		scope := evaluation.Operands{Scope: references.Scope{Session: rec.ID, Outputs: i.o.Outputs(ctx, st, def)}}
		out.count(rec.ID, now.Evaluate(scope).Open, then.Evaluate(scope).Open)
		return out.Scanned < limit
	})
	return out, err
}

func (o *WhatIf) count(session string, now, then bool) {
	o.Scanned++
	if now {
		o.OpenNow++
	}
	if then {
		o.OpenThen++
	}
	if now == then {
		return
	}
	o.Changed++
	if len(o.Sessions) < affectedNames {
		o.Sessions = append(o.Sessions, session)
	}
}
