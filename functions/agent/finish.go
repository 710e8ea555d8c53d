package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// finish makes the agent's output of its answer.
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

// atOnce tells whether the model is asked for the object right away: there are no tools that
// it could want first.
func (r *round) atOnce() bool {
	return r.ask.Schema != nil && len(r.tools) == 0 && len(r.past) == 0 && !bool(r.in.Convert)
}

// answerAtOnce asks for the object in one call.
func (r *round) answerAtOnce(ctx context.Context) (json.RawMessage, error) {
	object, tokens, err := r.ask.Object(ctx, r.ask.Request)
	if err != nil {
		return nil, err
	}
	r.tokens += tokens
	return r.output(ctx, r.ask.ObjectText(object), object)
}

// parsed is what an answer is as JSON, with parse: a list or an object, else nothing.
func (r *round) parsed(answer string) json.RawMessage {
	text := strings.TrimSpace(answer)
	if !bool(r.in.Parse) || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// output is what the agent gives, and keeps of its answer.
func (r *round) output(ctx context.Context, answer string, object json.RawMessage) (json.RawMessage, error) {
	if r.in.Trim {
		answer = strings.TrimSpace(answer)
	}
	out := Output{Response: answer, Output: object, Rounds: len(r.past) + 1, Calls: r.calls, Tools: r.used}
	if strings.TrimSpace(out.Response) == "" && r.in.EmptyError != "" {
		return nil, &engine.CallError{Kind: string(r.in.EmptyError), Message: "the model gave an empty answer"}
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
		engine.CallOf(ctx).Say(out.Response)
	}
	return input.Encode(out), nil
}

// object makes an answer one that fits the schema: it may fit as it stands, else the model
// is asked to write it so.
func (r *round) object(ctx context.Context, answer string) (json.RawMessage, error) {
	if object := models.Object(json.RawMessage(`{}`), answer); object != nil && r.ask.Faults(models.Response{Object: object}) == "" {
		return object, nil
	}
	object, tokens, err := r.ask.Object(ctx, r.conversion(answer))
	r.tokens += tokens
	return object, err
}

// conversion asks for the answer as an object. A model that gives it as the arguments of a
// tool sees the answer alone: with the talk before it, models call the tools they see there.
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

// Marks by which an agent asks back: who asked it, or the person.
const (
	markClarify = "CLARIFY:"
	markAskUser = "ASK_USER:"
)

// marked reads the marks by which an agent asks back. CLARIFY is looked for first; what
// stands before a mark is dropped, so that answer begins with it.
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
