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
	value := reflect.ValueOf(&in).Elem()
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		given := o.Get(name)
		if name == "" || given == nil {
			continue
		}
		if err := json.Unmarshal(given, value.Field(i).Addr().Interface()); err != nil {
			return in, nil, Bad("%s: %v", name, err)
		}
	}
	return in, o, nil
}
