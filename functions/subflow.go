package functions

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// SubflowInput is the input of subflow.
type SubflowInput struct {
	Workflow input.Text      `json:"workflow,omitempty" jsonschema:"the workflow to run"`
	Entry    input.Text      `json:"entry,omitempty" jsonschema:"the step at which it begins; root when absent"`
	Inputs   json.RawMessage `json:"inputs,omitempty" takes:"object" jsonschema:"an object; each of its fields is an output of a step of that name"`
	Outputs  json.RawMessage `json:"outputs,omitempty" jsonschema:"a step of the workflow, or a list of steps, whose outputs are wanted, in this order"`
	OnError  input.Text      `json:"on_error,omitempty" jsonschema:"output: a session that did not complete is an output with error; otherwise the step fails"`
}

// SubflowOutput is the output of subflow.
type SubflowOutput struct {
	Session string            `json:"session" jsonschema:"the id of the session that ran"`
	Status  string            `json:"status" jsonschema:"how it ended"`
	Result  json.RawMessage   `json:"result" jsonschema:"the output of its last step; with outputs that of the one step, or the list of them"`
	Outputs []json.RawMessage `json:"outputs,omitempty" jsonschema:"the outputs asked for, null where a step has none"`
	Text    string            `json:"text" jsonschema:"the text of the result; a line for each of outputs; empty when it failed"`
	Error   *Failure          `json:"error,omitempty" jsonschema:"why the session did not complete: {message, kind}"`
}

// KindSubflowFailed is the error kind of a subflow whose session did not complete.
const KindSubflowFailed = "subflow_failed"

// onErrorOutput returns a failure as an output.
const onErrorOutput = "output"

// Subflow runs a workflow in a child session and waits for its end. It is pure: the engine
// starts the child session once.
func Subflow(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[SubflowInput](fields)
	if err != nil {
		return nil, err
	}
	outputs, err := stepIDs(in.Outputs)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	if body := function.CallOf(ctx).Body; body != nil {
		return in.finish(body, len(outputs))
	}
	if in.Workflow == "" {
		return nil, errNoWorkflow()
	}
	inputs, err := inputsObject(in.Inputs)
	if err != nil {
		return nil, err
	}
	child := function.ChildSession{Workflow: string(in.Workflow), Entry: string(in.Entry)}
	if inputs != nil {
		child.Inputs = inputs.Encode()
	}
	return nil, &function.RunSessions{Sessions: []function.ChildSession{child}, Outputs: outputs}
}

func (in SubflowInput) check() error {
	if in.OnError != "" && in.OnError != onErrorOutput {
		return input.Bad("on_error: want %s or nothing, not %q", onErrorOutput, in.OnError)
	}
	return nil
}

func (in SubflowInput) finish(body *function.BodyOutcome, wanted int) (json.RawMessage, error) {
	if len(body.Results) != 1 {
		return nil, &function.CallError{Kind: KindSubflowFailed, Message: "the session has left no result"}
	}
	child := body.Results[0]
	if child.Error != nil && in.OnError == onErrorOutput {
		why := failureOf(child.Error)
		return input.Encode(SubflowOutput{Session: child.Session, Status: child.Status, Result: orNull(nil), Error: &why}), nil
	}
	if child.Error != nil {
		return nil, &function.CallError{Kind: KindSubflowFailed, Message: child.Error.Message}
	}
	out := SubflowOutput{Session: child.Session, Status: child.Status, Result: child.Output, Text: input.ResultText(child.Output)}
	if wanted > 0 {
		if err := json.Unmarshal(child.Output, &out.Outputs); err != nil {
			return nil, &function.CallError{Kind: KindSubflowFailed, Message: "outputs is not a list: " + err.Error()}
		}
		texts := make([]string, len(out.Outputs))
		for i, one := range out.Outputs {
			texts[i] = input.ResultText(one)
		}
		out.Text = strings.Join(texts, "\n")
		if len(out.Outputs) == 1 {
			out.Result = out.Outputs[0]
		}
	}
	out.Result = orNull(out.Result)
	return input.Encode(out), nil
}

// stepIDs reads one id of a step or a list of them.
func stepIDs(given json.RawMessage) ([]string, error) {
	if given == nil {
		return nil, nil
	}
	if given[0] != '[' && given[0] != '{' {
		return []string{input.TextOf(given)}, nil
	}
	var ids []string
	if err := json.Unmarshal(given, &ids); err != nil {
		return nil, input.Bad("outputs: want the id of a step or a list of ids, not %s", abridged(given))
	}
	return ids, nil
}

// inputsObject reads the inputs of child sessions, given as an object or as its JSON text.
func inputsObject(given json.RawMessage) (input.Object, error) {
	if len(given) > 0 && given[0] == '"' {
		given = json.RawMessage(strings.TrimSpace(input.TextOf(given)))
	}
	if len(given) == 0 {
		return nil, nil
	}
	object, err := input.Parse(given)
	if err != nil {
		return nil, input.Bad("inputs: want an object, not %s", abridged(given))
	}
	return object, nil
}

func errNoWorkflow() error { return input.Bad("workflow: is missing, so there is nothing to run") }

func checkSubflow(in SubflowInput, given input.Object) error {
	if given.Get("workflow") == nil {
		return errNoWorkflow()
	}
	if _, err := stepIDs(in.Outputs); err != nil {
		return err
	}
	if _, err := inputsObject(in.Inputs); err != nil {
		return err
	}
	return in.check()
}

func subflowSpec() function.Spec {
	return function.Spec{
		Name:        "subflow",
		Aliases:     []string{"utils.subflow"},
		Description: "Runs another workflow in a child session and waits for its end.",
		Arguments:   "inputs",
		Check:       input.Check[SubflowInput](checkInput(checkSubflow)),
		Input:       input.Schema[SubflowInput](),
		Output:      input.Schema[SubflowOutput](),
		Examples: []function.Example{
			{Title: "With inputs", Input: json.RawMessage(`{"workflow": "credit-check", "inputs": {"customer": "@{SESSION_ID}.ask.response"}}`)},
			{Title: "A failure as an output, for a path with the condition @{SESSION_ID}.step.error", Input: json.RawMessage(`{"workflow": "credit-check", "on_error": "output"}`)},
			{Title: "Two of its outputs", Input: json.RawMessage(`{"workflow": "research", "outputs": ["summary", "sources"]}`)},
		},
		Function: function.ObjectFunc(Subflow),
	}
}
