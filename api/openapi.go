package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/vault"
)

func humaConfig() huma.Config {
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaName)
	return huma.Config{
		OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0",
			Info: &huma.Info{Title: "stepgraph", Version: "1", Description: "Runs workflows that are graphs: definitions, sessions, answers and history. " +
				"Errors are RFC 9457 problems, explained at `/problems/{slug}`. Every POST takes an `Idempotency-Key`: the same request under the same key is carried out once; repetitions are answered with `Idempotency-Replayed: true`."},
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token":  {Type: "http", Scheme: "bearer", Description: "where the server was started with a token"},
					"apiKey": {Type: "apiKey", In: "header", Name: "X-API-KEY"},
				},
			},
			Servers: []*huma.Server{{URL: "/", Description: "the server of this document"},
				{URL: "http://127.0.0.1:7766", Description: "stepgraph dev"}},
			Security: []map[string][]string{{}, {"token": {}}, {"apiKey": {}}},
			Tags:     tags,
		},
		Formats:       huma.DefaultFormats,
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{humaProblem(schemas)},
	}
}

// schemaName keeps names of engine's and our types apart where both have them.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[workflowProblem]():
		return "WorkflowProblem"
	case reflect.TypeFor[vault.Profile]():
		return "ProfileBody"
	case reflect.TypeFor[vault.Variable]():
		return "VariableBody"
	case reflect.TypeFor[conditions.Value]():
		return "ComparedValue"
	case reflect.TypeFor[conditions.Part]():
		return "ComparedPart"
	}
	return name
}

// Groups of operations.
const (
	tagWorkflows = "workflows"
	tagSessions  = "sessions"
	tagHistory   = "history"
	tagPeople    = "people"
	tagSteering  = "steering"
	tagEval      = "evaluation"
	tagSettings  = "settings"
	tagBatches   = "batches"
	tagOperating = "operating"
)

var tags = []*huma.Tag{
	{Name: tagWorkflows, Description: "definitions: steps and the paths between them"},
	{Name: tagSessions, Description: "start, find, look at and remove sessions"},
	{Name: tagHistory, Description: "messages and executions of a session"},
	{Name: tagPeople, Description: "open questions and answers"},
	{Name: tagSteering, Description: "operators' actions on a session"},
	{Name: tagBatches, Description: "one action on many sessions: durable, restartable, rate-limited"},
	{Name: tagOperating, Description: "why sessions do not continue, which sessions an edit affects, how to revert it"},
	{Name: tagSettings, Description: "profiles of model calls, variables and secrets for workflows"},
	{Name: tagEval, Description: "the value of a reference and why a condition holds"},
}

// openAPI is the document as it is served and checked in.
func openAPI(document *huma.OpenAPI) []byte {
	schemas := document.Components.Schemas.Map()
	delete(schemas, "ErrorModel") // huma's own error, which never goes out
	delete(schemas, "ErrorDetail")
	for _, schema := range schemas {
		neverNull(schema)
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic("api: the OpenAPI document cannot be written: " + err.Error()) // only our own types are in it
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		panic("api: the OpenAPI document is not valid JSON: " + err.Error())
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// neverNull declares that lists may be empty and are never null.
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

// fileKind is the content type of an answer that is a file: its own, or plain bytes for a
// client that asks for those.
func fileKind(accept, kind string) string {
	if strings.HasPrefix(strings.TrimSpace(accept), octets) {
		return octets
	}
	return kind
}
