package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/models"
)

const strictSchema = `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":["object","null"],"properties":{"n":{"type":"integer"}},
	"required":["n"],"additionalProperties":false}},"required":["a","z"],"additionalProperties":false}`

func TestStructuredOutput(t *testing.T) {
	s := serve(t, says(`{"z": "x", "a": null}`))
	req := hello()
	req.Schema, req.SchemaName = json.RawMessage(strictSchema), "my schema!"
	resp, err := s.client(t).Generate(t.Context(), req)
	if err != nil || string(resp.Object) != `{"z":"x","a":null}` || resp.Text != `{"z": "x", "a": null}` {
		t.Errorf("%+v, %v", resp, err)
	}
	got := s.seen()[0]
	equalJSON(t, "response_format", wire(got, "response_format"),
		`{"type":"json_schema","json_schema":{"name":"my_schema_","strict":true,"schema":`+strictSchema+`}}`)
	if strings.Index(got.raw, `"z":{`) > strings.Index(got.raw, `"a":{`) {
		t.Error("the properties of the schema were sorted")
	}
}

func TestStrictModeOnlyWhereTheSchemaAllowsIt(t *testing.T) {
	closed := func(more string) string {
		return `{"type":"object","properties":{"a":` + more + `},"required":["a"],"additionalProperties":false}`
	}
	for schema, want := range map[string]bool{
		strictSchema:                true,
		closed(`{"type":"string"}`): true,
		closed(`{"type":"array","items":{"type":"string"}}`):                             true,
		closed(`{"anyOf":[{"type":"string"},{"type":"null"}]}`):                          true,
		closed(`{"$ref":"#/$defs/x"}`):                                                   true,
		`{"type":"object","properties":{},"additionalProperties":false}`:                 true,
		closed(`{"type":"object"}`):                                                      false,
		closed(`{"type":"array","items":{"type":"object"}}`):                             false,
		closed(`{"anyOf":[{"type":"object"}]}`):                                          false,
		closed(`{"oneOf":[{"type":"string"}]}`):                                          false,
		closed(`true`):                                                                   false,
		`{"type":"object","properties":{"a":{}},"additionalProperties":false}`:           false,
		`{"type":"object","properties":{"a":{}},"required":["a"]}`:                       false,
		`{"type":"array","items":{"type":"string"}}`:                                     false,
		`{"$defs":{"x":{"type":"object"}},"type":"object","additionalProperties":false}`: false,
		`true`: false,
	} {
		s := serve(t, says(`{}`))
		req := hello()
		req.Schema = json.RawMessage(schema)
		if _, err := s.client(t).Generate(t.Context(), req); err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		if got := wire(s.seen()[0], "response_format", "json_schema", "strict"); got != want {
			t.Errorf("%s: strict %v, want %v", schema, got, want)
		}
	}
}

func TestServerWithoutSchemasGetsPlainJSONMode(t *testing.T) {
	for name, refusal := range map[string]string{
		"error object": `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","type":"invalid_request_error","param":"response_format","code":null}}`,
		"param alone":  `{"error":{"message":"Unknown value","param":"response_format"}}`,
		"text":         `{"error":"response_format.type must be 'text' or 'json_object'"}`,
		"detail":       `{"detail":[{"loc":["body","response_format"],"msg":"unexpected"}]}`,
	} {
		s := serve(t, reply(400, refusal), says(`{"a": 1}`))
		c := s.client(t)
		req := hello()
		req.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)
		for range 2 {
			resp, err := c.Generate(t.Context(), req)
			if err != nil || string(resp.Object) != `{"a":1}` {
				t.Fatalf("%s: %+v, %v", name, resp, err)
			}
		}
		seen := s.seen()
		if len(seen) != 3 {
			t.Fatalf("%s: %d requests; the second call should know the server", name, len(seen))
		}
		equalJSON(t, name, wire(seen[1], "response_format"), `{"type":"json_object"}`)
		equalJSON(t, name, wire(seen[2], "response_format"), `{"type":"json_object"}`)
		messages := wire(seen[1], "messages").([]any)
		words, _ := messages[1].(map[string]any)["content"].(string)
		if len(messages) != 3 || !strings.Contains(words, string(req.Schema)) || !strings.Contains(words, "JSON") {
			t.Errorf("%s: the schema does not stand in the messages: %v", name, messages)
		}
		if seen[1].header.Get("Idempotency-Key") != seen[0].header.Get("Idempotency-Key") {
			t.Errorf("%s: the key changed", name)
		}
	}
}

// A schema that the server finds wrong says nothing about the next schema.
func TestRefusedSchemaIsNotRemembered(t *testing.T) {
	refusal := `{"error":{"message":"Invalid schema for response_format 'output': ...","param":"response_format"}}`
	s := serve(t, reply(400, refusal), says(`{}`), says(`{}`))
	c := s.client(t)
	req := hello()
	req.Schema = json.RawMessage(`{"type":"object"}`)
	for range 2 {
		if _, err := c.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	if got := wire(s.seen()[2], "response_format", "type"); got != "json_schema" {
		t.Errorf("the second call asked for %v", got)
	}
}

func TestNameOfTheTokenLimitIsSwapped(t *testing.T) {
	s := serve(t, reply(400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`), says("x"))
	c := s.client(t)
	req := hello()
	req.MaxTokens = 9
	for range 2 {
		if _, err := c.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	seen := s.seen()
	if len(seen) != 3 || wire(seen[2], "max_completion_tokens") != 9.0 || wire(seen[2], "max_tokens") != nil {
		t.Errorf("%d requests, the last %v", len(seen), seen[len(seen)-1].body)
	}
}

func TestOtherRefusalsAreNotTriedAgain(t *testing.T) {
	for _, refusal := range []string{
		`{"error":{"message":"max_tokens is too large: 9. This model supports at most 8."}}`,
		`{"error":{"message":"no such model"}}`,
	} {
		s := serve(t, reply(400, refusal))
		req := hello()
		req.MaxTokens, req.Schema, req.Token = 9, json.RawMessage(`{}`), func(string) {}
		_, err := s.client(t).Generate(t.Context(), req)
		var failed *models.Error
		if !asError(err, &failed) || failed.Kind != models.KindBadRequest || len(s.seen()) != 1 {
			t.Errorf("%s: %d requests, %v", refusal, len(s.seen()), err)
		}
	}
}

// A server that refuses everything must not keep the client going.
func TestSimplifyingEnds(t *testing.T) {
	s := serve(t, reply(400, `{"error":"unsupported: response_format stream_options max_tokens max_completion_tokens"}`))
	req := hello()
	req.MaxTokens, req.Schema, req.Token = 9, json.RawMessage(`{}`), func(string) {}
	_, err := s.client(t).Generate(t.Context(), req)
	if err == nil || len(s.seen()) != 4 {
		t.Errorf("%d requests, %v", len(s.seen()), err)
	}
}
