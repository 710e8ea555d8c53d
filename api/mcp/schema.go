package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An objectSchema is the JSON Schema of an object.
type objectSchema struct {
	Ref        string                     `json:"$ref,omitempty"`
	Type       string                     `json:"type,omitempty"`
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	Required   []string                   `json:"required,omitempty"`
	Defs       map[string]json.RawMessage `json:"$defs,omitempty"`
}

const (
	componentRef = "#/components/schemas/"
	defsRef      = "#/$defs/"
)

// object returns the schema of an object, followed to where it is defined.
func (d *document) object(text json.RawMessage) (*objectSchema, error) {
	var s objectSchema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	if s.Ref == "" {
		return &s, nil
	}
	target, ok := d.Components.Schemas[strings.TrimPrefix(s.Ref, componentRef)]
	if !ok {
		return nil, fmt.Errorf("schema %s is not in the document", s.Ref)
	}
	return d.object(target)
}

// add makes a parameter a property.
func (s *objectSchema) add(p parameter) {
	property := map[string]json.RawMessage{}
	for name, value := range p.Schema {
		property[name] = value
	}
	if p.Description != "" {
		property["description"] = jsontext.String(p.Description)
	}
	s.Properties[p.Name] = encode(property)
	if p.Required {
		s.Required = append(s.Required, p.Name)
	}
}

// with takes along the definitions that the schema refers to, and what those refer to.
func (s *objectSchema) with(d *document) *objectSchema {
	s.Defs = map[string]json.RawMessage{}
	for name, property := range s.Properties {
		s.Properties[name] = s.localized(d, property)
	}
	return s
}

func (s *objectSchema) localized(d *document, text json.RawMessage) json.RawMessage {
	for rest := string(text); ; {
		_, after, ok := strings.Cut(rest, `"`+componentRef)
		if !ok {
			return bytes.ReplaceAll(text, []byte(componentRef), []byte(defsRef))
		}
		name, _, _ := strings.Cut(after, `"`)
		if _, taken := s.Defs[name]; !taken {
			s.Defs[name] = nil // a definition may refer to itself
			s.Defs[name] = s.localized(d, d.Components.Schemas[name])
		}
		rest = after
	}
}

func encode(v any) json.RawMessage {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic("mcp: " + err.Error()) // maps of JSON texts that were decoded before
	}
	return text
}
