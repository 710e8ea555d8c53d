package input

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
)

// Check makes a Spec.Check that reports every field whose value the struct T cannot take, and what
// the other checks report, one problem for a field. A value that contains a reference is known only
// when the step runs. A text field takes any value as its JSON text, so another value there is only
// a warning.
func Check[T any](others ...func(json.RawMessage) []function.Problem) func(json.RawMessage) []function.Problem {
	return func(text json.RawMessage) []function.Problem {
		o, err := Parse(text)
		if err != nil {
			return nil // the engine reports an input that is not an object
		}
		var problems []function.Problem
		reported := map[string]bool{} // fields, and problems that name none
		for _, other := range others {
			for _, p := range other(text) {
				if !reported[p.Message] {
					problems = append(problems, p)
				}
				reported[p.Message] = true
			}
		}
		for _, p := range problems {
			field, _, _ := strings.Cut(p.Message, ":")
			reported[field] = true
		}
		var in T
		for _, p := range wrongFields(o, reflect.ValueOf(&in).Elem()) {
			if field, _, _ := strings.Cut(p.Message, ":"); !reported[field] {
				problems = append(problems, p)
			}
		}
		return problems
	}
}

func wrongFields(o Object, value reflect.Value) (problems []function.Problem) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			problems = append(problems, wrongFields(o, value.Field(i))...)
			continue
		}
		given := o.Get(name)
		if name == "" || name == "-" || given == nil || Refers(given) {
			continue
		}
		if err := decodeField(name, given, value.Field(i)); err != nil {
			problems = append(problems, function.Problem{Level: "error", Code: "bad_input", Message: err.Error()})
		} else if want := otherKind(field, given); want != "" {
			problems = append(problems, function.Problem{Level: "warning", Code: "wrong_input", Message: name + ": want " + want + ", not " + shown(given)})
		}
	}
	return problems
}

// otherKind returns what a field is for, if that is another kind of value than the given one. A field
// of any JSON says in its tag `takes` what it is for: "object", "list", or both. A text there may be
// the JSON text of one.
func otherKind(field reflect.StructField, given json.RawMessage) string {
	first := bytes.TrimSpace(given)[0]
	if field.Type == reflect.TypeFor[Text]() && first != '"' {
		return "a text"
	}
	takes := field.Tag.Get("takes")
	if takes == "" || first == '"' || first == '{' && strings.Contains(takes, "object") || first == '[' && strings.Contains(takes, "list") {
		return ""
	}
	return map[string]string{"object": "an object", "list": "a list", "object list": "an object or a list"}[takes]
}

// Refers reports whether JSON text contains a reference or a form such as @text.
func Refers(text json.RawMessage) bool {
	return bytes.Contains(text, []byte("@{")) || bytes.Contains(text, []byte(`"@`))
}
