package input

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// types maps our field types to the schemas of the values they accept.
var types = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[Text]():            {},
	reflect.TypeFor[Float]():           {Types: []string{"number", "string", "null"}},
	reflect.TypeFor[Int]():             {Types: []string{"integer", "string", "null"}},
	reflect.TypeFor[Bool]():            {Types: []string{"boolean", "string", "null"}},
	reflect.TypeFor[Duration]():        {Types: []string{"number", "string", "null"}},
	reflect.TypeFor[json.RawMessage](): {},
}

// Schema derives the JSON Schema of an input or output from a struct and its tags. Unknown
// fields are allowed.
func Schema[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		panic("functions: " + err.Error()) // a programming error, found at start
	}
	s.AdditionalProperties = nil
	return s
}

// Decode reads an input into a struct field by field, so that an error names the field. Null
// fields count as absent. Fields that T does not have are only in the Object, which holds all
// fields in order.
func Decode[T any](text json.RawMessage) (T, Object, error) {
	var in T
	o, err := Parse(text)
	if err != nil {
		return in, nil, err
	}
	if err := decode(o, reflect.ValueOf(&in).Elem()); err != nil {
		return in, nil, err
	}
	return in, o, nil
}

// decode fills the fields of a struct and of its embedded structs.
func decode(o Object, value reflect.Value) error {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			if err := decode(o, value.Field(i)); err != nil {
				return err
			}
			continue
		}
		given := o.Get(name)
		if name == "" || name == "-" || given == nil {
			continue
		}
		if err := decodeField(name, given, value.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// decodeField reads one field; the error names it.
func decodeField(name string, given json.RawMessage, field reflect.Value) error {
	err := json.Unmarshal(given, field.Addr().Interface())
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mismatch):
		kind := field.Type()
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if want := kinds[kind.Kind()]; want != "" && mismatch.Field == "" {
			return Bad("%s: want %s, not %s", name, want, shown(given))
		}
	}
	return Bad("%s: %v", name, err)
}

// kinds names Go's kinds to people who write workflows.
var kinds = map[reflect.Kind]string{
	reflect.String: "a text", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
}
