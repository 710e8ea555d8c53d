package api

import (
	"bytes"
	"encoding/json"
	"mime"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// parse is the body as a JSON value: what says that it is JSON, or looks like an object or
// list, if it really is; everything else, and no body, is a text. Numbers stay as written.
func parse(contentType, body string) json.RawMessage {
	kind, _, err := mime.ParseMediaType(contentType)
	says := err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
	start := strings.TrimLeft(body, " \t\r\n")
	looks := strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[")
	if says || looks {
		var value bytes.Buffer
		if json.Compact(&value, []byte(body)) == nil {
			return value.Bytes()
		}
	}
	return input.Encode(strings.ToValidUTF8(body, "\uFFFD"))
}
