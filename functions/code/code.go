package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Options say what scripts may do. The zero value works.
type Options struct {
	Steps  uint64        // of the interpreter; 10 million by default
	Time   time.Duration // of one script; 5 s by default
	Memory int           // bytes that a script may allocate in all; 128 MB by default
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
	Code      input.Text      `json:"code,omitempty" jsonschema:"the script, in Starlark; what it assigns to result is the result"`
	Variables json.RawMessage `json:"variables,omitempty" jsonschema:"an object whose fields are variables of the script, and which the script sees as a whole as variables"`
	FilePath  input.Text      `json:"file_path,omitempty" jsonschema:"a script file in the configured folder, used when there is no code"`
	Language  input.Text      `json:"language,omitempty" jsonschema:"starlark, which is the default"`
	Raise     input.Bool      `json:"raise,omitempty" jsonschema:"an error of the script is an error of the step, not an output"`
}

// Output is what a script gives. Exactly one of Result and Error is not null, unless the
// result is None.
type Output struct {
	Result    json.RawMessage `json:"result" jsonschema:"what the script assigned to result"`
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
		Description: "Runs a Starlark script in a sandbox and keeps its result.",
		Program:     []string{"code"},
		Arguments:   "variables",
		Check:       f.check,
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Function:    engine.FunctionFunc(f.call),
	}
}

type function struct{ options Options }

func (f function) call(ctx context.Context, text json.RawMessage) (json.RawMessage, error) {
	in, _, err := input.Decode[Input](text)
	if err != nil {
		return nil, err
	}
	if err := language(string(in.Language)); err != nil {
		return nil, err
	}
	script := string(in.Code)
	var fault *scriptError
	if script == "" {
		script, err = f.load(string(in.FilePath))
		if err != nil && !errors.As(err, &fault) {
			return nil, err
		}
	}
	var out Output
	if fault == nil {
		r := run{options: f.options, script: script, bindings: engine.CallOf(ctx).Bindings, variables: in.Variables}
		out.Result, err = r.exec(ctx)
		if err != nil && !errors.As(err, &fault) {
			return nil, err
		}
		out.Printed = r.printed.String()
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

func language(name string) error {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "", "starlark":
		return nil
	case "python", "python3", "py":
		return &engine.CallError{Kind: engine.KindDisabled, Message: "Python is off here: write the script in Starlark, which reads like Python, or serve it as a remote function"}
	}
	return input.Bad("language: scripts are Starlark here, not %q", name)
}

// check reads the script at load time, unless it holds references, which stand for names
// that nobody knows yet.
func (f function) check(text json.RawMessage) []engine.Problem {
	in, _, err := input.Decode[Input](text)
	if err != nil || in.Code == "" || strings.Contains(string(in.Code), "@{") {
		return nil
	}
	if _, err := parse(string(in.Code)); err != nil {
		return []engine.Problem{{Level: "error", Code: "code_syntax", Message: err.Error()}}
	}
	return nil
}
