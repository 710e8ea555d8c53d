package flowise

import (
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A UsedTool is one tool call of an agent.
type UsedTool struct {
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"toolInput"`
	Output string          `json:"toolOutput"`
	Error  string          `json:"error,omitempty"`
}

// toolNames are the tools of an agent, by the steps they call.
func (r *recorder) toolNames(agent string) map[string]string {
	names := map[string]string{}
	for _, p := range r.Workflow.Paths {
		if p.Kind == engine.Tool && p.Source == agent {
			names[p.Target] = p.Name
		}
	}
	return names
}

// usedTools lists the calls of one visit of an agent, in order, with what the model gave them.
// Calls of tools that are not there have left nothing.
func (r *recorder) usedTools(v *shownVisit) []UsedTool {
	names := r.toolNames(v.node.id)
	var out []UsedTool
	for _, round := range r.rounds(v.node.id, v.x.Visit) {
		made := r.callsOf(round)
		for _, call := range gjson.GetBytes(round.Output, "tool_calls").Array() {
			at := slices.IndexFunc(made, func(x *engine.Execution) bool { return names[x.Step] == call.Get("name").String() })
			if at < 0 || refusedCall(made[at]) {
				continue
			}
			out = append(out, UsedTool{Tool: names[made[at].Step], Input: json.RawMessage(call.Get("arguments").Raw),
				Output: plainText(gjson.ParseBytes(made[at].Output)), Error: gjson.GetBytes(made[at].Error, "message").String()})
			made = slices.Delete(made, at, at+1)
		}
	}
	return out
}

// rounds are what the model of an agent said in one visit, in order.
func (r *recorder) rounds(agent string, visit int) []*engine.Execution {
	var out []*engine.Execution
	for i := range r.Executions {
		if x := &r.Executions[i]; x.Step == agent && x.Visit == visit && x.Status == engine.StatusRound {
			out = append(out, x)
		}
	}
	return out
}

// callsOf are the calls of tools made in a round.
func (r *recorder) callsOf(round *engine.Execution) []*engine.Execution {
	var out []*engine.Execution
	for i := range r.Executions {
		if x := &r.Executions[i]; x.Parent == round.ID {
			out = append(out, x)
		}
	}
	return out
}

// refusedCall reports whether a person did not let a call be made.
func refusedCall(x *engine.Execution) bool {
	return gjson.GetBytes(x.Error, "kind").String() == "rejected"
}

// permitted reports whether a person was asked for leave during a visit of an agent, and what the
// person had to say to the last refusal.
func (r *recorder) permitted(agent string, visit int) (asked bool, remark string) {
	for _, round := range r.rounds(agent, visit) {
		for _, x := range r.callsOf(round) {
			if s := r.Workflow.Step(x.Step); s != nil && s.Approval {
				asked, remark = true, ""
			}
			if refusedCall(x) {
				asked, remark = true, gjson.GetBytes(x.Error, "message").String()
			}
		}
	}
	return asked, remark
}

// plainText is the text of an output: its text, else all of it as JSON.
func plainText(out gjson.Result) string {
	if text := out.Get("text"); text.Type == gjson.String {
		return text.String()
	}
	return out.Raw
}

// askedCall is the call for which a question asks approval, and what the model said with it.
// Calls of one round run one after the other: the asked one comes after those of the same tool
// that have been made or refused in that round.
func (r *recorder) askedCall(agent string, q *engine.Question) (said string, call gjson.Result, ok bool) {
	name := r.toolNames(agent)[q.Step]
	var waiting []gjson.Result
	for i := range r.Executions {
		x := &r.Executions[i]
		switch {
		case x.Step == agent && x.Status == engine.StatusRound:
			waiting = nil
			for _, one := range gjson.GetBytes(x.Output, "tool_calls").Array() {
				if one.Get("name").String() == name {
					waiting = append(waiting, one)
				}
			}
			said = gjson.GetBytes(x.Output, "text").String()
		case x.Step == q.Step && x.Visit != q.Visit && x.Parent != "" && len(waiting) > 1:
			waiting = waiting[1:]
		}
	}
	if len(waiting) == 0 {
		return "", gjson.Result{}, false
	}
	return said, waiting[0], true
}
