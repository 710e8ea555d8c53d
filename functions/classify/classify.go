// Package classify implements the function classify: a model chooses one of several classes,
// and the step's paths test the choice.
package classify

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/functions/internal/branch"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// Input is the input of classify, besides what generate takes: model, profile, messages,
// history, temperature and the like.
type Input struct {
	Text         json.RawMessage `json:"input,omitempty" jsonschema:"what is classified: a text; anything else as compact JSON"`
	Classes      json.RawMessage `json:"classes,omitempty" jsonschema:"a list of names, or of {name, description}"`
	Instructions input.Text      `json:"instructions,omitempty" jsonschema:"instructions for the choice"`
	System       input.Text      `json:"system,omitempty" jsonschema:"the whole system text, instead of ours"`

	Special `json:"-"`
}

// Output is the output of classify.
type Output struct {
	Branch   string          `json:"branch" jsonschema:"the class"`
	Index    int             `json:"index" jsonschema:"its place among the classes, from 0"`
	Branches map[string]bool `json:"branches" jsonschema:"true for the class that was chosen, by place and by name"`
	Names    map[string]bool `json:"names,omitempty" jsonschema:"the same by name alone, where a name is also the place of another class"`
	Text     string          `json:"text" jsonschema:"what the model replied"`
}

type class struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Spec describes classify. A call repeated after a crash is sent with the same idempotency
// key.
func Spec(o generate.Options) function.Spec {
	return stepFunction{options: o}.spec()
}

