package code

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/code/python"
)

func (f stepFunction) python(ctx context.Context, s script) (outcome, error) {
	if f.options.Python.Path == "" {
		return outcome{}, &function.CallError{Kind: function.KindDisabled, Message: `Python is off here: the operator can allow it by naming an interpreter, "python": "python3" in the configuration; or write the script in Starlark, which reads like Python`}
	}
	_, values, err := s.values(isIdentifier)
	if err != nil {
		return outcome{}, err
	}
	r, err := python.Run(ctx, f.options.Python, python.Program{Code: s.text, Names: values.Encode()})
	var fault *python.Error
	if errors.As(err, &fault) {
		return outcome{printed: fault.Printed}, &scriptError{message: fault.Message, traceback: fault.Traceback}
	}
	return outcome{result: r.Value, printed: r.Printed}, err
}
