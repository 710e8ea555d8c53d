package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Default limits of an agent. Ten rounds are more than an answer usually needs; a model that
// has requested fifty tool calls is not making progress.
const (
	defaultRounds = 10
	defaultCalls  = 50
	modelCalls    = 8 // concurrent model calls of one engine, as for generate
)

// Input is the input of agent, besides that of generate: flat JSON, in groups.
type Input struct {
	PromptInput `group:"prompt"`
	AnswerInput `group:"answer"`
	ToolsInput  `group:"tools"`
	LimitsInput `group:"limits"`

	Special `json:"-"`
}

// PromptInput is the question to the agent.
type PromptInput struct {
	Prompt input.Text `json:"prompt,omitempty" jsonschema:"what the agent is asked; another name of user"`
	Query  input.Text `json:"query,omitempty" jsonschema:"the same; the name that a calling agent uses"`
}

// AnswerInput says what happens to the text of the answer.
type AnswerInput struct {
	Guardrails json.RawMessage `json:"guardrails,omitempty" takes:"object" jsonschema:"{banned_phrases, fallback}: an answer that contains one of the phrases is replaced; a streamed answer is checked and shown sentence by sentence; none when absent"`
	Trim       input.Bool      `json:"trim,omitempty" jsonschema:"true removes white space at both ends of the answer; false when absent"`
	Marks      input.Bool      `json:"marks,omitempty" jsonschema:"true reads CLARIFY: and ASK_USER: in the answer into fields of the output; false when absent"`
}

// ToolsInput selects the tools and how they are called.
type ToolsInput struct {
	Tools      json.RawMessage `json:"tools,omitempty" takes:"list" jsonschema:"names of the tools it may call; all its TOOL paths when absent"`
	ToolChoice input.Text      `json:"tool_choice,omitempty" jsonschema:"auto, none, required or a tool's name, for the first round; the provider's own when absent"`
	Parallel   *input.Bool     `json:"parallel,omitempty" jsonschema:"false runs the calls of a round one after the other; true when absent"`
}

// LimitsInput bounds the rounds of one step.
type LimitsInput struct {
	MaxRounds   input.Int  `json:"max_rounds,omitempty" jsonschema:"rounds of the model; 10 when absent"`
	MaxCalls    input.Int  `json:"max_calls,omitempty" jsonschema:"tool calls in all rounds; 50 when absent"`
	TokenBudget input.Int  `json:"token_budget,omitempty" jsonschema:"tokens of all rounds, input and output; no bound when absent"`
	OnLimit     input.Text `json:"on_limit,omitempty" jsonschema:"error (the default), or answer: one last round without tools"`
}

// Output is the output of agent.
type Output struct {
	Response string          `json:"response" jsonschema:"the answer"`
	Text     string          `json:"text" jsonschema:"the same"`
	Output   json.RawMessage `json:"output,omitempty" jsonschema:"with a schema: the answer as an object; with parse: as the object or list that it is"`
	Clarify  string          `json:"clarify,omitempty" jsonschema:"with marks: the agent's question to its caller"`
	AskUser  string          `json:"ask_user,omitempty" jsonschema:"with marks: its question to the person"`
	Guarded  bool            `json:"guarded,omitempty" jsonschema:"the answer was replaced by the fallback of guardrails"`
	Rounds   int             `json:"rounds" jsonschema:"rounds of the model"`
	Calls    int             `json:"calls" jsonschema:"calls of tools"`
	Tools    map[string]int  `json:"tools,omitempty" jsonschema:"calls by tool"`
	Tokens   int             `json:"tokens" jsonschema:"of all rounds, in and out"`
	Used     []usedTool      `json:"used_tools,omitempty" jsonschema:"with list_calls: the calls that were made, in their order"`
}

// A usedTool is a tool call that was made.
type usedTool struct {
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	Output string          `json:"output" jsonschema:"the tool's result as the model read it"`
	Error  string          `json:"error,omitempty"`
}

// Spec describes agent. A round that is repeated after a crash is sent with the same
// idempotency key.
func Spec(o generate.Options) function.Spec {
	return stepFunction{options: o}.spec()
}

