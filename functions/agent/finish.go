package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/talk"
	"github.com/stepgraph/stepgraph/models"
)

// finish makes the agent's output of its answer.
func (r *round) finish(ctx context.Context, answer string) (json.RawMessage, error) {
	out := Output{Response: answer, Rounds: len(r.past) + 1, Calls: r.calls, Tools: r.used}
	if r.ask.Schema != nil {
		object, err := r.object(ctx, answer)
		if err != nil {
			return nil, err
		}
		out.Output, out.Response = object, input.ResponseText(object)
	}
	if strings.TrimSpace(out.Response) == "" && r.in.EmptyError != "" {
		return nil, &engine.CallError{Kind: string(r.in.EmptyError), Message: "the model gave an empty answer"}
	}
	if r.in.Marks {
		out.Clarify, out.AskUser = marked(out.Response)
	}
	guard, err := readGuardrails(r.in.Guardrails)
	if err != nil {
		return nil, err
	}
	if guard.bans(out.Response) {
		out.Response, out.Guarded = guard.Fallback, true
	}
	out.Text, out.Tokens = out.Response, r.tokens
	r.ask.Answered(ctx, out.Text)
	if r.say && out.Response != "" {
		talk.Of(ctx).Say(out.Response)
	}
	return input.Encode(out), nil
}

// object makes an answer one that fits the schema: it may fit as it stands, else the model
// is asked to write it so, and once more with what is wrong.
func (r *round) object(ctx context.Context, answer string) (json.RawMessage, error) {
	if object := models.Object(r.ask.Request.Schema, answer); object != nil && r.ask.Faults(models.Response{Object: object}) == "" {
		return object, nil
	}
	q := r.ask.Request
	if q.Key != "" {
		q.Key += "/object"
	}
	q.Messages = append(append([]models.Message(nil), q.Messages...), r.messages()...)
	if answer != "" {
		q.Messages = append(q.Messages, models.Message{Role: models.RoleAssistant, Content: answer})
	}
	q.Messages = append(q.Messages, models.Message{Role: models.RoleUser, Content: "Write that answer as JSON that fits the schema, and nothing else."})
	asked := *r.ask
	asked.Request = q
	for try := 0; ; try++ {
		response, err := asked.Ask(ctx, q)
		if err != nil {
			return nil, err
		}
		r.tokens += response.Usage.InputTokens + response.Usage.OutputTokens
		found := asked.Faults(response)
		if found == "" {
			return response.Object, nil
		}
		if try > 0 || response.FinishReason == models.FinishLength {
			return nil, &engine.CallError{Kind: engine.KindOutputInvalid, Message: "the agent's answer does not fit the schema: " + found}
		}
		q = asked.Repair(response, found)
	}
}

// marked reads the marks by which an agent asks back. CLARIFY is looked for first; what
// stands before a mark is dropped.
func marked(text string) (clarify, askUser string) {
	if _, rest, ok := strings.Cut(text, "CLARIFY:"); ok {
		return strings.TrimSpace(rest), ""
	}
	if _, rest, ok := strings.Cut(text, "ASK_USER:"); ok {
		return "", strings.TrimSpace(rest)
	}
	return "", ""
}

// guardrails keep phrases out of answers.
type guardrails struct {
	Banned   []string `json:"banned_phrases"`
	Fallback string   `json:"fallback"`
}

func readGuardrails(given json.RawMessage) (g guardrails, err error) {
	if given == nil {
		return g, nil
	}
	if err := json.Unmarshal(given, &g); err != nil {
		return g, input.Bad("guardrails: want {banned_phrases: [texts], fallback: text}")
	}
	return g, nil
}

func (g guardrails) bans(text string) bool {
	low := strings.ToLower(text)
	for _, phrase := range g.Banned {
		if phrase = strings.ToLower(strings.TrimSpace(phrase)); phrase != "" && strings.Contains(low, phrase) {
			return true
		}
	}
	return false
}
