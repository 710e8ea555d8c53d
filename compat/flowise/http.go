package flowise

import (
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// bodyTypes maps theirs to those of api.
var bodyTypes = map[string]string{"json": "json", "raw": "raw", "formData": "multipart", "xWwwFormUrlencoded": "form"}

// responseTypes maps theirs to those of api. Without one an answer that is JSON is parsed.
var responseTypes = map[string]string{"text": "text", "arraybuffer": "base64", "base64": "base64"}

// http makes a request. Every status is a success; only a connection that fails fails.
func (c *compiler) http(s *engine.Step, n *node) {
	in := n.Data.Inputs
	method := strings.ToUpper(in.text("method"))
	if method == "" {
		method = "GET"
	}
	input := inputs.Of("method", method, "url", c.setting(n, in, "url").value(), "raise", "connection", "status_text", true)
	if rows := c.pairs(n, "headers"); len(rows) > 0 {
		input = input.With("headers", rows)
	}
	if rows := c.pairs(n, "queryParams"); len(rows) > 0 {
		input = input.With("params", rows)
	}
	if body := c.httpBody(n); method != "GET" && body != nil {
		input = append(input, body...)
	}
	if kind := responseTypes[in.text("responseType")]; kind != "" {
		input = input.With("response_type", kind)
	}
	if credential := in.text("credential"); credential != "" || n.credential() {
		c.note(n, "credential", "it uses a credential of Flowise: give the step auth, such as {\"type\": \"bearer\", \"token\": {\"secret\": \"NAME\"}}, and set the secret")
	}
	if in.text("url") == "" {
		c.note(n, "url_missing", "it has no url yet")
	}
	s.Function, s.Input = "api", inputs.Encode(input)
}

// pairs are rows of headers or of the query. Those without a key or a value are not sent.
func (c *compiler) pairs(n *node, field string) []any {
	rows, _ := n.Data.Inputs.rows(field)
	var out []any
	for _, row := range rows {
		key, value := c.rowValue(n, field, "key", row), c.rowValue(n, field, "value", row)
		if key == "" || value == "" {
			continue
		}
		out = append(out, inputs.Of("key", key, "value", value))
	}
	return out
}

// httpBody is the body of a request, nil without one.
func (c *compiler) httpBody(n *node) inputs.Object {
	in := n.Data.Inputs
	raw := in["body"]
	if textOf(raw) == "" && (len(raw) == 0 || raw[0] == '"' || string(raw) == "null") {
		return nil
	}
	kind := bodyTypes[in.text("bodyType")]
	if kind == "" {
		kind = "json"
	}
	if kind == "form" || kind == "multipart" {
		if _, ok := in.rows("body"); ok {
			return inputs.Of("body_type", kind, "body", c.pairs(n, "body"))
		}
	}
	if n.accepts("body") && (raw[0] == '{' || raw[0] == '[') {
		return inputs.Of("body_type", kind, "body", c.resolved(n, raw))
	}
	out := inputs.Of("body_type", kind, "body", c.setting(n, in, "body").value())
	if kind != "raw" {
		out = out.With("lenient", true)
	}
	return out
}

// credential reports whether a node names a credential in addition to its inputs.
func (n *node) credential() bool {
	var data struct {
		Data struct {
			Credential string `json:"credential"`
		} `json:"data"`
	}
	return decodeQuietly(n.raw, &data) && data.Data.Credential != ""
}
