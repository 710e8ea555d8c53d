package schemacheck

import (
	"reflect"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// meter puts a counter into every subschema of f. It sits in the format keyword, which the
// library looks at in every subschema before it enters those below, so nothing that
// multiplies the work is missed. Custom keywords would be the documented way, but they come
// last and not at all where a subschema has failed already.
func (f *form) meter() {
	seen := map[*jsonschema.Schema]bool{}
	var visit func(s *jsonschema.Schema)
	visit = func(s *jsonschema.Schema) {
		if s == nil || seen[s] || strings.Contains(s.Location, "//json-schema.org/") {
			return
		}
		seen[s] = true
		s.Format = f.counted(s.Format)
		value := reflect.ValueOf(s).Elem()
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				each(value.Field(i), visit)
			}
		}
	}
	visit(f.schema)
}

// each calls visit for the schemas that a field of a schema holds: one, a list, a map, or
// an interface or struct around them.
func each(field reflect.Value, visit func(*jsonschema.Schema)) {
	switch field.Kind() {
	case reflect.Interface:
		if !field.IsNil() {
			each(field.Elem(), visit)
		}
	case reflect.Pointer:
		if s, ok := field.Interface().(*jsonschema.Schema); ok {
			visit(s)
		}
	case reflect.Slice:
		for i := range field.Len() {
			each(field.Index(i), visit)
		}
	case reflect.Map:
		for entries := field.MapRange(); entries.Next(); {
			each(entries.Value(), visit)
		}
	}
}

func (f *form) counted(format *jsonschema.Format) *jsonschema.Format {
	name, validate := "", func(any) error { return nil }
	if format != nil {
		name, validate = format.Name, format.Validate
	}
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		if f.left--; f.left < 0 {
			panic(errTooMuchWork)
		}
		return validate(v)
	}}
}
