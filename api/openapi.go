package api

import (
	"bytes"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// openAPI is the document as it is served and checked in.
func openAPI(document *huma.OpenAPI) []byte {
	for _, schema := range document.Components.Schemas.Map() {
		neverNull(schema)
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic("api: the OpenAPI document cannot be written: " + err.Error()) // only our own types are in it
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		panic("api: the OpenAPI document is no JSON: " + err.Error())
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// neverNull says of lists what is true of ours: they may be empty, they are never null.
// (huma's own switch for that is one for the whole process.)
func neverNull(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Type == huma.TypeArray {
		s.Nullable = false
	}
	neverNull(s.Items)
	for _, p := range s.Properties {
		neverNull(p)
	}
	if more, ok := s.AdditionalProperties.(*huma.Schema); ok {
		neverNull(more)
	}
}

// fileContent documents an answer that is a file.
func fileContent(kinds ...string) map[string]*huma.MediaType {
	out := map[string]*huma.MediaType{}
	for _, kind := range kinds {
		out[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return out
}
