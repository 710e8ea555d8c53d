package input

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

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
// fields are allowed. A field of an embedded struct with the tag `group` has the group as its
// $comment; the fields of one that json leaves out ("-") are left out here too.
func Schema[T any]() *jsonschema.Schema { return schemaOf(reflect.TypeFor[T]()) }

func schemaOf(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		panic("functions: " + err.Error()) // a programming error, found at start
	}
	s.AdditionalProperties = nil
	groups := map[string]string{}
	readGroups(groups, t, "")
	for name, property := range s.Properties {
		group, known := groups[name]
		if !known {
			delete(s.Properties, name)
			continue
		}
		property.Comment = group
	}
	s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(name string) bool { return s.Properties[name] == nil })
	return s
}

// readGroups maps the JSON names of a struct's fields to their groups.
func readGroups(groups map[string]string, of reflect.Type, group string) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && field.Anonymous:
			inner := field.Tag.Get("group")
			if inner == "" {
				inner = group
			}
			readGroups(groups, field.Type, inner)
		case name != "":
			groups[name] = group
		}
	}
}

// Join adds the properties of own to base and returns base. Properties of one group stand
// together, own ones first; those without a group come before all groups.
func Join(base, own *jsonschema.Schema) *jsonschema.Schema {
	groups := []string{""}
	for _, s := range []*jsonschema.Schema{base, own} {
		for _, name := range s.PropertyOrder {
			if group := s.Properties[name].Comment; !slices.Contains(groups, group) {
				groups = append(groups, group)
			}
		}
	}
	order := slices.Clone(own.PropertyOrder)
	for _, name := range base.PropertyOrder {
		if own.Properties[name] == nil {
			order = append(order, name)
		}
	}
	maps.Copy(base.Properties, own.Properties)
	slices.SortStableFunc(order, func(a, b string) int {
		return slices.Index(groups, base.Properties[a].Comment) - slices.Index(groups, base.Properties[b].Comment)
	})
	base.PropertyOrder = order
	return base
}

// Decode is Bind for the JSON text of an object, which it returns too.
func Decode[T any](text json.RawMessage) (in T, fields Object, err error) {
	if fields, err = Parse(text); err != nil {
		return in, nil, err
	}
	if in, err = Bind[T](fields); err != nil {
		return in, nil, err
	}
	return in, fields, nil
}

// Bind puts the fields of an input into a struct one by one, so that an error names the field.
// Null fields count as absent. Fields that T does not have are left out.
func Bind[T any](fields Object) (in T, err error) {
	return in, decode(fields, reflect.ValueOf(&in).Elem())
}

// decode fills the fields of a struct and of its embedded structs.
func decode(o Object, value reflect.Value) error {
	for _, field := range namedFields(value.Type()) {
		if given := o.Get(field.name); given != nil {
			if err := decodeField(field.name, given, value.FieldByIndex(field.index)); err != nil {
				return err
			}
		}
	}
	return nil
}

// A namedField is a field of a struct, or of one embedded in it, that has a name in JSON.
type namedField struct {
	name  string
	index []int
}

var namedFieldsOf sync.Map // from reflect.Type to []namedField

// namedFields returns the fields of a struct in order. There are as many types as functions have
// inputs, so they are all remembered.
func namedFields(of reflect.Type) []namedField {
	if known, ok := namedFieldsOf.Load(of); ok {
		return known.([]namedField)
	}
	var fields []namedField
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous:
			for _, inner := range namedFields(field.Type) {
				fields = append(fields, namedField{inner.name, append([]int{i}, inner.index...)})
			}
		case name != "" && name != "-":
			fields = append(fields, namedField{name, []int{i}})
		}
	}
	namedFieldsOf.Store(of, fields)
	return fields
}

// decodeField reads one field; the error names it.
func decodeField(name string, given json.RawMessage, field reflect.Value) error {
	err := decodeValue(given, field.Addr().Interface())
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

// decodeValue is json.Unmarshal for compact JSON. The types of this package read their text
// directly, without the two passes over it that encoding/json makes before it calls them.
func decodeValue(given json.RawMessage, into any) error {
	switch into := into.(type) {
	case *json.RawMessage:
		*into = given
		return nil
	case *Text:
		*into = Text(TextOf(given))
		return nil
	case json.Unmarshaler:
		return into.UnmarshalJSON(given)
	}
	return json.Unmarshal(given, into)
}

// kinds names Go's kinds to people who write workflows.
var kinds = map[reflect.Kind]string{
	reflect.String: "a text", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
}
