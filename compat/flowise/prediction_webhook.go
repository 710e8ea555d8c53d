//lint:file-ignore ST1005 clients show these texts, so they are Flowise's to the letter

package flowise

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// Trusts returns an error unless a webhook call is signed as the flow requires: with an HMAC
// of the body or with the secret itself, in the header it names. A flow that requires a
// signature and has no secret accepts no call.
func (s Start) Trusts(h http.Header, body []byte, secret string) error {
	if !s.Inputs.Get("webhookEnableAuth").Bool() {
		return nil
	}
	if secret == "" {
		return errors.New("Webhook secret is not configured")
	}
	header := s.Inputs.Get("webhookSignatureHeader").String()
	if header == "" {
		header = "x-webhook-signature"
	}
	given := h.Get(header)
	want := secret
	if s.Inputs.Get("webhookSignatureType").String() != "plain-token" {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		want = hex.EncodeToString(mac.Sum(nil))
		given = strings.TrimPrefix(given, "sha256=")
	}
	if subtle.ConstantTimeCompare([]byte(given), []byte(want)) != 1 {
		return errors.New("Invalid webhook signature")
	}
	return nil
}

// CheckCall returns an error that names the parameters that are missing or have a wrong type.
func (s Start) CheckCall(webhook json.RawMessage) error {
	for _, part := range []struct{ rows, from, text string }{
		{"webhookHeaderParams", "headers", "Missing required headers: "},
		{"webhookBodyParams", "body", "Missing required webhook body parameters: "},
		{"webhookQueryParams", "query", "Missing required query parameters: "},
	} {
		given := gjson.GetBytes(webhook, part.from)
		var missing, wrong []string
		for _, row := range rowsOf(s.Inputs.Get(part.rows)) {
			name := row.Get("name").String()
			if part.from == "headers" {
				name = strings.ToLower(name)
			}
			value := given.Get(gjson.Escape(name))
			switch {
			case value.Exists() && value.Type != gjson.Null:
				if kind := row.Get("type").String(); part.from == "body" && kind != "" && kind != typeOf(value) {
					wrong = append(wrong, name)
				}
			case row.Get("required").Bool():
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			return errors.New(part.text + strings.Join(missing, ", "))
		}
		if len(wrong) > 0 {
			return errors.New("Invalid type for parameter(s): " + strings.Join(wrong, ", "))
		}
	}
	return nil
}

// typeOf is JavaScript's name of a value's type.
func typeOf(value gjson.Result) string {
	switch value.Type {
	case gjson.String:
		return "string"
	case gjson.Number:
		return "number"
	case gjson.True, gjson.False:
		return "boolean"
	}
	return "object"
}
