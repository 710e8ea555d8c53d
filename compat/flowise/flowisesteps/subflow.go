package flowisesteps

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// SubflowInput is the input of subflow.flowise: that of subflow, and a text for failures.
type SubflowInput struct {
	functions.SubflowInput
	ErrorText string `json:"error_text,omitempty" jsonschema:"the text of a session that did not complete, with {message}, which is escaped where the text is JSON"`
}

// subflow runs a workflow in a child session. Its failure is an output.
func subflow(ctx context.Context, given function.Object) (json.RawMessage, error) {
	plain, err := functions.Subflow(ctx, given)
	body := engine.CallOf(ctx).Body
	if err != nil || body == nil || len(body.Results) != 1 || body.Results[0].Error == nil {
		return plain, err
	}
	text, bad := textField(given, "error_text")
	if bad != nil {
		return nil, bad
	}
	var out functions.SubflowOutput
	if err := json.Unmarshal(plain, &out); err != nil {
		return nil, err
	}
	out.Text = failure(text, body.Results[0].Error)
	return jsontext.Marshal(out)
}

// textField reads a field of an input that is a text, "" if it is absent.
func textField(given function.Object, name string) (text string, err error) {
	if value := given.Get(name); value != nil {
		if err := json.Unmarshal(value, &text); err != nil {
			return "", &function.CallError{Kind: function.KindBadInput, Message: name + ": " + err.Error()}
		}
	}
	return text, nil
}

// failure puts the message of an error, without the step it happened in, into a text. In a JSON
// text the message is escaped, so that it stays JSON.
func failure(template string, e *engine.SessionError) string {
	message := strings.TrimPrefix(e.Message, fmt.Sprintf("step %q: ", e.Step))
	if json.Valid([]byte(template)) {
		quoted := jsontext.String(message)
		message = string(quoted[1 : len(quoted)-1])
	}
	return strings.ReplaceAll(template, "{message}", message)
}

func subflowSpec() engine.Spec {
	return engine.Spec{
		Name:        "subflow.flowise",
		Description: "Runs another flow in a child session and waits for its end, with Flowise's text for a failure.",
		Arguments:   "inputs",
		Input:       functions.Schema[SubflowInput](),
		Output:      functions.Schema[functions.SubflowOutput](),
		Function:    function.ObjectFunc(subflow),
	}
}
