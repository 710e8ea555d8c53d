package functions

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// ReplyInput is the input of utils.reply.reply.
type ReplyInput struct {
	Message     input.Text      `json:"message,omitempty" jsonschema:"what is said"`
	LLMResponse json.RawMessage `json:"llm_response,omitempty" jsonschema:"used when there is no message: a text, or an output of generate, of which the response is said"`
	Content     input.Text      `json:"content,omitempty" jsonschema:"used when there is neither"`
	EndSession  input.Bool      `json:"end_session,omitempty" jsonschema:"kept in the output; it does not end the session, which ends when no path leads on"`
}

// ReplyOutput is the output of Reply, in addition to the other fields of its input.
type ReplyOutput struct {
	Message    string `json:"message" jsonschema:"what was said"`
	Content    string `json:"content" jsonschema:"the same"`
	EndSession bool   `json:"end_session"`
}

// Reply sends a message to the person. It is pure: the message is part of the checkpoint with
// the output, so a repeated call sends it once. An empty text sends nothing; an input without
// a text field is an error.
func Reply(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[ReplyInput](fields)
	if err != nil {
		return nil, err
	}
	said := string(in.Message)
	if said == "" {
		said = input.ResponseText(in.LLMResponse)
	}
	if said == "" {
		said = string(in.Content)
	}
	if said == "" && fields.Get("message") == nil && fields.Get("llm_response") == nil && fields.Get("content") == nil {
		return nil, input.Bad("reply has nothing to say: give it message, llm_response or content")
	}
	if said != "" {
		function.CallOf(ctx).Say(said)
	}
	out := input.Object{
		{Name: "message", Value: input.Encode(said)},
		{Name: "content", Value: input.Encode(said)},
		{Name: "end_session", Value: input.Encode(bool(in.EndSession))},
	}
	return append(out, fields.Without("message", "llm_response", "content", "end_session")...).Encode(), nil
}

// checkReply reports a reply without a text, which would fail when it runs.
func checkReply(text json.RawMessage) []function.Problem {
	given, err := input.Parse(text)
	if err != nil || given.Get("message") != nil || given.Get("llm_response") != nil || given.Get("content") != nil {
		return nil
	}
	return []function.Problem{{Level: "error", Code: "empty_reply", Message: "the reply has nothing to say: give it a message"}}
}

func replySpec() function.Spec {
	return function.Spec{
		Name:        "utils.reply.reply",
		Aliases:     []string{"reply", "utils.reply"},
		Description: "Sends a message to the person.",
		Check:       input.Check[ReplyInput](checkReply),
		Needs:       function.Needs{Own: true},
		Input:       input.Schema[ReplyInput](),
		Output:      input.Schema[ReplyOutput](),
		Function:    function.ObjectFunc(Reply),
	}
}
