package flowiseapi

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// noDeadline takes a deadline away.
var noDeadline time.Time

// historyPage is how many EXECUTIONs are read at once.
const historyPage = 500

// read is a session as Flowise would show it. workflow is the one it runs on, nil to look.
func (f *turns) read(ctx context.Context, id string, workflow *engine.Workflow) (flowise.Run, []flowise.Entry, error) {
	run := flowise.Run{Workflow: workflow}
	var err error
	if run.Session, err = f.e.Session(ctx, id); err != nil {
		return run, nil, err
	}
	if run.Workflow == nil {
		run.Workflow, err = f.e.Workflow(ctx, run.Session.Workflow)
		if flow := run.Session.Labels[flowise.LabelFlow]; errors.Is(err, engine.ErrWorkflowNotFound) && flow != "" {
			run.Workflow, err = f.e.Workflow(ctx, flow) // it ran on a variant of the flow that is gone
		}
		if err != nil {
			return run, nil, err
		}
	}
	if run.Executions, err = f.more(ctx, id, nil); err != nil {
		return run, nil, err
	}
	return run, flowise.Executed(run), nil
}

// more reads what has been added to a history.
func (f *turns) more(ctx context.Context, id string, have []engine.Execution) ([]engine.Execution, error) {
	after := int64(0)
	if len(have) > 0 {
		after = have[len(have)-1].Seq
	}
	at := len(have)
	for {
		page, err := f.e.Executions(ctx, id, engine.HistoryQuery{After: after, Limit: historyPage, Lineage: true})
		if err != nil {
			return nil, err
		}
		have = append(have, page...)
		if len(page) < historyPage {
			break
		}
		after = page[len(page)-1].Seq
	}
	return have, f.complete(ctx, id, have[at:])
}

// complete gives long outputs back that the history has cut, where the session still has them:
// that of a step's newest visit.
func (f *turns) complete(ctx context.Context, id string, list []engine.Execution) error {
	newest := map[string]int{}
	for i := range list {
		if list[i].Output != nil {
			newest[list[i].Step] = i
		}
	}
	for step, i := range newest {
		if !gjson.GetBytes(list[i].Output, "cut").Bool() || !gjson.GetBytes(list[i].Output, "head").Exists() {
			continue
		}
		whole, err := f.value(ctx, id, step)
		if err != nil {
			return err
		}
		if whole != nil {
			list[i].Output = json.RawMessage(whole)
		}
	}
	return nil
}
