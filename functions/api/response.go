package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"mime"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// reader returns the function that decodes a body as response_type says.
func reader(kind string) (func(web.Answer) (json.RawMessage, *function.CallError), *function.CallError) {
	switch strings.ToLower(kind) {
	case "", "auto":
		return func(a web.Answer) (json.RawMessage, *function.CallError) { return parse(a.Type, a.Body), nil }, nil
	case "text":
		return func(a web.Answer) (json.RawMessage, *function.CallError) { return text(a.Body), nil }, nil
	case "base64", "arraybuffer":
		return func(a web.Answer) (json.RawMessage, *function.CallError) {
			return input.Encode(base64.StdEncoding.EncodeToString([]byte(a.Body))), nil
		}, nil
	case "json":
		return strict, nil
	}
	return nil, badInput(input.Bad("response_type: %q is not one of json, text and base64", kind))
}

func strict(a web.Answer) (json.RawMessage, *function.CallError) {
	if value := compact(a.Body); value != nil {
		return value, nil
	}
	return text(a.Body), &function.CallError{Kind: kindResponse, Message: "the answer is not JSON, which response_type says it is"}
}

// parse returns the body as a JSON value if its content type is JSON, or it looks like an
// object or list, and it is valid JSON. Every other body, and none, is a text. Numbers keep
// their digits.
func parse(contentType, body string) json.RawMessage {
	kind, _, err := mime.ParseMediaType(contentType)
	says := err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
	start := strings.TrimLeft(body, " \t\r\n")
	looks := strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[")
	if says || looks {
		if value := compact(body); value != nil {
			return value
		}
	}
	return text(body)
}

// compact returns JSON without white space, nil if body is not valid JSON.
func compact(body string) json.RawMessage {
	var value bytes.Buffer
	if json.Compact(&value, []byte(body)) != nil {
		return nil
	}
	return value.Bytes()
}

func text(body string) json.RawMessage { return input.Encode(strings.ToValidUTF8(body, "\uFFFD")) }
