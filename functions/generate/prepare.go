package generate

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
	"github.com/stepgraph/stepgraph/models"
)

// Prepare turns an input into a question to a model, for functions that call the model in
// rounds. ctx is the context of the call; past is the Asking.Past of the first round, nil in
// the first round itself.
func Prepare(ctx context.Context, o Options, in Input, past *Past) (*Asking, error) {
	return stepFunction{options: o}.prepare(ctx, in, past)
}

// prepare turns an input into a question to a model.
func (f stepFunction) prepare(ctx context.Context, in Input, past *Past) (*Asking, error) {
	if f.options.Models == nil {
		return nil, &function.CallError{Kind: function.KindDisabled, Message: "no model is configured, start with --model"}
	}
	profile, err := f.profile(in.ProfileName())
	if err != nil {
		return nil, err
	}
	in = profile.over(in)
	a := &Asking{Tools: profile.Tools, log: f.options.Log, whole: in.Stream != nil && !bool(*in.Stream)}
	if err := f.setSchema(a, in, profile); err != nil {
		return nil, err
	}
	call := function.CallOf(ctx)
	a.Request.Step, a.Request.Key = call.Step, call.Key
	if err := in.settings(&a.Request, profile); err != nil {
		return nil, err
	}
	if err := f.setModel(ctx, a, in); err != nil {
		return nil, err
	}
	own, err := in.frame() // before recall, which may call a model
	if err != nil {
		return nil, err
	}
	conversation, err := in.readConversation()
	if err != nil {
		return nil, err
	}
	if conversation != nil {
		return a, a.converse(ctx, in, own, conversation, past)
	}
	chat, err := a.recall(ctx, in, past)
	if err != nil {
		return nil, err
	}
	a.Request.Messages, err = own.with(chat)
	return a, err
}

func (f stepFunction) setSchema(a *Asking, in Input, profile Profile) error {
	text, name, err := f.schema(in, profile)
	if err != nil {
		return err
	}
	if a.form, err = in.form(); err != nil || text == nil {
		return err
	}
	if text[0] == '"' {
		text = json.RawMessage(input.TextOf(text))
	}
	if a.Schema, err = compile(text); err != nil {
		return input.Bad("%v", err)
	}
	a.form.schema, a.form.name = text, name
	return nil
}

func compile(text json.RawMessage) (*schemacheck.Schema, error) {
	if text[0] == '"' {
		text = json.RawMessage(input.TextOf(text))
	}
	return schemacheck.Compile(text)
}

// setModel selects the model: the server that the workflow names, if any, otherwise the one
// the operator configured.
func (f stepFunction) setModel(ctx context.Context, a *Asking, in Input) (err error) {
	if in.BaseURL == "" {
		a.Model, a.Request.Model, err = f.options.Models.Model(string(in.Model))
		return failure(err)
	}
	at := models.Endpoint{BaseURL: string(in.BaseURL)}
	if at.Key, err = f.key(ctx, string(in.APIKey), at.BaseURL); err != nil {
		return err
	}
	a.Model, err = f.options.Models.Endpoint(at)
	a.Request.Model = string(in.Model)
	return failure(err)
}

// key returns the API key for a server that the workflow names.
func (f stepFunction) key(ctx context.Context, text, address string) (string, error) {
	to, err := url.Parse(address)
	if err != nil || to.Hostname() == "" {
		return "", input.Bad("base_url: want an http or https address")
	}
	key, missing := web.Secrets(ctx, text, to, f.options.Getenv)
	if missing != "" {
		return "", input.Bad("api_key: $%s is not open to workflows for %s; the operator can store it with secret set %s --host %s", missing, web.Origin(to), missing, web.HostPattern(to))
	}
	return key, nil
}

// settings sets the parameters of the request.
func (in Input) settings(r *models.Request, profile Profile) error {
	r.Temperature, r.TopP = (*float64)(in.Temperature), (*float64)(in.TopP)
	r.MaxTokens = int(in.MaxTokens)
	if r.MaxTokens < 0 {
		return input.Bad("max_tokens: %d is less than none", r.MaxTokens)
	}
	if in.Seed != nil {
		seed := int64(*in.Seed)
		r.Seed = &seed
	}
	if err := in.reasoning(r); err != nil {
		return err
	}
	switch {
	case in.Stop == nil:
	case in.Stop[0] == '[':
		var list []input.Text
		if err := json.Unmarshal(in.Stop, &list); err != nil {
			return input.Bad("stop: %v", err)
		}
		for _, text := range list {
			r.Stop = append(r.Stop, string(text))
		}
	default:
		r.Stop = []string{input.TextOf(in.Stop)}
	}
	for _, given := range []json.RawMessage{profile.Parameters, in.Parameters} {
		if len(given) == 0 || string(given) == "null" {
			continue
		}
		fields, err := input.Parse(given)
		if err != nil {
			return input.Bad("parameters: want an object")
		}
		if r.Extra == nil {
			r.Extra = map[string]json.RawMessage{}
		}
		for _, field := range fields {
			r.Extra[field.Name] = field.Value
		}
	}
	return nil
}

// reasoning sets how much the model may think before it answers.
func (in Input) reasoning(r *models.Request) error {
	r.ReasoningEffort = string(in.ReasoningEffort)
	if in.Reasoning == nil {
		return nil
	}
	if in.Reasoning[0] == '"' {
		if r.ReasoningEffort == "" {
			r.ReasoningEffort = input.TextOf(in.Reasoning)
		}
		return nil
	}
	given, err := input.Parse(in.Reasoning)
	if err != nil {
		return input.Bad("reasoning: want {effort, max_tokens}, not %s", in.Reasoning)
	}
	if r.ReasoningEffort == "" {
		r.ReasoningEffort = input.TextOf(given.Get("effort"))
	}
	bound := given.Get("max_tokens")
	if bound == nil {
		bound = given.Get("budget_tokens")
	}
	if bound == nil {
		return nil
	}
	var tokens input.Int
	if err := tokens.UnmarshalJSON(bound); err != nil || tokens < 0 {
		return input.Bad("reasoning.max_tokens: want a number of tokens, not %s", bound)
	}
	r.ReasoningTokens = int(tokens)
	return nil
}
