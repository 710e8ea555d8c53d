package functions

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// TemplateInput is the input of template.
type TemplateInput struct {
	Template  json.RawMessage `json:"template,omitempty" jsonschema:"the text with references in it, or a list of texts"`
	Text      json.RawMessage `json:"text,omitempty" jsonschema:"used when there is no template"`
	Separator *string         `json:"separator,omitempty" jsonschema:"separates the texts of a list; a new line when absent"`
	Trim      input.Bool      `json:"trim,omitempty" jsonschema:"removes blanks at both ends of the result"`
	Say       input.Bool      `json:"say,omitempty" jsonschema:"the text is also added to the chat"`
}

// TemplateOutput is the output of Template, in addition to the other fields of its input.
type TemplateOutput struct {
	Text string `json:"text"`
}

// Template builds a text. References in it are resolved before the call, so it only joins and
// trims; values that are not text are written as compact JSON. It is pure.
func Template(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[TemplateInput](fields)
	if err != nil {
		return nil, err
	}
	given := in.Template
	if given == nil {
		given = in.Text
	}
	if fields.Get("template") == nil && fields.Get("text") == nil {
		return nil, input.Bad("template: there is neither template nor text")
	}
	made := joined(given, in.Separator)
	if in.Trim {
		made = strings.TrimSpace(made)
	}
	if in.Say {
		function.CallOf(ctx).Say(made)
	}
	out := input.Object{{Name: "text", Value: input.Encode(made)}}
	return append(out, fields.Without("template", "text", "separator", "trim", "say")...).Encode(), nil
}

func joined(given json.RawMessage, separator *string) string {
	var parts []json.RawMessage
	if given[0] != '[' || json.Unmarshal(given, &parts) != nil {
		return input.TextOf(given)
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = input.TextOf(part)
	}
	between := "\n"
	if separator != nil {
		between = *separator
	}
	return strings.Join(texts, between)
}

func templateSpec() function.Spec {
	return function.Spec{
		Name:        "template",
		Aliases:     []string{"utils.template"},
		Description: "Builds a text from other outputs.",
		Check:       input.Check[TemplateInput](),
		Needs:       function.Needs{Own: true, OneOf: []string{"template", "text"}},
		Input:       input.Schema[TemplateInput](),
		Output:      input.Schema[TemplateOutput](),
		Function:    function.ObjectFunc(Template),
	}
}
