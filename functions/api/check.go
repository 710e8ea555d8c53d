package api

import (
	"encoding/json"
	"net/netip"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// check validates an input when its workflow is loaded; its references are not resolved yet.
func check(text json.RawMessage, allow []netip.Prefix) []function.Problem {
	o, err := input.Parse(text)
	if err != nil {
		return nil // the engine reports an input that is not an object
	}
	var c web.Checks
	if o.Get("url") == nil {
		c.Error("address", "url: the address is missing")
	}
	c.Address("url", o.Get("url"))
	c.Reachable("url", o.Get("url"), allow)
	c.Auth(o.Get("auth"))
	c.OneOf("body_type", o.Get("body_type"), "json", "raw", "text", "form", "urlencoded", "x-www-form-urlencoded", "multipart", "form-data", "form_data")
	c.OneOf("response_type", o.Get("response_type"), "json", "text", "base64", "arraybuffer", "auto")
	c.OneOf("raise", o.Get("raise"), "true", "false", "yes", "no", "1", "0", "connection")
	bodies := 0
	for _, name := range []string{"json_data", "json", "data", "body"} {
		if o.Get(name) != nil {
			bodies++
		}
	}
	if bodies > 1 {
		c.Error("body", "json_data, json, data and body: give only one of them")
	}
	if in, _, err := input.Decode[Input](text); err == nil && web.Settled(o.Get("retry_statuses")) {
		if _, fault := in.policy(); fault != nil {
			c.Error("retries", fault.Message)
		}
	}
	return c.Problems
}

// examples have no outputs, because the responses depend on the servers.
var examples = []function.Example{
	{Title: "Read JSON, with a query", Input: json.RawMessage(`{"url": "https://api.example.com/orders", "params": {"customer": "@{SESSION_ID}.ask.response", "status": ["open", "paid"]}}`)},
	{Title: "Send JSON with a token that only the operator knows, and try again when the server is busy", Input: json.RawMessage(`{"method": "POST", "url": "https://api.example.com/refunds", "auth": {"type": "bearer", "token": {"secret": "SHOP_TOKEN"}}, "json": {"order": "@{SESSION_ID}.order.id", "amount": 12.5}, "retries": 3, "retry_statuses": [429, 503]}`)},
	{Title: "Send what a person or a model wrote; any status is an answer, no answer is an error", Input: json.RawMessage(`{"method": "POST", "url": "https://api.example.com/orders", "body_type": "json", "body": "{pieces: 3, note: 'soon',}", "lenient": true, "raise": "connection"}`)},
	{Title: "Send a form with a file", Input: json.RawMessage(`{"method": "POST", "url": "https://api.example.com/reports", "body_type": "multipart", "body": {"title": "Week 12", "report": {"filename": "report.txt", "content": "@{SESSION_ID}.write.response", "content_type": "text/plain"}}}`)},
}
