package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// visitInfo is what the record of a visit needs besides its output.
type visitInfo struct {
	started time.Time
	attempt int
	input   json.RawMessage
	reads   []Lineage
	usage   json.RawMessage
	status  string // of the record; complete when empty
}

// complete ends a visit with an output (nil for none) and returns its record.
func (r *visits) complete(id string, output json.RawMessage, v visitInfo) *Execution {
	if v.status == "" {
		v.status = StatusComplete
	}
	l := r.state.Live(id)
	record := r.record(id, v, output, nil)
	if d := r.state.Suspended(id); d != nil && output != nil {
		r.showOutput(id, d, output, record.Seq)
	} else if output != nil {
		r.keepOutput(id, output, record.Seq)
	}
	r.end(id, StatusComplete)
	return r.handOn(l, record, ToolResult{Output: output})
}

// handOn returns the record of a visit whose paths are to be followed, nil where its end
// goes elsewhere: to the agent that called it as a tool, to a step named before.
func (r *visits) handOn(l *state.LiveStep, record *Execution, result ToolResult) *Execution {
	switch {
	case l == nil:
		return record
	case r.toolEnded(l, result):
		return nil
	case l.Then != "":
		r.activate(l.Then, state.TakenPath{Seq: record.Seq, Path: "rollback", Jump: true})
		return nil
	}
	return record
}

// end takes a step out of the live ones and gives it its last status.
func (r *visits) end(id, status string) {
	ev := r.stepEvent(id, r.state.Live(id), status)
	entry := r.state.SetStatus(id, status, "")
	if status == StatusComplete {
		entry.LastExecuted = r.now()
	}
	if status != StatusError { // what is in error may be retried: the same visit, the same key
		r.state.EndLive(id)
		r.dropSuspended(id)
	}
	r.state.CloseAsk(id)
	r.state.ClearFailure(id)
	r.unwritten.touch()
	r.event(EventStep, ev)
}

// keepOutput appends an output to the state's window, on a BLOB when it is large.
func (r *ledger) keepOutput(id string, output json.RawMessage, seq int64) {
	kept := r.def.Step(id).Keep()
	value := r.intern(output)
	r.stateBytes += len(value)
	for _, old := range r.state.AddOutput(id, value, kept) {
		r.stateBytes -= len(old)
		r.forget(old)
	}
	r.counters.NoteOutput(id, seq, len(r.state.Outputs(id)))
}

// record writes the EXECUTION of a visit that has ended, as far as the workflow's level
// of history asks for it. The number is taken at every level.
func (r *ledger) record(id string, v visitInfo, output, problem json.RawMessage) *Execution {
	seq := r.counters.NextSeq()
	l := r.state.Live(id)
	if l == nil {
		l = &state.LiveStep{Visit: r.counters.Visits(id)}
	}
	input := v.input
	if step := r.def.Step(id); step != nil {
		input = r.withoutCredentials(step.Function, input)
	}
	e := &Execution{
		ID: fmt.Sprintf("%s/%d", r.id, seq), Session: r.id, Seq: seq,
		Workflow: r.workflow, Step: id, Visit: l.Visit, Attempt: max(v.attempt, 1), Status: v.status,
		Input: cut(input), Output: cut(output), Error: problem, Usage: v.usage,
		StartedAt: v.started, FinishedAt: r.nowTime(), Reads: v.reads, Took: r.tookLineage(l.Took),
	}
	if step := r.def.Step(id); step != nil {
		e.Function, e.Definition = step.Function, step.Hash
	}
	if l.Tool != nil {
		if d := r.state.Suspended(l.Tool.Agent); d != nil && d.Agent != nil {
			e.Parent = d.Agent.Parent
		}
	}
	r.unwritten.all = append(r.unwritten.all, e)
	if r.keepsHistory(v.status) {
		r.unwritten.executions = append(r.unwritten.executions, e)
		r.unwritten.bytes += len(e.Input) + len(e.Output) + 256
	}
	r.unwritten.visits++
	r.unwritten.bytes += len(output)
	r.unwritten.touch()
	return e
}

