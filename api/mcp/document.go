package mcp

import (
	"encoding/json"
)

// A document is what is used of an OpenAPI document.
type document struct {
	Info       struct{ Version string }                     `json:"info"`
	Paths      map[string]map[string]json.RawMessage        `json:"paths"`
	Components struct{ Schemas map[string]json.RawMessage } `json:"components"`
}

// An operation is one route of the document.
type operation struct {
	OperationID string      `json:"operationId"`
	Summary     string      `json:"summary"`
	Description string      `json:"description"`
	Parameters  []parameter `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

// A parameter is one of a path, a query or a header.
type parameter struct {
	Name        string                     `json:"name"`
	In          string                     `json:"in"`
	Description string                     `json:"description"`
	Required    bool                       `json:"required"`
	Schema      map[string]json.RawMessage `json:"schema"`
}
