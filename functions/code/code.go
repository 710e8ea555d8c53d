package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/code/python"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Options configure the limits and languages of scripts. The zero value works.
type Options struct {
	Steps  uint64        // that the interpreter may execute; 10 million by default
	Time   time.Duration // of one script; 5 s by default
	Memory int           // bytes that a script may allocate in total; 128 MB by default
	// Python configures scripts in Python, each in its own process; off by default.
	Python python.Options
	// Dir is the folder that file_path is relative to. If empty, file_path is refused.
	Dir string
}

func (o Options) withDefaults() Options {
	if o.Steps == 0 {
		o.Steps = 10_000_000
	}
	if o.Time == 0 {
		o.Time = 5 * time.Second
	}
	if o.Memory == 0 {
		o.Memory = 128 << 20
	}
	return o
}

// Input is the input of utils.code.code.
type Input struct {
	Code      input.Text      `json:"code,omitempty" jsonschema:"the script; Starlark and Python assign their result to result, JavaScript is the body of an async function and returns it"`
	Variables json.RawMessage `json:"variables,omitempty" takes:"object" jsonschema:"an object whose fields are variables of the script, and which the script sees as a whole as variables"`
	FilePath  input.Text      `json:"file_path,omitempty" jsonschema:"a script file in the configured folder, used when there is no code"`
	Language  input.Text      `json:"language,omitempty" jsonschema:"starlark (the default), javascript or python; python is off unless the operator allows it"`
	Raise     json.RawMessage `json:"raise,omitempty" jsonschema:"true: an error of the script is an error of the step, not an output; or the text of that error, in which {message} is replaced by the script's own message"`
	AsOutput  input.Bool      `json:"as_output,omitempty" jsonschema:"the result, which must be an object, is the output itself; an error of the script is then an error of the step"`
	Globals   json.RawMessage `json:"globals,omitempty" takes:"list" jsonschema:"names of fields of the result (an object) that are also set as globals; a missing field leaves its global unchanged"`
	Text      input.Text      `json:"text,omitempty" jsonschema:"pretty: the output also has the text of the result, as JSON with an indent of two blanks, unless it is a text; a result that is the text of a list or an object is read as that first"`
}

// Output is the output of a script. Exactly one of Result and Error is not null, unless the
// result is None.
type Output struct {
	Result    json.RawMessage `json:"result" jsonschema:"the result of the script"`
	Error     *string         `json:"error" jsonschema:"why the script has no result; null when it has"`
	Traceback *string         `json:"traceback" jsonschema:"where in the script the error happened"`
	Printed   string          `json:"printed,omitempty" jsonschema:"what the script printed"`
	Text      *string         `json:"text,omitempty" jsonschema:"the text of the result, when it was asked for and there is one"`
}

// Spec describes utils.code.code. It is pure: a script has no effect but its output.
// References in the code are bound, not pasted: the engine replaces each by a name and passes
// the value in Call.Bindings.
func Spec(o Options) function.Spec {
	f := stepFunction{o.withDefaults()}
	return function.Spec{
		Name:        "utils.code.code",
		Aliases:     []string{"code", "utils.code"},
		Description: "Runs a script in Starlark or JavaScript in a sandbox, or in Python in a process of its own, and returns its result.",
		Program:     []string{"code"},
		Arguments:   "variables",
		Check:       input.Check[Input](f.check),
		Needs:       function.Needs{OneOf: []string{"code", "file_path"}},
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Examples: []function.Example{
			{Title: "Count", Input: json.RawMessage(`{"code": "result = {\"n\": n + 1, \"again\": n < 3}", "variables": {"n": 2}}`), Output: json.RawMessage(`{"result":{"n":3,"again":true},"error":null,"traceback":null}`)},
			{Title: "JavaScript", Input: json.RawMessage(`{"language": "javascript", "code": "const names = $people.map(p => p.name)\nreturn names.sort().join(', ')", "variables": {"$people": [{"name": "Grace"}, {"name": "Ada"}]}}`), Output: json.RawMessage(`{"result":"Ada, Grace","error":null,"traceback":null}`)},
			{Title: "The result as the output, of which one field is a global", Input: json.RawMessage(`{"language": "javascript", "code": "return {text: 'again', tries: n + 1}", "variables": {"n": 1}, "as_output": true, "globals": ["tries"]}`), Output: json.RawMessage(`{"text":"again","tries":2}`)},
			{Title: "The text of the result, and an error with a text of your own", Input: json.RawMessage(`{"language": "javascript", "code": "return {n: [1]}", "text": "pretty", "raise": "the sum failed: {message}"}`), Output: json.RawMessage(`{"result":{"n":[1]},"error":null,"traceback":null,"text":"{\n  \"n\": [\n    1\n  ]\n}"}`)},
			{Title: "A reference in a script is a value", Input: json.RawMessage(`{"code": "result = len(@{SESSION_ID}.ask.response)"}`)},
		},
		Function: function.ObjectFunc(f.call),
	}
}

