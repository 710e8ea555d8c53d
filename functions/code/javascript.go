package code

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/code/javascript"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// maxHeap is how many bytes one JavaScript run may hold at a time, whatever the total
// allowance of scripts is: eight of them may run at once.
const maxHeap = 64 << 20

func (f stepFunction) javaScript(ctx context.Context, s script) (outcome, error) {
	names, values, err := s.values(javascript.Identifier)
	if err != nil {
		return outcome{}, err
	}
	r, err := javascript.Run(ctx, javascript.Program{
		Code: s.text, Names: names, Values: values.Encode(), Time: f.options.Time, Memory: min(f.options.Memory, maxHeap),
	})
	var thrown *javascript.Error
	if errors.As(err, &thrown) {
		return outcome{printed: thrown.Printed}, &scriptError{message: thrown.Message, traceback: thrown.Stack}
	}
	return outcome{result: r.Value, printed: r.Printed}, err
}

// checkJavaScript compiles a script at load time.
func checkJavaScript(text string) []function.Problem {
	err := javascript.Check(text, nil)
	var fault *javascript.Error
	if !errors.As(err, &fault) {
		return nil
	}
	message := fault.Message
	if fault.Stack != "" {
		message += ", " + fault.Stack
	}
	return []function.Problem{{Level: "error", Code: "code_syntax", Message: message}}
}

// values returns the variables of a script in a language other than Starlark: the values of
// references, the fields of variables whose names are identifiers, and variables as a whole.
func (s script) values(fits func(name string) bool) (names []string, values input.Object, err error) {
	bound, err := object(s.bindings)
	if err != nil {
		return nil, nil, input.Bad("bindings: want an object")
	}
	variables, err := object(s.variables)
	if err != nil {
		return nil, nil, input.Bad("variables: want an object")
	}
	all := input.Object{{Name: "variables", Value: variables.Encode()}}.Over(bound).Over(variables)
	for _, field := range all {
		if fits(field.Name) {
			names, values = append(names, field.Name), append(values, field)
		}
	}
	return names, values, nil
}

func object(text []byte) (input.Object, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	return input.Parse(text)
}
