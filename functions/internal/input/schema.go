package input

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// types are the schemas of our own field types: what they take, not what they hold.
var types = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[Text]():            {},
	reflect.TypeFor[Float]():           {Types: []string{"number", "string", "null"}},
	reflect.TypeFor[Int]():             {Types: []string{"integer", "string", "null"}},
	reflect.TypeFor[Bool]():            {Types: []string{"boolean", "string", "null"}},
	reflect.TypeFor[Duration]():        {Types: []string{"number", "string", "null"}},
	reflect.TypeFor[json.RawMessage](): {},
}

// Schema derives the schema of an input or output from a struct and its tags. Unknown
// fields are kept, never refused.
func Schema[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		panic("functions: " + err.Error()) // a fault of the program, seen at start
	}
	s.AdditionalProperties = nil
	return s
}

// Decode reads an input into a struct, field by field, so that the error names the one that
// is wrong. Fields that are null count as absent; what T does not know is only in the
// Object, which holds everything in its order.
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

// decode fills the fields of a struct, and those of the structs embedded in it.
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
		if err := json.Unmarshal(given, value.Field(i).Addr().Interface()); err != nil {
			return Bad("%s: %v", name, err)
		}
	}
	return nil
}
