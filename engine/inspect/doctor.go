package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// Bounds of what doctor calls healthy.
const (
	doctorClock    = 2 * time.Second
	doctorWaiting  = 7 * 24 * time.Hour
	doctorSessions = 10_000
	doctorLanes    = 20 // queues it names
	doctorTurn     = time.Hour
)

// Doctor checks the store, its workflows and its sessions. It changes nothing. It returns an
// error only if the store does not answer.
func (i *Inspector) Doctor(ctx context.Context) ([]store.Finding, error) {
	d := doctor{i: i}
	var wrong *store.SchemaError
	if err := i.o.Store.Ping(ctx); errors.As(err, &wrong) { // the other checks read what may not be there
		d.findings = append(d.findings, wrong.Finding())
		return d.findings, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", i.o.Store.Describe(), err)
	}
	d.ok("store", "%s answers", i.o.Store.Describe())
	for _, check := range []func(context.Context) error{d.load, d.clock, d.storeItself, d.workflows, d.limits, d.due, d.engines, d.waiting, d.sessions} {
		if err := check(ctx); err != nil {
			return d.findings, err
		}
	}
	return d.findings, nil
}

type doctor struct {
	i        *Inspector
	findings []store.Finding
}

func (d *doctor) ok(code, format string, args ...any) {
	d.findings = append(d.findings, store.Finding{Level: "ok", Code: code, Message: fmt.Sprintf(format, args...)})
}

func (d *doctor) find(level, code, mend, format string, args ...any) {
	d.findings = append(d.findings, store.Finding{Level: level, Code: code, Mend: mend, Message: fmt.Sprintf(format, args...)})
}

// load says how full the engine that answers is. A full one is not a fault: work waits its turn.
func (d *doctor) load(context.Context) error {
	if d.i.o.Load != nil {
		d.findings = append(d.findings, d.i.o.Load()...)
	}
	return nil
}

func (d *doctor) clock(ctx context.Context) error {
	before := time.Now()
	now, err := d.i.o.Store.Now(ctx)
	if err != nil {
		return err
	}
	middle := before.Add(time.Since(before) / 2)
	if off := now.Sub(middle); off.Abs() > doctorClock {
		d.find("warning", "clock", "set the clocks of both machines by NTP", "the store's clock is %s off ours; timers go by the store's", off.Round(time.Millisecond))
		return nil
	}
	d.ok("clock", "the store's clock agrees with ours")
	return nil
}

func (d *doctor) storeItself(ctx context.Context) error {
	c, ok := d.i.o.Store.(store.Checker)
	if !ok {
		return nil
	}
	found, err := c.Check(ctx)
	d.findings = append(d.findings, found...)
	return err
}

func (d *doctor) workflows(ctx context.Context) error {
	list, err := d.i.o.Store.WorkflowIDs(ctx)
	if err != nil {
		return err
	}
	for _, info := range list {
		w, err := d.i.workflow(ctx, info.ID)
		if err != nil {
			return err
		}
		for _, p := range graph.Validate(w, d.i.o.Registry) {
			place := info.ID
			if p.Step != "" {
				place += ", step " + p.Step
			}
			if p.Path != "" {
				place += ", path " + p.Path
			}
			d.find(p.Level, p.Code, "stepgraph show "+info.ID, "workflow %s: %s", place, p.Message)
		}
	}
	d.ok("workflows", "%d workflows", len(list))
	return nil
}

// limits says what waits for its turn.
func (d *doctor) limits(ctx context.Context) error {
	lanes, err := d.i.o.Store.Lanes(ctx, "", doctorLanes)
	if err != nil || len(lanes) == 0 {
		return err
	}
	now, err := d.i.o.Store.Now(ctx)
	if err != nil {
		return err
	}
	for _, l := range lanes {
		if l.Waiting == 0 {
			continue
		}
		of := l.Workflow
		if l.Key != "" {
			of += fmt.Sprintf(", key %q", graph.CutText(l.Key, 100))
		}
		waited := now.Sub(l.Oldest).Round(time.Second)
		text := fmt.Sprintf("workflow %s: %d sessions wait for their turn, the first for %s; %d run", of, l.Waiting, waited, l.Running)
		if waited > doctorTurn {
			d.find("warning", "turns", "raise the limits of the workflow, or cancel what it does not need: stepgraph show "+l.Workflow, "%s", text)
			continue
		}
		d.ok("turns", "%s", text)
	}
	return nil
}

