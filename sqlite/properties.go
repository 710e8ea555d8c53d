package sqlite

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// properties reads a JSON object as the properties of a node: whole numbers as int64,
// others as float64, as a graph database returns them.
func properties(text []byte) (map[string]any, error) {
	p := make(map[string]any)
	if err := jsontext.Decode(text, &p); err != nil {
		return nil, fmt.Errorf("properties: %w", err)
	}
	for name, v := range p {
		p[name] = plainValue(v)
	}
	return p, nil
}

func plainValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		f, err := v.Float64()
		if err != nil { // beyond float64: its text says more than infinity
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = plainValue(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plainValue(v[name])
		}
	}
	return v
}

// propertyText is the JSON that properties reads, without the names left out.
func propertyText(p map[string]any, without ...string) (string, error) {
	for _, name := range without {
		delete(p, name)
	}
	text, err := jsontext.Marshal(p) // conditions compare with < and >; people read them here
	if err != nil {
		return "", fmt.Errorf("properties: %w", err)
	}
	return string(text), nil
}
