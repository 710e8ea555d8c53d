package flowisesteps

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/lenient"
	"github.com/stepgraph/stepgraph/models"
)

// IterateInput is the input of flowise.iterate.
type IterateInput struct {
	Items      json.RawMessage   `json:"items,omitempty" jsonschema:"a list, or the JSON5 text of one"`
	ItemsError string            `json:"items_error,omitempty" jsonschema:"the error message when items is not a list"`
	ErrorText  string            `json:"error_text,omitempty" jsonschema:"the text of a failed round, with {number}, counted from 1, {message}, and {said}, which is the message without the address of the model that refused"`
	ErrorTexts map[string]string `json:"error_texts,omitempty" jsonschema:"the same for rounds in which a certain step failed, by the step's id"`
}

// iterate runs the steps it contains once for each item. A failed round is a result too.
func iterate(ctx context.Context, text json.RawMessage) (json.RawMessage, error) {
	var in IterateInput
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, &function.CallError{Kind: function.KindBadInput, Message: err.Error()}
	}
	body := engine.CallOf(ctx).Body
	if body == nil {
		items, ok := list(in.Items)
		if !ok {
			return nil, &function.CallError{Kind: function.KindBadInput, Message: in.ItemsError}
		}
		in.Items = items
	}
	plain, err := functions.Iterate(ctx, function.Object{{Name: "items", Value: in.Items}, {Name: "on_error", Value: jsontext.String(engine.OnErrorContinue)}})
	if err != nil || body == nil {
		return plain, err
	}
	var out functions.IterateOutput
	if err := json.Unmarshal(plain, &out); err != nil {
		return nil, err
	}
	for n, one := range body.Results {
		if one.Error != nil {
			out.Outputs[n] = in.failed(n, one.Error)
		}
	}
	out.Text = strings.Join(out.Outputs, "\n")
	return jsontext.Marshal(out)
}

// list reads a list, given as such or as text.
func list(given json.RawMessage) (json.RawMessage, bool) {
	var text string
	if json.Unmarshal(given, &text) == nil {
		read, err := lenient.Parse(text)
		if err != nil {
			return nil, false
		}
		given = read
	}
	var items []json.RawMessage
	return given, len(given) > 0 && json.Unmarshal(given, &items) == nil && items != nil
}

// failed returns the text of a failed round, the n-th from 0.
func (in IterateInput) failed(n int, e *engine.SessionError) string {
	text, own := in.ErrorTexts[e.Step]
	if !own {
		text = in.ErrorText
	}
	return strings.NewReplacer("{number}", strconv.Itoa(n+1), "{message}", e.Message, "{said}", models.Words(e.Message)).Replace(text)
}

func iterateSpec() engine.Spec {
	return engine.Spec{
		Name:        "iterate.flowise",
		Description: "Runs the steps it contains once for each element of a list, with Flowise's texts for rounds that fail.",
		Rounds:      true,
		Input:       functions.Schema[IterateInput](),
		Output:      functions.Schema[functions.IterateOutput](),
		Function:    function.FunctionFunc(iterate),
	}
}
