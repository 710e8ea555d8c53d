package functions

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// checkInput makes a Spec.Check of check, which gets the input twice: decoded in in, without
// the fields whose values are known only when the step runs, and complete in given. A problem
// it finds in in therefore does not depend on references.
func checkInput[T any](check func(in T, given input.Object) error) func(json.RawMessage) []engine.Problem {
	return func(text json.RawMessage) []engine.Problem {
		given, err := input.Parse(text)
		if err != nil {
			return nil // the engine reports an input that is not an object
		}
		var known input.Object
		for _, f := range given {
			if !refers(f.Value) {
				known = append(known, f)
			}
		}
		in, _, err := input.Decode[T](known.Encode())
		if err == nil {
			err = check(in, given)
		}
		if err == nil {
			return nil
		}
		return []engine.Problem{{Level: "error", Code: "bad_input", Message: err.Error()}}
	}
}

// refers reports whether JSON text, or the text of a field, contains a reference or a form
// such as @text.
func refers[T ~string | ~[]byte](text T) bool { return input.Refers(json.RawMessage(text)) }

// tried makes a Spec.Check for a function without effects: an input without references is given to
// the function itself, and what it says about a field of the input is reported. What a model fills in, or
// a reference brings, is not missing.
func tried(function func(context.Context, json.RawMessage) (json.RawMessage, error)) func(json.RawMessage) []engine.Problem {
	return func(text json.RawMessage) []engine.Problem {
		given, err := input.Parse(text)
		if err != nil || refers(text) {
			return nil
		}
		_, err = function(context.Background(), text)
		var fault *engine.CallError
		if !errors.As(err, &fault) || fault.Kind != engine.KindBadInput {
			return nil
		}
		name, _, _ := strings.Cut(fault.Message, ":")
		name, _, _ = strings.Cut(name, "[")
		if given.Get(name) == nil {
			return nil
		}
		return []engine.Problem{{Level: "error", Code: "bad_input", Message: fault.Message}}
	}
}