func (f stepFunction) spec() function.Spec {
	spec := function.Spec{
		Name:        "classify",
		Aliases:     []string{"utils.classify"},
		Description: "Lets a model choose one of several classes, on which the conditions of paths can depend.",
		Effects:     true,
		Secrets:     []string{"api_key"},
		Limit:       8,
		Retry:       generate.Retry,
		Check:       input.Check[generate.Input](input.Check[Input](check)),
		Input:       input.Join(input.Schema[generate.Input](), input.Schema[Input]()),
		Output:      input.Schema[Output](),
		Examples: []function.Example{{Title: "Where a message belongs",
			Input: json.RawMessage(`{"input": "@{SESSION_ID}.ask.response", "classes": ["billing", {"name": "technical", "description": "something does not work"}, "other"]}`)}},
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

func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[Input](fields)
	if err == nil && f.special {
		in.Special, err = input.Bind[Special](fields)
	}
	if err != nil {
		return nil, err
	}
	classes, err := readClasses(in.Classes)
	if err != nil {
		return nil, err
	}
	ask, err := input.Bind[generate.Input](fields)
	if err != nil {
		return nil, err
	}
	ask.Special = in.Special.Special
	ask.User, ask.Schema, ask.SchemaName = input.Text(question(in, classes)), nil, ""
	if ask.System == "" {
		ask.System = system
	}
	prepared, err := generate.Prepare(ctx, f.options, ask.Aside(), nil)
	if err != nil {
		return nil, err
	}
	response, err := prepared.Ask(ctx, prepared.Request)
	if err != nil {
		return nil, err
	}
	name, isJSON := said(response)
	if bool(in.Strict) && !isJSON {
		return nil, &function.CallError{Kind: function.KindOutputInvalid, Message: fmt.Sprintf("the model's reply %q holds no JSON that names a class", abridged(response.Text))}
	}
	chosen := match(name, classes)
	if chosen < 0 {
		if in.OnUnknown != "last" {
			return nil, &function.CallError{Kind: function.KindOutputInvalid, Message: fmt.Sprintf("the model's reply %q names none of the classes", abridged(response.Text))}
		}
		chosen = len(classes) - 1
	}
	prepared.Heard(ctx)
	return output(classes, chosen, response.Text), nil
}

const system = `You sort texts into classes. Reply with JSON and nothing else: {"class": "<the name of one class, as it is given>"}.`

// question returns the prompt for the model.
func question(in Input, classes []class) string {
	if in.Ask != "" {
		return string(in.Ask)
	}
	asked := map[string]any{"input": input.TextOf(in.Text), "classes": classes}
	if in.Instructions != "" {
		asked["instructions"] = string(in.Instructions)
	}
	return string(input.Encode(asked))
}

// said returns the class name in a reply: the text in the requested JSON, however it is
// wrapped, or the reply itself if it is not valid JSON. In JSON only a text can name a class.
func said(response models.Response) (name string, isJSON bool) {
	if fields, err := input.Parse(object(response)); err == nil {
		for _, key := range []string{"class", "output", "branch"} {
			if value := fields.Get(key); value != nil {
				name := strings.TrimSpace(input.TextOf(value))
				return name, name != "" && value[0] == '"'
			}
		}
	}
	return strings.Trim(strings.TrimSpace(response.Text), `"'.`), false
}

// object returns the JSON of a reply: all of it, or the part in braces among other words. nil
// means that there is none.
func object(response models.Response) json.RawMessage {
	if response.Object != nil {
		return response.Object
	}
	whole := json.RawMessage(`{}`) // accepts any value
	if found := models.Object(whole, response.Text); found != nil {
		return found
	}
	from, to := strings.Index(response.Text, "{"), strings.LastIndex(response.Text, "}")
	if from < 0 || to < from {
		return nil
	}
	return models.Object(whole, response.Text[from:to+1])
}

// match returns the index of the class that a reply names, ignoring case: first by equal
// names, then by a common beginning, then by one containing the other. -1 means none.
func match(reply string, classes []class) int {
	low := strings.ToLower(reply)
	if low == "" {
		return -1
	}
	for _, fits := range []func(name string) bool{
		func(name string) bool { return name == low },
		func(name string) bool { return strings.HasPrefix(name, low) },
		func(name string) bool { return strings.Contains(name, low) || strings.Contains(low, name) },
	} {
		for i, c := range classes {
			if fits(strings.ToLower(strings.TrimSpace(c.Name))) {
				return i
			}
		}
	}
	return -1
}

func output(classes []class, chosen int, reply string) json.RawMessage {
	out := Output{Branch: classes[chosen].Name, Index: chosen, Text: reply}
	out.Branches, out.Names = branch.Map(namesOf(classes), chosen)
	return input.Encode(out)
}

func namesOf(classes []class) []string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.Name
	}
	return names
}

func readClasses(given json.RawMessage) ([]class, error) {
	var list []json.RawMessage
	if given == nil || json.Unmarshal(given, &list) != nil || len(list) == 0 {
		return nil, input.Bad("classes: want a list of names, or of {name, description}")
	}
	seen := map[string]bool{}
	classes := make([]class, len(list))
	for i, one := range list {
		if one[0] == '{' {
			if err := json.Unmarshal(one, &classes[i]); err != nil {
				return nil, input.Bad("classes[%d]: want a name, or {name, description}", i)
			}
		} else {
			classes[i].Name = input.TextOf(one)
		}
		name := strings.ToLower(strings.TrimSpace(classes[i].Name))
		if name == "" || seen[name] {
			return nil, input.Bad("classes[%d]: the name %q is empty or stands there twice", i, classes[i].Name)
		}
		seen[name] = true
	}
	return classes, nil
}

func check(text json.RawMessage) []function.Problem {
	in, _, err := input.Decode[Input](text)
	if err != nil || strings.Contains(string(in.Classes), "@{") {
		return nil
	}
	classes, err := readClasses(in.Classes)
	if err != nil {
		return []function.Problem{{Level: "error", Code: "bad_input", Message: err.Error()}}
	}
	if name := branch.Doubtful(namesOf(classes)); name != "" {
		return []function.Problem{{Level: "warning", Code: "doubtful_branch", Message: branch.Warning(name)}}
	}
	return nil
}

func abridged(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}