type stepFunction struct{ options Options }

func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[Input](fields)
	if err != nil {
		return nil, err
	}
	if err := in.checkOutputFields(); err != nil {
		return nil, err
	}
	template, raise, err := in.raising()
	if err != nil {
		return nil, err
	}
	out, err := f.run(ctx, in)
	var encoded json.RawMessage
	if err == nil {
		encoded, err = in.shape(ctx, &out)
	}
	var fault *scriptError
	switch {
	case err == nil:
		return encoded, nil
	case !errors.As(err, &fault):
		return nil, err
	case raise:
		return nil, raised(template, fault)
	}
	return input.Encode(out.failed(fault)), nil
}

// run runs the script.
func (f stepFunction) run(ctx context.Context, in Input) (out Output, err error) {
	file := ""
	if in.Code == "" {
		file = string(in.FilePath)
	}
	name, err := languageName(string(in.Language), file)
	if err != nil {
		return out, err
	}
	text, err := f.text(in)
	if err != nil {
		return out, err
	}
	o, err := f.language(name)(ctx, script{text, function.CallOf(ctx).Bindings, in.Variables})
	return Output{Result: o.result, Printed: o.printed}, err
}

// shape turns the result of the script into the output that the step asks for.
func (in Input) shape(ctx context.Context, out *Output) (json.RawMessage, error) {
	if in.Text == pretty {
		out.Result, out.Text = layOut(out.Result)
	}
	encoded := input.Encode(out)
	var err error
	if in.AsOutput {
		if encoded, err = out.bare(); err != nil {
			return nil, err
		}
	}
	return encoded, in.publish(ctx, out.Result)
}

// failed returns the output of a script that failed.
func (o Output) failed(fault *scriptError) Output {
	o.Result, o.Text, o.Error = nil, nil, &fault.message
	if fault.traceback != "" {
		o.Traceback = &fault.traceback
	}
	return o
}

// A scriptError is an error in the script. It is an output unless the step asks for it as an
// error.
type scriptError struct{ message, traceback string }

func (e *scriptError) Error() string { return e.message }

func scriptFault(format string, args ...any) error {
	return &scriptError{message: fmt.Sprintf(format, args...)}
}

// text returns the script of an input.
func (f stepFunction) text(in Input) (string, error) {
	text := string(in.Code)
	if text == "" {
		var err error
		if text, err = f.load(string(in.FilePath)); err != nil {
			return "", err
		}
	}
	if len(text) > maxScript {
		return "", scriptFault("the script is longer than %d bytes", maxScript)
	}
	return text, nil
}

// check compiles the script at load time, unless it contains references, which stand for names
// that are not known yet.
func (f stepFunction) check(text json.RawMessage) []function.Problem {
	in, _, err := input.Decode[Input](text)
	if err != nil {
		return nil
	}
	if err := in.checkOutputFields(); err != nil {
		return []function.Problem{{Level: "error", Code: "bad_input", Message: err.Error()}}
	}
	name, err := languageName(string(in.Language), "")
	if err != nil && !strings.Contains(string(in.Language), "@{") {
		return []function.Problem{{Level: "error", Code: "bad_input", Message: err.Error()}}
	}
	switch {
	case err != nil, in.Code == "", strings.Contains(string(in.Code), "@{"):
		return nil
	case name == inJavaScript:
		return checkJavaScript(string(in.Code))
	case name == inPython:
		return nil
	}
	if _, err := parse(string(in.Code)); err != nil {
		return []function.Problem{{Level: "error", Code: "code_syntax", Message: err.Error()}}
	}
	return nil
}