func (r *ledger) keepsHistory(status string) bool {
	switch r.def.Workflow.Settings.History {
	case HistoryNone:
		return false
	case HistoryErrors:
		return status != StatusComplete && status != StatusAnswered && status != StatusRound
	}
	return true
}

func (r *ledger) tookLineage(took []state.TakenPath) []Lineage {
	var out []Lineage
	for _, t := range took {
		if t.Seq > 0 {
			out = append(out, Lineage{Execution: fmt.Sprintf("%s/%d", r.id, t.Seq), Label: t.Path})
		}
	}
	return out
}

// lineage turns what an input read into relations to the executions that wrote it.
func (r *ledger) lineage(reads []references.Read) []Lineage {
	var out []Lineage
	for _, read := range reads {
		kept := len(r.state.Outputs(read.Step))
		index := read.Index
		if index < 0 {
			index += kept
		}
		if seq := r.counters.OutputSeq(read.Step, index, kept); seq > 0 {
			out = append(out, Lineage{Execution: fmt.Sprintf("%s/%d", r.id, seq), Label: read.Reference})
		}
	}
	return out
}

// withoutCredentials is an input as the history keeps it.
func (r *ledger) withoutCredentials(name string, input json.RawMessage) json.RawMessage {
	return function.ReplaceCredentials(r.e.registry.Find(name), input, func(function.Credential) string { return "***" })
}

func (r *ledger) recordFailure(id string, f failure) *Execution {
	f.info.status = StatusError
	f.info.attempt = r.counters.CountFailed(id)
	if f.info.started.IsZero() {
		f.info.started = r.nowTime()
	}
	return r.record(id, f.info, f.output, f.json())
}

// recordLate keeps the result of a call that was cancelled and finished all the same, so
// that people see it; one that heeded the cancel is in the history already.
func (r *ledger) recordLate(res *attemptResult) {
	if errors.Is(res.err, context.Canceled) || res.err != nil && KindOf(res.err) == KindCancelled {
		return
	}
	v := res.info()
	v.status = StatusCancelled
	var problem json.RawMessage
	if res.err != nil {
		problem = callFailure(res.err).json()
	}
	r.record(res.attempt.step, v, res.output, problem)
}

func (r *ledger) recordLost(c lostCall, message string) {
	if p := r.state.Parent(); p != nil && p.ToldAt == r.counters.Seq() {
		p.ToldAt++ // word of a lost call is no new end to notify the parent of
	}
	seq := r.counters.NextSeq()
	if c.Error != "" {
		message += ": " + c.Error
	}
	problem, _ := jsontext.Marshal(map[string]any{"kind": KindLost, "message": message, "transient": false, "key": c.Key})
	if !r.keepsHistory(StatusLost) {
		return
	}
	r.unwritten.executions = append(r.unwritten.executions, &Execution{
		ID: fmt.Sprintf("%s/%d", r.id, seq), Session: r.id, Seq: seq, Workflow: r.workflow,
		Step: c.Step, Visit: c.Visit, Attempt: c.Attempt, Status: StatusLost, Function: c.Function, Output: c.Output,
		Error: problem, StartedAt: state.Time(c.Started), FinishedAt: state.Time(c.Finished)})
}

// showOutput makes an output the one entry of the visit, anew or in the place of what
// stands there.
func (r *ledger) showOutput(id string, d *state.Suspended, output json.RawMessage, seq int64) {
	if !d.Shown || len(r.state.Outputs(id)) == 0 {
		d.Shown = true
		r.keepOutput(id, output, seq)
		return
	}
	old, _ := r.state.KeptOutput(id, -1)
	r.state.SetNewest(id, r.intern(output))
	r.counters.RenewOutput(id, seq)
	r.forget(old)
}
