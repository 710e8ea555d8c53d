package agent

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// readPast decodes the transcript and counts the calls in it.
func (r *round) readPast() error {
	r.used = map[string]int{}
	for _, t := range r.call.Transcript {
		var e entry
		if err := json.Unmarshal(t.Entry, &e); err != nil {
			return &function.CallError{Kind: function.KindState, Message: "the agent's transcript cannot be read: " + err.Error()}
		}
		r.past = append(r.past, e)
		r.tokens += e.Tokens
		for _, one := range t.Results {
			r.calls++
			r.used[one.Tool]++
		}
	}
	return nil
}

// madeCalls lists the calls that were made in all rounds. Refused calls are not included.
func (r *round) madeCalls() []usedTool {
	var list []usedTool
	for i, e := range r.past {
		for _, c := range e.ToolCalls {
			for _, one := range r.call.Transcript[i].Results {
				if one.ID != c.ID {
					continue
				}
				used := usedTool{Tool: c.Name, Input: c.Arguments}
				if one.Error != nil {
					used.Error = one.Error.Message
				} else {
					used.Output = r.resultText(one)
				}
				list = append(list, used)
			}
		}
	}
	return list
}

// talk returns the chat that the first round was asked with, nil in the first round.
func (r *round) talk() *generate.Past {
	if len(r.past) == 0 {
		return nil
	}
	return r.past[0].Talk
}

// messages returns the previous rounds as messages: what the model said, followed by a result
// for each of its calls, in order.
func (r *round) messages() []models.Message {
	var list []models.Message
	for i, e := range r.past {
		if e.Withdrawn {
			continue
		}
		list = append(list, models.Message{Role: models.RoleAssistant, Content: e.Text, ToolCalls: e.ToolCalls})
		for _, c := range e.ToolCalls {
			list = append(list, models.Message{Role: models.RoleTool, ToolCallID: c.ID, Name: c.Name, Content: r.answerTo(i, c)})
		}
	}
	return list
}

func (r *round) answerTo(n int, c models.ToolCall) string {
	if problem, refused := r.past[n].Refused[c.ID]; refused {
		return errorText(&function.SessionError{Kind: r.refusedKind(c.Name), Message: problem})
	}
	for _, one := range r.call.Transcript[n].Results {
		if one.ID != c.ID {
			continue
		}
		if one.Error != nil {
			return errorText(one.Error)
		}
		return r.resultText(one)
	}
	return errorText(&function.SessionError{Kind: function.KindLost, Message: "the call has left no result"})
}

// errorText returns the text by which a model learns of an error.
func errorText(e *function.SessionError) string {
	return string(input.Encode(map[string]string{"error": e.Message, "errorCode": e.Kind}))
}

// resultText returns a tool's output as text for the model: the answer of an agent, the output
// itself if it is text, its field text if that is the only field or meant for the model (see
// writesText), everything else as JSON.
func (r *round) resultText(one function.ToolResult) string {
	if len(one.Output) == 0 {
		return "null"
	}
	if one.Output[0] == '"' {
		return input.TextOf(one.Output)
	}
	fields, err := input.Parse(one.Output)
	if err != nil {
		return string(one.Output)
	}
	if t := r.tool(one.Tool); t != nil && (t.Function == "agent" || strings.HasPrefix(t.Function, "agent.")) && fields.Get("response") != nil {
		return input.TextOf(fields.Get("response"))
	}
	if text := fields.Get("text"); text != nil && (len(fields) == 1 || r.writesText(one.Tool)) {
		return input.TextOf(text)
	}
	return string(one.Output)
}

// writesText reports whether the tool's output has a field text meant for the model, beside
// the same data in other forms. The function integration has one; of other functions the
// property text of the TOOL path says so.
func (r *round) writesText(tool string) bool {
	t := r.tool(tool)
	return t != nil && (t.Function == "integration" || t.Properties["text"] == true)
}

// direct returns the output of a tool that replaces the agent's answer: the only call of the
// newest round, if its TOOL path has return_direct.
func (r *round) direct() (string, bool) {
	n := len(r.past) - 1
	if n < 0 || len(r.past[n].ToolCalls) != 1 || len(r.call.Transcript[n].Results) != 1 {
		return "", false
	}
	one := r.call.Transcript[n].Results[0]
	t := r.tool(one.Tool)
	if t == nil || one.Error != nil || t.Properties["return_direct"] != true {
		return "", false
	}
	return r.resultText(one), true
}
