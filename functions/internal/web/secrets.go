package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A Lookup returns the value of the secret or environment variable NAME for a request to a URL
// with scheme and host, and whether workflows may use it there.
type Lookup = func(name string, to *url.URL) (string, bool)

// environment resolves secret names in the input of a request to one server.
type environment struct {
	to      *url.URL
	getenv  Lookup
	names   *function.SecretNames // the names in the stored text of the step
	secrets *secrets
}

// A value is a text with its secret names replaced.
type value struct {
	text    string
	used    bool   // the text contains a secret
	missing string // the first name without a value; it is left as written
	asked   bool   // written as {"secret": name}
}

// value reads a text with $NAME in it, {"secret": "NAME"}, or any other JSON as its text. Only
// names in the stored text of the step are replaced; a $NAME from a reference or a model is
// data.
func (e environment) value(given json.RawMessage) value {
	if text, ok := SecretName(given); ok {
		if name, bound := e.names.Name(text); bound {
			v := value{asked: true}
			if v.text, v.used = e.lookup(name); !v.used {
				v.text, v.missing = name, name
			}
			return v
		}
	}
	var v value
	v.text, v.missing, v.used = e.names.Expand(input.TextOf(given), e.lookup)
	return v
}

// SecretName returns the name in {"secret": "NAME"}.
func SecretName(given json.RawMessage) (name string, ok bool) {
	if len(given) == 0 || given[0] != '{' {
		return "", false
	}
	object, err := input.Parse(given)
	if err != nil || len(object) != 1 || object[0].Name != "secret" || object[0].Value[0] != '"' {
		return "", false
	}
	return input.TextOf(object[0].Value), true
}

func (e environment) lookup(name string) (string, bool) {
	if e.getenv == nil {
		return "", false
	}
	secret, ok := e.getenv(name, e.to)
	if ok {
		e.secrets.add(secret)
	}
	return secret, ok
}

// closed returns the error for a name without a value.
func (e environment) closed(where string, v value) *function.CallError {
	if v.asked {
		return refused("%s: there is no secret %q that workflows may use for %s; the operator can store it with secret set --host %s",
			where, shortened(v.missing), Origin(e.to), HostPattern(e.to))
	}
	return refused("%s: $%s is not open to workflows for %s; the operator can store it with secret set %s --host %s, or open the variable of the environment with env: [%q] in the configuration",
		where, v.missing, Origin(e.to), v.missing, HostPattern(e.to), v.missing+"@"+HostPattern(e.to))
}

// Origin returns the scheme and host of a URL, for messages.
func Origin(to *url.URL) string { return to.Scheme + "://" + to.Host }

// HostPattern returns the pattern with which a secret allows the host of a URL.
func HostPattern(to *url.URL) string {
	if to.Scheme == "https" {
		return to.Host
	}
	return Origin(to)
}

// Secrets replaces the names in a text for a request to a URL, for functions that do not use a
// Client. missing is the first name without a value.
func Secrets(ctx context.Context, text string, to *url.URL, getenv Lookup) (expanded, missing string) {
	e := environment{to: to, getenv: getenv, names: function.CallOf(ctx).Secrets, secrets: &secrets{}}
	given := json.RawMessage(text)
	if !json.Valid(given) || given[0] != '{' {
		given = input.Encode(text)
	}
	v := e.value(given)
	return v.text, v.missing
}

// headers returns the response headers with secrets masked; several values of one name are
// joined by commas.
func (s *secrets) headers(given http.Header) map[string]string {
	out := make(map[string]string, len(given))
	for name, values := range given {
		out[s.mask(name)] = s.mask(strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD"))
	}
	return out
}
