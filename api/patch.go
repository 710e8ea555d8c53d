package api

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

const mergePatch = "application/merge-patch+json"

// mergeJSON applies a merge patch (RFC 7396) to an object; whole names properties that
// are not merged but replaced.
func mergeJSON(target, patch []byte, whole []string) ([]byte, error) {
	var with map[string]json.RawMessage
	if err := json.Unmarshal(patch, &with); err != nil || with == nil {
		return nil, problem("request_invalid", "", Fault{Message: "want a JSON object"})
	}
	var on map[string]json.RawMessage
	if json.Unmarshal(target, &on) != nil || on == nil {
		on = map[string]json.RawMessage{} // what is not an object is replaced by one
	}
	for name, value := range with {
		switch {
		case string(value) == "null":
			delete(on, name)
		case value[0] == '{' && !slices.Contains(whole, name):
			merged, err := mergeJSON(on[name], value, nil)
			if err != nil {
				return nil, err
			}
			on[name] = merged
		default:
			on[name] = value
		}
	}
	return json.Marshal(on)
}

// decodeBody judges JSON by the schema of T, as huma does with a body, and decodes it.
// what names it in the problem.
func decodeBody[T any](t *routeTable, what string, text []byte) (*T, error) {
	schemas := t.api.OpenAPI().Components.Schemas
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	path, result := huma.NewPathBuffer([]byte{}, 0), &huma.ValidateResult{}
	path.Push("body")
	schema := schemas.Schema(reflect.TypeFor[T](), true, "")
	m := requestErrors{schemas: schemas, bodies: []*huma.Schema{schema}}
	huma.Validate(schemas, schema, path, huma.ModeWriteToServer, value, result)
	var faults []Fault
	for _, e := range result.Errors {
		if d, ok := e.(huma.ErrorDetailer); ok {
			faults = append(faults, m.fault(d.ErrorDetail()))
		}
	}
	if len(faults) > 0 {
		return nil, problem("request_invalid", what+" does not fit: "+detailOf(faults), faults...)
	}
	out := new(T)
	if err := json.Unmarshal(text, out); err != nil {
		return nil, problem("request_invalid", "", Fault{Message: err.Error()})
	}
	return out, nil
}
