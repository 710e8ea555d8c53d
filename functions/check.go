package functions

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// checkInput makes a Spec.Check. Fields whose values will only be known when the step runs
// are left out of in, so whatever is wrong with it is wrong for good; given are all there
// are.
func checkInput[T any](check func(in T, given input.Object) error) func(json.RawMessage) []engine.Problem {
	return func(text json.RawMessage) []engine.Problem {
		given, err := input.Parse(text)
		if err != nil {
			return nil // the engine says what is wrong with it
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

// refers tells whether JSON text, or the text of a field, holds a reference or a form such
// as @text.
func refers[T ~string | ~[]byte](text T) bool {
	return strings.Contains(string(text), "@{") || strings.Contains(string(text), `"@`)
}
