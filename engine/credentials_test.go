package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// Credentials are found in the fields for secrets, wherever they stand in them; names of secrets,
// references and other fields are none.
func TestCredentials(t *testing.T) {
	spec := &engine.Spec{Secrets: []string{"headers", "auth", "auth_token"}}
	for input, want := range map[string]string{
		`{"auth_token": "demo-token", "type": "rest"}`:                              "auth_token=demo-token",
		`{"headers": {"Authorization": "Bearer abc", "Accept": "text/html"}}`:       "headers.Authorization=abc",
		`{"headers": "{\"X-Api-Key\": \"k1\"}"}`:                                    "headers.X-Api-Key=k1",
		`{"headers": [{"name": "Authorization", "value": "Basic dTpw"}]}`:           "headers.value=dTpw",
		`{"auth": {"type": "basic", "username": "u", "password": "p"}}`:             "auth.password=p",
		`{"auth": {"type": "api_key", "value": {"@literal": "k"}}}`:                 "auth.value=k",
		`{"auth": "bearer", "auth_token": {"secret": "T"}}`:                         "",
		`{"auth_token": "$TOKEN", "headers": {"Authorization": "Bearer ${TOKEN}"}}`: "",
		`{"auth_token": "@{SESSION_ID}.login.token", "body": {"token": "mine"}}`:    "",
	} {
		var got []string
		for _, c := range function.Credentials(spec, json.RawMessage(input)) {
			got = append(got, c.Path+"="+c.Value)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: got %q, want %q", input, text, want)
		}
	}
	got := function.ReplaceCredentials(spec, json.RawMessage(`{"url":"u","headers":"{\"Authorization\":\"Bearer abc\"}","auth_token":"abc"}`),
		func(c function.Credential) string { return fmt.Sprintf("$%d", len(c.Value)) })
	if want := `{"url":"u","headers":"{\"Authorization\":\"Bearer $3\"}","auth_token":"$3"}`; string(got) != want {
		t.Errorf("replaced: %s, want %s", got, want)
	}
}