func (f stepFunction) spec() function.Spec {
	spec := function.Spec{
		Name:        "agent",
		Aliases:     []string{"utils.agent"},
		Description: "Calls a model in rounds. The model may call tools, which are steps, before it answers.",
		Effects:     true,
		Secrets:     []string{"api_key"},
		Limit:       modelCalls,
		Retry:       generate.Retry,
		Check:       input.Check[generate.Input](input.Check[Input](f.check)),
		Input:       input.Join(input.Schema[generate.Input](), input.Schema[Input]()),
		Output:      input.Schema[Output](),
		Parameters:  json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"what is asked"}},"required":["query"]}`),
		Examples: []function.Example{
			{Title: "A question to an agent whose TOOL paths lead to its tools", Input: json.RawMessage(`{"system": "Use your tools; never guess.", "prompt": "@{SESSION_ID}.ask.response", "max_rounds": 5}`)},
			{Title: "An answer of a shape", Input: json.RawMessage(`{"prompt": "Which city is the largest?", "schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}`)},
		},
		Function: function.ObjectFunc(f.call),
	}
	if f.options.Models == nil {
		spec.Disabled = "no model is configured, start with --model"
	}
	return spec
}

type stepFunction struct {
	options generate.Options
	special bool // also reads the fields of Special
}

// read puts the fields of a step's input into an Input.
func (f stepFunction) read(fields input.Object) (Input, error) {
	in, err := input.Bind[Input](fields)
	if err == nil && f.special {
		in.Special, err = input.Bind[Special](fields)
	}
	return in, err
}

// call runs one round. It ends with tool calls or with the answer.
func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := f.read(fields)
	if err != nil {
		return nil, err
	}
	if in.UnlessEmpty != nil && *in.UnlessEmpty == "" {
		return input.Encode(Output{}), nil
	}
	ask, err := input.Bind[generate.Input](fields)
	if err != nil {
		return nil, err
	}
	ask.Special = in.Special.Special
	for _, user := range []input.Text{in.Prompt, in.Query} {
		if ask.User == "" {
			ask.User = user
		}
	}
	if bool(in.ProfileOptional) && !f.knows(string(ask.Profile)) {
		ask.Profile = ""
	}
	r := &round{in: in, call: function.CallOf(ctx), say: bool(ask.DirectlySetReply)}
	if err := r.readPast(); err != nil {
		return nil, err
	}
	if r.guard, err = readGuardrails(in.Guardrails); err != nil {
		return nil, err
	}
	if r.ask, err = generate.Prepare(ctx, f.options, ask, r.talk()); err != nil {
		return nil, err
	}
	if err := r.addPrompt(ctx); err != nil {
		return nil, err
	}
	if err := r.setTools(f.allowed(ask)); err != nil {
		return nil, err
	}
	if err := r.withdraw(); err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// allowed returns the tools that the profile names, nil if it allows all.
func (f stepFunction) allowed(ask generate.Input) []string {
	name := ask.ProfileName()
	if name == "" || f.options.Profiles == nil {
		return nil
	}
	return f.options.Profiles()[name].Tools
}

func (f stepFunction) knows(profile string) bool {
	if profile == "" || f.options.Profiles == nil {
		return profile == ""
	}
	_, ok := f.options.Profiles()[profile]
	return ok
}

// check validates a step when its workflow is loaded.
func (f stepFunction) check(text json.RawMessage) []function.Problem {
	fields, err := input.Parse(text)
	if err != nil {
		return nil // the engine reports an input that is not an object
	}
	in, err := f.read(fields)
	if err != nil {
		return nil // a reference may stand where a number is expected
	}
	bad := func(code, format string, args ...any) []function.Problem {
		return []function.Problem{{Level: "error", Code: code, Message: fmt.Sprintf(format, args...)}}
	}
	switch in.OnLimit {
	case "", "error", "answer":
	default:
		if !strings.Contains(string(in.OnLimit), "@{") {
			return bad("on_limit", "on_limit: want error or answer, not %q", in.OnLimit)
		}
	}
	if err := in.checkOnReject(); err != nil {
		return bad("on_reject", "%v", err)
	}
	if _, err := readGuardrails(in.Guardrails); err != nil && !composed(in.Guardrails) {
		return bad("guardrails", "%v", err)
	}
	return generate.Check(f.options, text, in.Special.Special)
}
