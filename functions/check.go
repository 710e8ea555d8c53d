package functions

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// checkInput makes a Spec.Check of check, which gets the input twice: decoded in in, without
// the fields whose values are known only when the step runs, and complete in given. A problem
// it finds in in therefore does not depend on references.
func checkInput[T any](check func(in T, given input.Object) error) func(json.RawMessage) []function.Problem {
	return func(text json.RawMessage) []function.Problem {
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
		return eachFault(known, func(known input.Object) error {
			in, err := input.Bind[T](known)
			if err == nil {
				err = check(in, given)
			}
			return err
		})
	}
}

// eachFault collects the faults of an input. A check stops at its first fault, so a field with a fault is
// taken out and the rest is checked again. What is said then counts only if it is about a field that is
// still there, and does not speak of one that was taken out: that one is not missing.
func eachFault(fields input.Object, check func(input.Object) error) (problems []function.Problem) {
	var out []string
	for range len(fields) + 1 {
		err := check(fields)
		if err == nil {
			return problems
		}
		message := err.Error()
		name := fieldOf(message)
		there := fields.Get(name) != nil
		if len(out) > 0 && (!there || slices.ContainsFunc(out, func(gone string) bool { return speaksOf(message, gone) })) {
			return problems
		}
		problems = append(problems, function.Problem{Level: "error", Code: "bad_input", Message: message})
		if !there {
			return problems
		}
		fields, out = fields.Without(name), append(out, name)
	}
	return problems
}

// fieldOf is the input field that a message names at its beginning, as in "rules[2].when: …".
func fieldOf(message string) string {
	if end := strings.IndexAny(message, ":.["); end >= 0 {
		return message[:end]
	}
	return ""
}

// speaksOf reports whether a text contains a word.
func speaksOf(text, word string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), word)
}

// refers reports whether JSON text, or the text of a field, contains a reference or a form
// such as @text.
func refers[T ~string | ~[]byte](text T) bool { return input.Refers(json.RawMessage(text)) }

// tried makes a Spec.Check for a function without effects: an input without references is given to
// the function itself, and what it says about a field of the input is reported. What a model fills in, or
// a reference brings, is not missing.
func tried(call func(context.Context, input.Object) (json.RawMessage, error)) func(json.RawMessage) []function.Problem {
	return func(text json.RawMessage) []function.Problem {
		given, err := input.Parse(text)
		if err != nil || refers(text) {
			return nil
		}
		return eachFault(given, func(fields input.Object) error {
			_, err := call(context.Background(), slices.Clone(fields))
			var fault *function.CallError
			if !errors.As(err, &fault) || fault.Kind != function.KindBadInput || fields.Get(fieldOf(fault.Message)) == nil {
				return nil
			}
			return errors.New(fault.Message)
		})
	}
}