// due finds sessions that should have been taken up and were not, and says why.
func (d *doctor) due(ctx context.Context) error {
	ids, err := d.i.o.Store.LongestDue(ctx, overduePage)
	if err != nil || len(ids) == 0 {
		return err
	}
	list, err := d.i.o.Store.SessionsByID(ctx, ids)
	if err != nil {
		return err
	}
	now, err := d.i.o.Store.Now(ctx)
	if err != nil {
		return err
	}
	engines, err := d.i.o.Store.Engines(ctx, d.i.o.HeardWithin)
	if err != nil {
		return err
	}
	found := map[blocker][]*store.SessionRecord{}
	var order []blocker
	sorting.By(list, func(a, b *store.SessionRecord) int { return a.DueAt.Compare(b.DueAt) })
	for n := range list {
		rec := &list[n]
		if rec.DueAt.IsZero() || now.Sub(rec.DueAt) <= overdueAfter {
			continue
		}
		h := d.i.blocker(ctx, rec, engines)
		if found[h] == nil {
			order = append(order, h)
		}
		found[h] = append(found[h], rec)
	}
	for _, h := range order {
		first, more := found[h][0], ""
		if n := len(found[h]) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d others of the first %d)", n, len(ids))
		}
		d.find("error", "overdue", h.remedy, "session %s%s has been due for %s: %s", first.ID, more, now.Sub(first.DueAt).Round(time.Second), h.text)
	}
	return nil
}

// engines finds engines at work that lack functions of others.
func (d *doctor) engines(ctx context.Context) error {
	list, err := d.i.o.Store.Engines(ctx, d.i.o.HeardWithin)
	if err != nil {
		return err
	}
	for i := range list {
		var lacks []string
		for j := range list {
			for _, name := range list[j].Functions {
				if !list[i].Has(name) && !slices.Contains(lacks, name) {
					lacks = append(lacks, name)
				}
			}
		}
		if len(lacks) > 0 {
			sort.Strings(lacks)
			d.find("warning", "functions", "run the same version on every engine",
				"engine %s lacks functions that others have, and leaves steps that call them to those: %s", list[i].Name, graph.CutText(strings.Join(lacks, ", "), 500))
		}
	}
	return nil
}

func (d *doctor) waiting(ctx context.Context) error {
	oldest, err := d.i.o.Store.ListSessions(ctx, store.SessionQuery{OldestWaiting: true, Limit: 1})
	if err != nil || len(oldest) == 0 {
		return err
	}
	since := oldest[0].AwaitingSince
	if time.Since(since) > doctorWaiting {
		d.find("warning", "oldest_waiting", "stepgraph session show "+oldest[0].ID, "session %s has waited for an answer since %s", oldest[0].ID, since.Format(time.RFC3339))
		return nil
	}
	d.ok("oldest_waiting", "the oldest open question is of %s", since.Format(time.RFC3339))
	return nil
}

// sessions looks at open sessions one by one: states that do not parse, steps that are
// gone, sessions nobody has adopted.
func (d *doctor) sessions(ctx context.Context) error {
	definitions := map[string]*graph.Definition{}
	looked, strange := 0, 0
	look := func(rec *store.SessionRecord) bool {
		looked++
		if strange < 100 {
			n := len(d.findings)
			d.session(ctx, rec, definitions)
			strange += len(d.findings) - n
		}
		return true
	}
	// Apart from each other: sessions without a status are in no index, and there are few.
	err := d.i.eachSession(ctx, store.SessionQuery{Status: []string{""}}, doctorSessions, look)
	if err == nil {
		err = d.i.eachSession(ctx, store.SessionQuery{Status: openStatuses}, doctorSessions-looked, look)
	}
	d.ok("sessions", "%d open sessions looked at", looked)
	return err
}

func (d *doctor) session(ctx context.Context, rec *store.SessionRecord, definitions map[string]*graph.Definition) {
	if rec.Status == "" && rec.Version == 0 {
		d.find("warning", "not_adopted", "stepgraph migrate --adopt", "session %s was not made by stepgraph and has not been addressed yet", rec.ID)
	}
	st, err := state.Parse(rec.ID, rec.State)
	if err != nil {
		d.find("error", function.KindState, "stepgraph session edit "+rec.ID, "%v", err)
		return
	}
	id := workflowOf(rec)
	def := definitions[id]
	if def == nil {
		if def, err = d.i.o.Definitions.Recent(ctx, id, definitionAge); err != nil {
			return
		}
		definitions[id] = def
	}
	for _, step := range st.StepIDs() {
		if l := st.Live(step); l != nil && l.Lacks != "" && st.Status(step) == store.StatusActive {
			d.find("warning", function.KindNoFunction, "start an engine that has the function", "session %s, step %q: %s", rec.ID, step, l.LackText())
		}
		switch st.Status(step) {
		case store.StatusActive, store.StatusPending, store.StatusAwaitingInput:
			if def.Step(step) == nil {
				d.find("error", function.KindStepGone, fmt.Sprintf("stepgraph session move %s --from %s --to STEP", rec.ID, step),
					"session %s stands at step %q, which is not in workflow %q", rec.ID, step, id)
			}
		}
	}
	if rec.Status == store.StatusActive && rec.Lease == "" && rec.DueAt.IsZero() {
		d.find("error", "stuck", "stepgraph session resume "+rec.ID, "session %s is active, and nobody will take it up: it is not due", rec.ID)
	}
}
