package functions

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// GroupInput is the input of group.
type GroupInput struct {
	Merge       input.Text `json:"merge,omitempty" jsonschema:"list (the default), concatenate, summarize by a model, or first: the first success, and the others are cancelled"`
	Concurrency input.Int  `json:"concurrency,omitempty" jsonschema:"how many run at once; 32 when absent"`
	Model       input.Text `json:"model,omitempty" jsonschema:"summarize: as in generate"`
	Profile     input.Text `json:"profile,omitempty" jsonschema:"summarize: as in generate"`
	System      input.Text `json:"system,omitempty" jsonschema:"summarize: as in generate"`
	Prompt      input.Text `json:"prompt,omitempty" jsonschema:"summarize: what the model is told to do with the texts, which follow it"`
}

// GroupOutput is the output of group.
type GroupOutput struct {
	Results []json.RawMessage `json:"results" jsonschema:"the outputs of the last steps inside that succeeded, in the order of CONTAINS"`
	Outputs []string          `json:"outputs" jsonschema:"their texts"`
	Text    string            `json:"text" jsonschema:"the merged text"`
}

const (
	mergeList        = "list"
	mergeConcatenate = "concatenate"
	mergeSummarize   = "summarize"
	mergeFirst       = "first"
)

// summaryPrompt is the default instruction for the summary.
const summaryPrompt = "Several steps worked on the same thing side by side. Write one coherent answer from their results below. " +
	"Keep what matters, leave out repetition, and say where they disagree."

// A group runs the steps that its step contains in parallel and merges their outputs. Its
// summary is made by the function generate with this call's idempotency key, so a repeated
// call is recognised.
type group struct{ generate function.Function }

func (g group) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[GroupInput](fields)
	if err != nil {
		return nil, err
	}
	if err := checkGroup(in, nil); err != nil {
		return nil, err
	}
	body := function.CallOf(ctx).Body
	if body == nil {
		return nil, &function.RunBody{AtOnce: true, First: in.Merge == mergeFirst, Concurrency: int(in.Concurrency), Finish: true}
	}
	out, names := succeeded(body)
	switch in.Merge {
	case mergeConcatenate:
		out.Text = concatenate(names, out.Outputs)
	case mergeSummarize:
		out.Text, err = g.summarize(ctx, in, names, out.Outputs)
	case mergeFirst: // others may have ended at the same time
		out.Results, out.Outputs = out.Results[:min(1, len(out.Results))], out.Outputs[:min(1, len(out.Outputs))]
		out.Text = strings.Join(out.Outputs, "")
	default:
		out.Text = strings.Join(out.Outputs, "\n")
	}
	if err != nil {
		return nil, err
	}
	return input.Encode(out), nil
}

// succeeded collects the successful results and the names of their steps.
func succeeded(body *function.BodyOutcome) (out GroupOutput, names []string) {
	done := function.BodyOutcome{}
	for _, one := range body.Results {
		if one.Error == nil && one.Output != nil {
			done.Results = append(done.Results, one)
			names = append(names, one.Name)
		}
	}
	list := readResults(&done)
	return GroupOutput{Results: list.Results, Outputs: list.Texts}, names
}

// concatenate joins texts under headings with the names of their steps. A single text gets no
// heading; texts without content are left out.
func concatenate(names, texts []string) string {
	var parts, alone []string
	for i, text := range texts {
		if strings.TrimSpace(text) != "" {
			parts = append(parts, "## "+names[i]+"\n\n"+text)
			alone = append(alone, text)
		}
	}
	if len(alone) < 2 {
		return strings.Join(alone, "")
	}
	return strings.Join(parts, "\n\n---\n\n")
}

// summarize asks a model for one text. A single text is returned as it is.
func (g group) summarize(ctx context.Context, in GroupInput, names, texts []string) (string, error) {
	whole := concatenate(names, texts)
	written := 0
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			written++
		}
	}
	if written < 2 {
		return whole, nil
	}
	prompt := string(in.Prompt)
	if prompt == "" {
		prompt = summaryPrompt
	}
	question := input.Object{{Name: "user", Value: input.Encode(prompt + "\n\n" + whole)}}
	for name, value := range map[string]input.Text{"model": in.Model, "profile": in.Profile, "system": in.System} {
		if value != "" {
			question = question.With(name, input.Encode(value))
		}
	}
	answer, err := g.generate.Call(ctx, question.Encode())
	if err != nil {
		return "", err
	}
	return input.ResponseText(answer), nil
}

func checkGroup(in GroupInput, _ input.Object) error {
	switch in.Merge {
	case "", mergeList, mergeConcatenate, mergeSummarize, mergeFirst:
	default:
		return input.Bad("merge: want list, concatenate, summarize or first, not %q", in.Merge)
	}
	if in.Concurrency < 0 {
		return input.Bad("concurrency: %d is less than none", in.Concurrency)
	}
	return nil
}

// groupSpec declares effects because summarize calls a model.
func groupSpec(generate function.Function) function.Spec {
	return function.Spec{
		Name:        "group",
		Aliases:     []string{"utils.group"},
		Description: "Runs the steps it contains in parallel and merges their outputs.",
		Rounds:      true,
		Effects:     true,
		Check:       input.Check[GroupInput](checkInput(checkGroup)),
		Input:       input.Schema[GroupInput](),
		Output:      input.Schema[GroupOutput](),
		Examples: []function.Example{
			{Title: "All results, under headings", Input: json.RawMessage(`{"merge": "concatenate"}`)},
			{Title: "The first that answers", Input: json.RawMessage(`{"merge": "first", "concurrency": 3}`)},
			{Title: "One text by a model", Input: json.RawMessage(`{"merge": "summarize", "prompt": "Write one report from these notes."}`)},
		},
		Function: function.ObjectFunc(group{generate}.call),
	}
}
