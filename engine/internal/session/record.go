package session

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// keepOutput appends an output to the step's kept outputs, as a BLOB when it is large.
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

// record writes the EXECUTION of a visit that has ended, as far as the workflow's history level
// requires it. The execution number is taken at every level.
func (r *ledger) record(id string, v visitInfo, output, problem json.RawMessage) *store.Execution {
	seq := r.counters.NextSeq()
	l := r.state.Live(id)
	if l == nil {
		l = &state.LiveStep{Visit: r.counters.Visits(id)}
	}
	input := v.input
	if step := r.def.Step(id); step != nil {
		input = r.withoutCredentials(step.Function, input)
	}
	e := &store.Execution{
		ID: r.numbered(seq), Session: r.id, Seq: seq,
		Workflow: r.workflow, Step: id, Visit: l.Visit, Attempt: max(v.attempt, 1), Status: v.status,
		Input: jsontext.Cut(input), Output: jsontext.Cut(output), Error: problem, Usage: v.usage,
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

// numbered is the id of an EXECUTION or MESSAGE of the session: session/number.
func (r *claim) numbered(n int64) string { return r.id + "/" + strconv.FormatInt(n, 10) }

func (r *ledger) keepsHistory(status string) bool {
	switch r.def.Workflow.Settings.History {
	case graph.HistoryNone:
		return false
	case graph.HistoryErrors:
		return status != store.StatusComplete && status != store.StatusAnswered && status != store.StatusRound
	}
	return true
}

func (r *ledger) tookLineage(took []state.TakenPath) []store.Lineage {
	var out []store.Lineage
	for _, t := range took {
		if t.Seq > 0 {
			out = append(out, store.Lineage{Execution: r.numbered(t.Seq), Label: t.Path})
		}
	}
	return out
}

// lineage converts the outputs that an input referred to into relations to the executions that wrote them.
func (r *ledger) lineage(reads []references.Read) []store.Lineage {
	var out []store.Lineage
	for _, read := range reads {
		kept := len(r.state.Outputs(read.Step))
		index := read.Index
		if index < 0 {
			index += kept
		}
		if seq := r.counters.OutputSeq(read.Step, index, kept); seq > 0 {
			out = append(out, store.Lineage{Execution: r.numbered(seq), Label: read.Reference})
		}
	}
	return out
}

// withoutCredentials returns an input as the history stores it.
func (r *ledger) withoutCredentials(name string, input json.RawMessage) json.RawMessage {
	return function.ReplaceCredentials(r.e.Registry.Find(name), input, func(function.Credential) string { return "***" })
}

func (r *ledger) recordFailure(id string, f failure) *store.Execution {
	f.info.status = store.StatusError
	f.info.attempt = r.counters.CountFailed(id)
	if f.info.started.IsZero() {
		f.info.started = r.nowTime()
	}
	return r.record(id, f.info, f.output, f.json())
}

// recordLate records the result of a call that was cancelled and finished nevertheless, so that
// people see it. A call that stopped when it was cancelled is already in the history.
func (r *ledger) recordLate(res *attemptResult) {
	if errors.Is(res.err, context.Canceled) || res.err != nil && function.KindOf(res.err) == function.KindCancelled {
		return
	}
	v := res.info()
	v.status = store.StatusCancelled
	var problem json.RawMessage
	if res.err != nil {
		problem = callFailure(res.err).json()
	}
	r.record(res.attempt.step, v, res.output, problem)
}

func (r *ledger) recordLost(c lostCall, message string) {
	if p := r.state.Parent(); p != nil && p.ToldAt == r.counters.Seq() {
		p.ToldAt++ // the record of a lost call is not a new end to report to the parent
	}
	seq := r.counters.NextSeq()
	if c.Error != "" {
		message += ": " + c.Error
	}
	problem, _ := jsontext.Marshal(map[string]any{"kind": function.KindLost, "message": message, "transient": false, "key": c.Key})
	if !r.keepsHistory(store.StatusLost) {
		return
	}
	r.unwritten.executions = append(r.unwritten.executions, &store.Execution{
		ID: r.numbered(seq), Session: r.id, Seq: seq, Workflow: r.workflow,
		Step: c.Step, Visit: c.Visit, Attempt: c.Attempt, Status: store.StatusLost, Function: c.Function, Output: c.Output,
		Error: problem, StartedAt: state.Time(c.Started), FinishedAt: state.Time(c.Finished)})
}

// showOutput makes an output the only entry of the visit, appending it or replacing the present
// one.
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

// A lostCall is the JSON body of a RequestLost.
type lostCall struct {
	Step     string          `json:"step"`
	Visit    int             `json:"visit"`
	Attempt  int             `json:"attempt"`
	Key      string          `json:"key,omitempty"`
	Function string          `json:"function"`
	Output   json.RawMessage `json:"output,omitempty"`
	Error    string          `json:"error,omitempty"`
	Started  int64           `json:"started"`
	Finished int64           `json:"finished"`
}

// say adds a chat message: the newest messages stay in the state, and each becomes a MESSAGE record.
func (r *ledger) say(role, content, step string) {
	n := r.counters.NextMessage()
	m := function.Message{Role: role, Content: content, Step: step, At: r.now(), N: n,
		ID: r.numbered(n)}
	text, err := jsontext.Marshal(m)
	if err != nil {
		return // not expected: plain fields always encode
	}
	window := r.def.Workflow.Settings.MessageWindow
	if window == 0 {
		window = state.MessageWindow
	}
	r.state.AddMessage(text, window)
	r.unwritten.messages = append(r.unwritten.messages, m)
	r.unwritten.bytes += len(text)
	r.unwritten.touch()
	r.event(event.EventMessage, m)
}
