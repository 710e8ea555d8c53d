package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// agents runs the rounds of agents. In each round the model asks for tool calls; every tool call
// is a visit of the tool's step. The agent's call is suspended until all of them have ended, then
// its function is called again with the transcript (see suspendedCall).
type agents struct{ *visits }

// beginTools records one round of an agent and queues its calls.
func (r *agents) beginTools(res *attemptResult, q *function.CallTools) *store.Execution {
	a := res.attempt
	if problem := r.checkCalls(q); problem != "" {
		return r.badHandover(res, "%s", problem)
	}
	d := r.suspend(res)
	if d.Agent == nil {
		d.Agent = &state.Agent{}
	}
	g := d.Agent
	v := res.info()
	v.status = store.StatusRound
	record := r.record(a.step, v, q.Entry, nil)
	if len(g.Rounds) > 0 {
		record.Input = nil // the record of the first round has the input
	}
	g.Parent, g.AtOnce = record.ID, q.Concurrency
	g.Rounds = append(g.Rounds, state.AgentRound{Entry: r.keepText(jsontext.Compact(q.Entry))})
	g.Calls = nil
	for _, c := range q.Calls {
		g.Calls = append(g.Calls, state.AgentCall{ID: c.ID, Tool: c.Tool, Args: r.keepText(c.Arguments)})
	}
	for _, s := range a.said {
		r.say(s.role, s.text, a.step)
	}
	if len(g.Calls) == 0 {
		d.Ready = true
		return nil
	}
	r.settle(a.step, d)
	return nil
}

func (r *agents) checkCalls(q *function.CallTools) string {
	if len(q.Entry) > r.e.MaxOutput {
		return fmt.Sprintf("the round's entry has %d bytes, at most %d are kept", len(q.Entry), r.e.MaxOutput)
	}
	if len(q.Entry) > 0 && !json.Valid(q.Entry) {
		return "the round's entry is not valid JSON"
	}
	seen := map[string]bool{}
	for _, c := range q.Calls {
		if seen[c.ID] {
			return fmt.Sprintf("two calls have the id %q", c.ID)
		}
		seen[c.ID] = true
		if len(c.Arguments) > 0 && (!json.Valid(c.Arguments) || c.Arguments[0] != '{') {
			return fmt.Sprintf("call %q: arguments are not a JSON object", c.ID)
		}
	}
	return ""
}

// settle starts an agent's tool calls up to its concurrency limit. When all have ended, the agent
// is ready to be called again.
func (r *agents) settle(id string, d *state.Suspended) (moved bool) {
	g := d.Agent
	running, open := 0, 0
	for i := range g.Calls {
		c := &g.Calls[i]
		if c.State == state.CallRuns && !r.stillRuns(id, c) {
			r.endCall(c, function.ToolResult{Error: &function.SessionError{Step: c.Step, Kind: function.KindCancelled, Message: "the tool's step was ended from outside"}})
			moved = true
		}
		if c.State == state.CallRuns {
			running++
		}
	}
	for i := range g.Calls {
		c := &g.Calls[i]
		if c.State == "" && (g.AtOnce <= 0 || running < g.AtOnce) && !r.state.Resting() {
			if started, ended := r.startCall(id, c); started || ended {
				moved = true
				if started {
					running++
				}
			}
		}
		if c.State != state.CallDone {
			open++
		}
	}
	if open > 0 {
		return moved
	}
	results := make([]json.RawMessage, len(g.Calls))
	for i := range g.Calls {
		results[i], _ = r.keptText(g.Calls[i].Result)
		r.dropText(g.Calls[i].Result)
		r.dropText(g.Calls[i].Args)
	}
	list, _ := jsontext.Marshal(results)
	g.Rounds[len(g.Rounds)-1].Results = r.keepText(list)
	g.Calls, d.Ready = nil, true
	r.unwritten.touch()
	return true
}

func (r *agents) resume(_ context.Context, _ string, d *state.Suspended, call *function.Call) (err error) {
	call.Transcript, err = r.transcript(d.Agent)
	return err
}

// retry does nothing: a failed agent is called again with its transcript.
func (r *agents) retry(string, *state.Suspended) {}

// stop cancels the tool calls that run.
func (r *agents) stop(id, reason string) {
	for _, c := range r.state.Suspended(id).Agent.Calls {
		if c.State == state.CallRuns && r.state.HasBegun(c.Step) {
			r.cancelStep(c.Step, reason)
		}
	}
}

// stillRuns reports whether a tool call's visit is still the current visit of its step.
func (r *agents) stillRuns(agent string, c *state.AgentCall) bool {
	l := r.state.Live(c.Step)
	return l != nil && l.Visit == c.Visit && l.ToolBelongs(agent, c.ID)
}

// startCall begins the visit of a tool's step if the step is free. A call of a tool that does not
// exist ends at once.
func (r *agents) startCall(agent string, c *state.AgentCall) (started, ended bool) {
	tool := r.toolPath(agent, c.Tool)
	if tool == nil {
		r.endCall(c, function.ToolResult{Error: &function.SessionError{Kind: function.KindUnknownTool,
			Message: fmt.Sprintf("there is no tool %q; there are %s", c.Tool, r.toolNames(agent))}})
		return false, true
	}
	if r.state.HasBegun(tool.Target) || r.running[tool.Target] != nil {
		return false, false
	}
	if problem := r.badArguments(tool, c.Args); problem != "" {
		r.endCall(c, function.ToolResult{Error: &function.SessionError{Step: tool.Target, Kind: function.KindBadInput, Message: problem}})
		return false, true
	}
	c.Step, c.Path, c.State = tool.Target, tool.ID, state.CallRuns
	r.clearToolStatus(tool.Target)
	l := r.beginVisitOf(&state.ToolVisit{Agent: agent, Call: c.ID, Args: c.Args}, tool.Target, []state.TakenPath{{Path: tool.ID}})
	c.Visit = l.Visit
	return true, false
}

func (r *agents) clearToolStatus(id string) {
	r.settleError(id)
	r.dropSuspended(id)
}

func (r *agents) toolPath(agent, name string) *graph.Path {
	for _, t := range r.def.Tools(agent, r.e.Registry) {
		if t.Name == name {
			return t.Path
		}
	}
	return nil
}

func (r *agents) toolNames(agent string) string {
	text := ""
	for i, t := range r.def.Tools(agent, r.e.Registry) {
		if i > 0 {
			text += ", "
		}
		text += t.Name
	}
	if text == "" {
		return "none"
	}
	return text
}

// transcript returns the past rounds of an agent, as its function receives them.
func (r *agents) transcript(g *state.Agent) ([]function.TranscriptEntry, error) {
	out := make([]function.TranscriptEntry, len(g.Rounds))
	for i, round := range g.Rounds {
		entry, err := r.keptText(round.Entry)
		if err != nil {
			return nil, err
		}
		results, err := r.keptText(round.Results)
		if err != nil {
			return nil, err
		}
		out[i].Entry = entry
		if len(results) > 0 {
			if err := json.Unmarshal(results, &out[i].Results); err != nil {
				return nil, fmt.Errorf("transcript, round %d: %w", i+1, err)
			}
		}
	}
	return out, nil
}

func (r *agents) drop(d *state.Suspended) {
	g := d.Agent
	for _, round := range g.Rounds {
		r.dropText(round.Entry)
		r.dropText(round.Results)
	}
	for _, c := range g.Calls {
		r.dropText(c.Args)
		r.dropText(c.Result)
	}
}
