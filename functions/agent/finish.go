package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// finish builds the agent's output from the model's answer.
func (r *round) finish(ctx context.Context, answer string) (json.RawMessage, error) {
	if r.ask.Schema == nil {
		return r.output(ctx, answer, r.parsed(answer))
	}
	object, err := r.object(ctx, answer)
	if err != nil {
		return nil, err
	}
	return r.output(ctx, r.ask.ObjectText(object), object)
}

// atOnce reports whether the model is asked for the structured output in the first call,
// because there are no tools to call before it.
func (r *round) atOnce() bool {
	return r.ask.Schema != nil && len(r.tools) == 0 && len(r.past) == 0 && !bool(r.in.Convert)
}

// answerAtOnce asks for the structured output in one call.
func (r *round) answerAtOnce(ctx context.Context) (json.RawMessage, error) {
	object, tokens, err := r.ask.Object(ctx, r.ask.Request)
	if err != nil {
		return nil, err
	}
	r.tokens += tokens
	return r.output(ctx, r.ask.ObjectText(object), object)
}

// parsed returns the answer as JSON if the input sets parse and the answer is a list or an
// object, else nil.
func (r *round) parsed(answer string) json.RawMessage {
	text := strings.TrimSpace(answer)
	if !bool(r.in.Parse) || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// output encodes the agent's output and stores the answer in the chat or conversation.
func (r *round) output(ctx context.Context, answer string, object json.RawMessage) (json.RawMessage, error) {
	if r.in.Trim {
		answer = strings.TrimSpace(answer)
	}
	out := Output{Response: answer, Output: object, Rounds: len(r.past) + 1, Calls: r.calls, Tools: r.used}
	if strings.TrimSpace(out.Response) == "" && r.in.EmptyError != "" {
		return nil, &function.CallError{Kind: string(r.in.EmptyError), Message: "the model gave an empty answer"}
	}
	if r.in.Marks {
		out.Clarify, out.AskUser, out.Response = marked(out.Response)
	}
	if r.guard.bans(out.Response) {
		out.Response, out.Guarded = r.guard.Fallback, true
		r.spoke.instead(out.Response)
	}
	out.Text, out.Tokens = out.Response, r.tokens
	if r.in.ListCalls {
		out.Used = r.madeCalls()
	}
	r.ask.Answered(ctx, out.Text)
	if r.say && out.Response != "" {
		function.CallOf(ctx).Say(out.Response)
	}
	return input.Encode(out), nil
}

// object returns the answer as an object that fits the schema. If the answer does not fit as
// it is, the model is asked to convert it.
func (r *round) object(ctx context.Context, answer string) (json.RawMessage, error) {
	if object := models.Object(json.RawMessage(`{}`), answer); object != nil && r.ask.Faults(models.Response{Object: object}) == "" {
		return object, nil
	}
	object, tokens, err := r.ask.Object(ctx, r.conversion(answer))
	r.tokens += tokens
	return object, err
}

// conversion returns the request that converts the answer to an object. If the object is
// requested as the arguments of a tool, the request contains only the answer: given the whole
// conversation, models call the tools that appear in it.
func (r *round) conversion(answer string) models.Request {
	q := r.ask.Request
	if q.Key != "" {
		q.Key += "/object"
	}
	if r.ask.ByTool() && strings.TrimSpace(answer) != "" {
		q.Messages = []models.Message{{Role: models.RoleUser, Content: "Convert the following response to the structured output format: " + answer}}
		return q
	}
	q.Messages = append(append([]models.Message(nil), q.Messages...), r.messages()...)
	if answer != "" {
		q.Messages = append(q.Messages, models.Message{Role: models.RoleAssistant, Content: answer})
	}
	q.Messages = append(q.Messages, models.Message{Role: models.RoleUser, Content: "Write that answer as JSON that fits the schema, and nothing else."})
	return q
}

// Markers by which an agent asks a question back: to the agent that called it, or to the
// person.
const (
	markClarify = "CLARIFY:"
	markAskUser = "ASK_USER:"
)

// marked splits a text at a question marker. CLARIFY takes precedence. Text before a marker is
// dropped, so that answer begins with the marker.
func marked(text string) (clarify, askUser, answer string) {
	if _, rest, ok := strings.Cut(text, markClarify); ok {
		rest = strings.TrimSpace(rest)
		return rest, "", strings.TrimSpace(markClarify + " " + rest)
	}
	if _, rest, ok := strings.Cut(text, markAskUser); ok {
		rest = strings.TrimSpace(rest)
		return "", rest, strings.TrimSpace(markAskUser + " " + rest)
	}
	return "", "", text
}
