package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// A round is one call of the agent's model.
type round struct {
	in    Input
	ask   *generate.Asking
	call  *function.Call
	tools []function.ToolInfo
	say   bool
	guard guardrails
	spoke *release // guarded streaming, nil if nothing is streamed

	past   []entry // the previous rounds
	calls  int     // tool calls in the previous rounds
	tokens int
	used   map[string]int // calls by tool
}

// An entry is what one round adds to the transcript.
type entry struct {
	Text      string            `json:"text,omitempty"`
	ToolCalls []models.ToolCall `json:"tool_calls,omitempty"`
	// Refused maps the ids of calls that were not made to the error text for the model.
	Refused map[string]string `json:"refused,omitempty"`
	Tokens  int               `json:"tokens,omitempty"`
	// Talk is the chat that the first round was asked with. Later rounds are asked with the
	// same chat.
	Talk *generate.Past `json:"talk,omitempty"`

	Withdrawn bool `json:"-"` // all its calls were rejected and are hidden from the model
}

// run calls the model once and handles the response.
func (r *round) run(ctx context.Context) (json.RawMessage, error) {
	if direct, ok := r.direct(); ok {
		return r.finish(ctx, direct)
	}
	if r.atOnce() {
		return r.answerAtOnce(ctx)
	}
	problem := r.overLimit()
	last := problem != nil
	if last && r.in.OnLimit != "answer" {
		return nil, problem
	}
	response, err := r.ask.Ask(ctx, r.request(ctx, last))
	if err == nil {
		r.spoke.rest()
	}
	// If even the request for a final answer fails permanently, the error names the limit
	// instead.
	if fault := (*function.CallError)(nil); last && errors.As(err, &fault) && !fault.Transient && ctx.Err() == nil {
		problem.Message += "; asked to answer without tools: " + fault.Message
		return nil, problem
	}
	if err != nil {
		return nil, err
	}
	r.tokens += response.Usage.InputTokens + response.Usage.OutputTokens
	if last && strings.TrimSpace(response.Text) == "" {
		return nil, problem
	}
	if len(response.ToolCalls) == 0 || last {
		return r.finish(ctx, response.Text)
	}
	if over := r.calls + len(response.ToolCalls) - r.most(r.in.MaxCalls, defaultCalls); over > 0 {
		return nil, limit("max_calls: the model asked for %d calls of tools beyond the %d it may make", over, r.most(r.in.MaxCalls, defaultCalls))
	}
	return nil, r.handOver(response)
}

func (r *round) most(given input.Int, otherwise int) int {
	if given > 0 {
		return int(given)
	}
	return otherwise
}

// request returns the model request: the question and all previous rounds.
func (r *round) request(ctx context.Context, last bool) models.Request {
	q := r.ask.Request
	q.Token = r.token(ctx)
	q.Messages = append(append([]models.Message(nil), q.Messages...), r.messages()...)
	if last {
		q.Messages = append(q.Messages, models.Message{Role: models.RoleUser, Content: "No more tools can be called. Answer with what you know."})
		return q
	}
	for _, t := range r.tools {
		q.Tools = append(q.Tools, models.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	if len(q.Tools) > 0 && len(r.past) == 0 {
		q.ToolChoice = string(r.in.ToolChoice)
	}
	return q
}

// overLimit returns an error that names the limit which the previous rounds have reached, else
// nil.
func (r *round) overLimit() *function.CallError {
	if most := r.most(r.in.MaxRounds, defaultRounds); len(r.past) >= most {
		problem := limit("max_rounds: no answer after %d rounds of the model", most)
		if r.in.RoundLimitError != "" {
			problem.Kind = string(r.in.RoundLimitError)
		}
		return problem
	}
	if r.in.TokenBudget > 0 && r.tokens >= int(r.in.TokenBudget) {
		return limit("token_budget: %d tokens are used, at most %d may be", r.tokens, r.in.TokenBudget)
	}
	return nil
}

func limit(format string, args ...any) *function.CallError {
	return &function.CallError{Kind: function.KindLimit, Message: fmt.Sprintf(format, args...)}
}

// handOver passes the requested tool calls to the engine. Calls that cannot be made get an
// error result at once.
func (r *round) handOver(response models.Response) error {
	said := entry{Text: response.Text, Tokens: response.Usage.InputTokens + response.Usage.OutputTokens}
	if len(r.past) == 0 {
		said.Talk = r.ask.Past
	}
	out := &function.CallTools{}
	if r.in.Parallel != nil && !bool(*r.in.Parallel) {
		out.Concurrency = 1
	}
	seen := map[string]bool{}
	for i, c := range response.ToolCalls {
		if c.ID == "" || seen[c.ID] {
			c.ID = fmt.Sprintf("call_%d_%d", len(r.past)+1, i+1)
		}
		seen[c.ID] = true
		if len(c.Arguments) == 0 || string(c.Arguments) == "null" { // models write null for no arguments
			c.Arguments = json.RawMessage(`{}`)
		}
		said.ToolCalls = append(said.ToolCalls, c)
		if problem := r.refuse(c); problem != "" {
			if said.Refused == nil {
				said.Refused = map[string]string{}
			}
			said.Refused[c.ID] = problem
			continue
		}
		out.Calls = append(out.Calls, function.ToolCall{ID: c.ID, Tool: c.Name, Arguments: c.Arguments})
	}
	out.Entry = input.Encode(said)
	return out
}
