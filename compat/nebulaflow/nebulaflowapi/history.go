package nebulaflowapi

import (
	"context"
	"encoding/json"
	"sort"
	"time"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
)

// until reports the ends of visits up to the one of an event.
func (r *run) until(ctx context.Context, ev engine.StepEvent) error {
	done := r.ended[ev.Step]
	known := done.visit >= ev.Visit && !r.running[ev.Step]
	if known && !done.failed {
		return nil
	}
	for {
		for len(r.read) > 0 {
			x := r.read[0]
			r.read = r.read[1:]
			if err := r.tell(ctx, &x); err != nil {
				return err
			}
			if x.Step == ev.Step && x.Visit == ev.Visit && nodeWord(x.Status) == nodeWord(ev.Status) {
				return nil
			}
		}
		more, err := r.more(ctx)
		if err != nil {
			return err
		}
		if !more && known {
			return nil
		}
		if !more { // the workflow keeps no history: the state must do
			return r.tell(ctx, &engine.Execution{Step: ev.Step, Visit: ev.Visit, Status: ev.Status, Output: json.RawMessage(`{"cut":true,"hash":""}`)})
		}
	}
}

// more reads on in the history.
func (r *run) more(ctx context.Context) (bool, error) {
	page, err := r.c.n.e.Executions(ctx, r.session, engine.HistoryQuery{After: r.seq, Limit: 500})
	if err != nil || len(page) == 0 {
		return false, err
	}
	r.seq = page[len(page)-1].Seq
	r.read = append(r.read, page...)
	return true, nil
}

// catchUp reports everything in the history, beginnings and ends in order.
func (r *run) catchUp(ctx context.Context) error {
	for {
		more, err := r.more(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	type moment struct {
		at    time.Time
		begin bool
		x     *engine.Execution
	}
	var list []moment
	for i := range r.read {
		x := &r.read[i]
		list = append(list, moment{x.StartedAt, true, x}, moment{x.FinishedAt, false, x})
	}
	r.read = nil
	sort.SliceStable(list, func(i, j int) bool { return list[i].at.Before(list[j].at) })
	for _, m := range list {
		if m.begin {
			if r.tells(m.x) {
				r.run(ctx, m.x.Step, m.x.Visit)
			}
			continue
		}
		if err := r.tell(ctx, m.x); err != nil {
			return err
		}
	}
	return nil
}

// isSeed reports whether a record is that of a step that was given its output.
func (r *run) isSeed(x *engine.Execution) bool {
	if _, given := r.seeds[x.Step]; given {
		return x.Visit == 1
	}
	s := r.w.Step(x.Step)
	return s != nil && s.Function != "" && !s.Bypass && len(x.Input) == 0 && len(x.Output) > 0 && x.Status == engine.StatusComplete
}

// tells reports whether a record is the end of a node's work that is not known yet. A call
// that was cancelled and ended all the same leaves a second record.
func (r *run) tells(x *engine.Execution) bool {
	done := r.ended[x.Step]
	return nodeWord(x.Status) != "" && !r.isSeed(x) && !x.Retried() && (r.running[x.Step] || x.Visit > done.visit || done.failed && x.Attempt > done.attempt)
}

var nodeWords = map[string]string{engine.StatusComplete: "completed", engine.StatusError: "error", engine.StatusCancelled: "interrupted"}

func nodeWord(status string) string { return nodeWords[status] }

// tell reports one record of the history.
func (r *run) tell(ctx context.Context, x *engine.Execution) error {
	n, isNode := r.nodes[x.Step]
	switch {
	case x.Status == engine.StatusRound:
		r.run(ctx, x.Step, x.Visit)
		r.rounds[x.ID] = x.Step
		r.talk(x.Step).round(x)
		return nil
	case !isNode:
		r.toolEnded(x)
		return nil
	}
	if !r.tells(x) {
		return nil
	}
	r.run(ctx, x.Step, x.Visit)
	word := nodeWord(x.Status)
	data := nodeStatusData{NodeID: x.Step, Status: word}
	var err error
	switch word {
	case "completed":
		data.Result, data.Multi, err = r.result(ctx, n, x)
	case "error":
		text := r.failure(ctx, n, x)
		data.Result, r.faults[x.Step] = &text, text
	}
	if err != nil {
		return err
	}
	r.leave(ctx, n, x.Visit)
	r.finished(ctx, n, x, data)
	return nil
}

// finished reports the end of a node.
func (r *run) finished(ctx context.Context, n nebulaflow.Node, x *engine.Execution, data nodeStatusData) {
	if n.Type == nebulaflow.TypeLLM && data.Result != nil && data.Status == "completed" && !r.w.Step(n.ID).Bypass {
		r.talk(n.ID).final(*data.Result)
	}
	r.flushTalk(ctx, n.ID)
	r.lastLine(ctx, n.ID)
	delete(r.running, n.ID)
	r.ended[n.ID] = endedNode{x.Visit, x.Attempt, data.Status != "completed"}
	r.unask(n.ID)
	if data.Status != "error" || r.single != "" {
		r.last = n.ID
	}
	r.node(ctx, data)
	if n.Type == nebulaflow.TypePreview && data.Result != nil && r.inside == nil {
		m := tokenCount(n.ID, *data.Result)
		r.send(ctx, m)
	}
	if r.inside != nil {
		r.inside.progress(ctx, n, data.Status)
	}
}
