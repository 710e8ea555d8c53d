package inspect

import (
	"context"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/judge"
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
	// Scanned is how many sessions were looked at; More that there are others.
	Scanned int  `json:"scanned"`
	More    bool `json:"more,omitempty"`
}

// An AffectedGroup counts sessions and names some of them.
type AffectedGroup struct {
	Count    int      `json:"count"`
	Sessions []string `json:"sessions"` // the newest, at most 20
}

// affectedNames is how many sessions of a group are named.
const affectedNames = 20

func (g *AffectedGroup) add(id string) {
	g.Count++
	if len(g.Sessions) < affectedNames {
		g.Sessions = append(g.Sessions, id)
	}
}

// Affected reads the open sessions of a workflow, at most limit of them (0: 10,000), newest
// first. If path is not empty, the step is the source of that path.
func (i *Inspector) Affected(ctx context.Context, workflow, step, path string, limit int) (*Affected, error) {
	w, err := i.workflow(ctx, workflow)
	if err != nil {
		return nil, err
	}
	def := graph.Compile(w)
	if path != "" {
		p := w.Path(path)
		if p == nil {
			return nil, &store.DetailError{Err: store.ErrPathNotFound, Detail: path}
		}
		step = p.Source
	}
	if def.Step(step) == nil {
		return nil, store.StepNotFound(w, step)
	}
	out := &Affected{Workflow: workflow, Step: step, At: AffectedGroup{Sessions: []string{}},
		Before: AffectedGroup{Sessions: []string{}}, Behind: AffectedGroup{Sessions: []string{}}}
	if limit <= 0 {
		limit = 10_000
	}
	reach := def.Reaching(step)
	err = i.eachSession(ctx, store.SessionQuery{Workflow: workflow, Status: openStatuses}, limit, func(rec *store.SessionRecord) {
		out.Scanned++
		if st, err := state.Parse(rec.ID, rec.State); err == nil {
			out.place(st, rec.ID, step, reach)
		}
	})
	out.More = out.Scanned == limit
	return out, err
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

// WhatIf evaluates a condition in place of a path's own for the newest limit (0: 100) sessions
// of the workflow that have visited the path's source.
func (i *Inspector) WhatIf(ctx context.Context, workflow, path string, condition any, operator string, limit int) (*WhatIf, error) {
	w, err := i.workflow(ctx, workflow)
	if err != nil {
		return nil, err
	}
	p := w.Path(path)
	if p == nil {
		return nil, &store.DetailError{Err: store.ErrPathNotFound, Detail: path}
	}
	if limit <= 0 {
		limit = 100
	}
	def := graph.Compile(w)
	now, then := conditions.Parse(p.Condition, p.Operator), conditions.Parse(condition, operator)
	out := &WhatIf{Workflow: workflow, Path: path, Sessions: []string{}}
	err = i.eachSession(ctx, store.SessionQuery{Workflow: workflow}, 10*limit, func(rec *store.SessionRecord) {
		if out.Scanned == limit {
			return
		}
		st, err := state.Parse(rec.ID, rec.State)
		if err != nil || st.Status(p.Source) != store.StatusComplete {
			return
		}
		scope := judge.Operands{Scope: references.Scope{Session: rec.ID, Outputs: i.o.Outputs(ctx, st, def)}}
		out.count(rec.ID, now.Evaluate(scope).Open, then.Evaluate(scope).Open)
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
