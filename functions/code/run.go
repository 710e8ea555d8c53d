package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
)

const (
	maxPrinted = 10 << 10 // bytes kept of a script's printed text
	resultName = "result"
)

// run is one run of one script.
type run struct {
	options   Options
	script    string
	bindings  json.RawMessage // values of references, frozen
	variables json.RawMessage // the script's own variables, which it may change
	printed   strings.Builder
	outOfStep bool
}

// exec runs the script and returns its result as JSON. A *scriptError is an error in the
// script; other errors are an invalid input or the end of ctx.
func (r *run) exec(ctx context.Context) (json.RawMessage, error) {
	file, err := parse(r.script)
	if err != nil {
		return nil, err
	}
	g := &guard{left: r.options.Memory}
	predeclared := g.environment()
	if err := r.bind(file, predeclared); err != nil {
		return nil, err
	}
	program, err := compile(file, predeclared)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, r.options.Time, fmt.Errorf("the script may take %s", r.options.Time))
	defer cancel()
	thread := &starlark.Thread{Name: fileName, Print: r.print}
	thread.SetMaxExecutionSteps(r.options.Steps)
	thread.OnMaxSteps = func(t *starlark.Thread) { r.outOfStep = true; t.Cancel("too many steps") }
	stop := context.AfterFunc(limited, func() { thread.Cancel("out of time") })
	defer stop()

	globals, err := program.Init(thread, predeclared)
	if ctx.Err() != nil {
		return nil, wire.Ended(ctx)
	}
	if err != nil {
		return nil, r.fault(limited, err)
	}
	result, ok := globals[resultName]
	if !ok {
		return nil, scriptFault("the script has no result: assign what it finds to the variable %q", resultName)
	}
	return encode(result)
}

// fault converts an error of the interpreter to a scriptError.
func (r *run) fault(limited context.Context, err error) error {
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return &scriptError{message: err.Error()}
	}
	fault := &scriptError{message: eval.Msg, traceback: eval.Backtrace()}
	switch {
	case r.outOfStep:
		fault.message = fmt.Sprintf("the script was stopped after %d steps", r.options.Steps)
	case limited.Err() != nil:
		fault.message = fmt.Sprintf("the script was stopped after %s", r.options.Time)
	}
	return fault
}

// bind defines the script's values: bindings under the names that stand in its code, and
// variables as globals, which the script may assign to.
func (r *run) bind(file *syntax.File, predeclared starlark.StringDict) error {
	bound, err := decodeObject(r.bindings)
	if err != nil {
		return fmt.Errorf("bindings: %w", err)
	}
	for _, item := range bound.Items() {
		item[1].Freeze()
		predeclared[string(item[0].(starlark.String))] = item[1]
	}
	variables, err := decodeObject(r.variables)
	if err != nil {
		return input.Bad("variables: want an object")
	}
	var assign []syntax.Stmt
	for _, item := range variables.Items() {
		name := string(item[0].(starlark.String))
		if !isIdentifier(name) {
			continue // available only as variables["name"]
		}
		hidden := "$variable " + name
		predeclared[hidden] = item[1]
		assign = append(assign, assignment(name, hidden))
	}
	file.Stmts = append(assign, file.Stmts...)
	if _, ok, _ := variables.Get(starlark.String("variables")); !ok {
		predeclared["variables"] = variables
	}
	return nil
}

func (r *run) print(_ *starlark.Thread, text string) {
	if rest := maxPrinted - r.printed.Len(); rest > 0 {
		if text += "\n"; len(text) > rest {
			text = strings.ToValidUTF8(text[:rest], "")
		}
		r.printed.WriteString(text)
	}
}
