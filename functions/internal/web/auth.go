package web

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// AuthSchema describes the field auth of an input.
const AuthSchema = `{type: basic, username, password}, {type: bearer, token} or {type: api_key, value, header (X-API-Key) or query}; each value as {"secret": "NAME"}, $NAME or a text`

// credentials is the decoded field auth.
type credentials struct {
	Type     input.Text      `json:"type"`
	Username json.RawMessage `json:"username"`
	Password json.RawMessage `json:"password"`
	Token    json.RawMessage `json:"token"`
	Value    json.RawMessage `json:"value"`
	Header   input.Text      `json:"header"`
	Query    input.Text      `json:"query"`
}

var authTypes = []string{"", "none", "basic", "bearer", "api_key"}

func readCredentials(given json.RawMessage) (credentials, *function.CallError) {
	c, _, err := input.Decode[credentials](given)
	if err != nil {
		return c, bad("auth: want an object with type, one of basic, bearer and api_key")
	}
	c.Type = input.Text(strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(string(c.Type))))
	if c.Type == "apikey" {
		c.Type = "api_key"
	}
	if !slices.Contains(authTypes, string(c.Type)) {
		return c, bad("auth: type %q is not one of basic, bearer and api_key", shortened(string(c.Type)))
	}
	return c, nil
}

// Auth sets the authorization of the request, see AuthSchema. Every value is treated as a
// secret, whether it came from a secret or was written into the step.
func (s *Sending) Auth(given json.RawMessage) *function.CallError {
	if given == nil {
		return nil
	}
	c, fault := readCredentials(given)
	if fault != nil {
		return fault
	}
	switch c.Type {
	case "basic":
		return s.basic(c)
	case "bearer":
		token, fault := s.credential("token", c.Token)
		if fault != nil {
			return fault
		}
		return s.set("Authorization", "Bearer "+token, true)
	case "api_key":
		return s.apiKey(c)
	}
	return nil
}

func (s *Sending) basic(c credentials) *function.CallError {
	name := s.env.value(c.Username)
	if name.missing != "" {
		return s.env.closed("auth username", name)
	}
	password := ""
	if c.Password != nil {
		var fault *function.CallError
		if password, fault = s.credential("password", c.Password); fault != nil {
			return fault
		}
	}
	both := base64.StdEncoding.EncodeToString([]byte(name.text + ":" + password))
	s.secrets.add(both)
	return s.set("Authorization", "Basic "+both, true)
}

func (s *Sending) apiKey(c credentials) *function.CallError {
	key, fault := s.credential("value", c.Value)
	if fault != nil {
		return fault
	}
	if c.Query != "" {
		query := url.QueryEscape(string(c.Query)) + "=" + url.QueryEscape(key)
		if old := s.request.URL.RawQuery; old != "" {
			query = old + "&" + query
		}
		s.request.URL.RawQuery = query
		return nil
	}
	if c.Header == "" {
		c.Header = "X-API-Key"
	}
	return s.set(string(c.Header), key, true)
}

func (s *Sending) credential(field string, given json.RawMessage) (string, *function.CallError) {
	if given == nil {
		return "", bad("auth: %s is missing", field)
	}
	v := s.env.value(given)
	if v.missing != "" {
		return "", s.env.closed("auth "+field, v)
	}
	s.secrets.add(v.text)
	return v.text, nil
}
