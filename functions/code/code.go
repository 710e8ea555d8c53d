package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/code/python"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Options say what scripts may do. The zero value works.
type Options struct {
	Steps  uint64        // of the interpreter; 10 million by default
	Time   time.Duration // of one script; 5 s by default
	Memory int           // bytes that a script may allocate in all; 128 MB by default
	// Python says whether scripts may be Python, each in a process of its own; off by default.
	Python python.Options
	// Dir is the folder that file_path is looked up in; without it, it is refused.
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
	Variables json.RawMessage `json:"variables,omitempty" jsonschema:"an object whose fields are variables of the script, and which the script sees as a whole as variables"`
	FilePath  input.Text      `json:"file_path,omitempty" jsonschema:"a script file in the configured folder, used when there is no code"`
	Language  input.Text      `json:"language,omitempty" jsonschema:"starlark (the default), javascript or python; python is off unless the operator allows it"`
	Raise     input.Bool      `json:"raise,omitempty" jsonschema:"an error of the script is an error of the step, not an output"`
}

// Output is what a script gives. Exactly one of Result and Error is not null, unless the
// result is None.
type Output struct {
	Result    json.RawMessage `json:"result" jsonschema:"what the script found"`
	Error     *string         `json:"error" jsonschema:"why the script has no result; null when it has"`
	Traceback *string         `json:"traceback" jsonschema:"where in the script the error happened"`
	Printed   string          `json:"printed,omitempty" jsonschema:"what the script printed"`
}

// Spec is utils.code.code. It is pure: a script has no effect but its output. References in
// its code are not pasted but bound: the engine leaves a name there and hands the value in
// Call.Bindings.
func Spec(o Options) engine.Spec {
	f := function{o.withDefaults()}
	return engine.Spec{
		Name:        "utils.code.code",
		Aliases:     []string{"code", "utils.code"},
		Description: "Runs a script in Starlark or JavaScript in a sandbox, or in Python in a process of its own, and keeps its result.",
		Program:     []string{"code"},
		Arguments:   "variables",
		Check:       f.check,
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Examples: []engine.Example{
			{Title: "Count", Input: json.RawMessage(`{"code": "result = {\"n\": n + 1, \"again\": n < 3}", "variables": {"n": 2}}`), Output: json.RawMessage(`{"result":{"n":3,"again":true},"error":null,"traceback":null}`)},
			{Title: "JavaScript", Input: json.RawMessage(`{"language": "javascript", "code": "const names = $people.map(p => p.name)\nreturn names.sort().join(', ')", "variables": {"$people": [{"name": "Grace"}, {"name": "Ada"}]}}`), Output: json.RawMessage(`{"result":"Ada, Grace","error":null,"traceback":null}`)},
			{Title: "A reference in a script is a value", Input: json.RawMessage(`{"code": "result = len(@{SESSION_ID}.ask.response)"}`)},
		},
		Function: engine.FunctionFunc(f.call),
	}
}

type function struct{ options Options }

func (f function) call(ctx context.Context, given json.RawMessage) (json.RawMessage, error) {
	in, _, err := input.Decode[Input](given)
	if err != nil {
		return nil, err
	}
	name := ""
	if in.Code == "" {
		name = string(in.FilePath)
	}
	if name, err = languageName(string(in.Language), name); err != nil {
		return nil, err
	}
	text, err := f.text(in)
	var fault *scriptError
	var out Output
	if err == nil {
		var o outcome
		o, err = f.language(name)(ctx, script{text, engine.CallOf(ctx).Bindings, in.Variables})
		out.Result, out.Printed = o.result, o.printed
	}
	if err != nil && !errors.As(err, &fault) {
		return nil, err
	}
	if fault != nil {
		if in.Raise {
			return nil, &engine.CallError{Message: fault.message, Err: fault}
		}
		out.Error = &fault.message
		if fault.traceback != "" {
			out.Traceback = &fault.traceback
		}
	}
	return input.Encode(out), nil
}

// A scriptError is a fault of the script, which is an output unless the step wants it raised.
type scriptError struct{ message, traceback string }

func (e *scriptError) Error() string { return e.message }

func scriptFault(format string, args ...any) error {
	return &scriptError{message: fmt.Sprintf(format, args...)}
}

// text is the script of an input.
func (f function) text(in Input) (string, error) {
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

// check reads the script at load time, unless it holds references, which stand for names
// that nobody knows yet.
func (f function) check(text json.RawMessage) []engine.Problem {
	in, _, err := input.Decode[Input](text)
	if err != nil || in.Code == "" || strings.Contains(string(in.Code), "@{") {
		return nil
	}
	switch name, err := languageName(string(in.Language), ""); {
	case err != nil:
		return []engine.Problem{{Level: "error", Code: "bad_input", Message: err.Error()}}
	case name == inJavaScript:
		return checkJavaScript(string(in.Code))
	case name == inPython:
		return nil
	}
	if _, err := parse(string(in.Code)); err != nil {
		return []engine.Problem{{Level: "error", Code: "code_syntax", Message: err.Error()}}
	}
	return nil
}
