package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// minSecret is how long a value must be to be blotted out: shorter ones are no secrets, and
// blotting them out would tear holes into texts.
const minSecret = 4

// variable is $NAME, in capitals so that prices and templates of others stay what they are,
// or ${NAME}.
var variable = regexp.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Z_][A-Z0-9_]*))`)

// environment is what a request to one host may know.
type environment struct {
	host    string
	getenv  func(name, host string) (string, bool)
	secrets *secrets
}

// A value is a text with its names replaced.
type value struct {
	text    string
	used    bool   // a secret is in it
	missing string // the first name without value; it stays as written
	asked   bool   // it was asked for as {"secret": name}
}

// value reads a text with $NAME in it, {"secret": "NAME"}, or any other JSON as its text.
func (e environment) value(given json.RawMessage) value {
	if name, ok := SecretName(given); ok {
		v := e.expand("${" + name + "}")
		v.asked = true
		if v.missing != "" {
			v.missing = name
		}
		return v
	}
	return e.expand(input.TextOf(given))
}

// SecretName is the name in {"secret": "NAME"}.
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

func (e environment) expand(text string) (v value) {
	v.text = variable.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "${}")
		if e.getenv != nil {
			if secret, ok := e.getenv(name, e.host); ok {
				v.used = true
				e.secrets.add(secret)
				return secret
			}
		}
		if v.missing == "" {
			v.missing = name
		}
		return found
	})
	return v
}

// closed is the fault of a name without value.
func (e environment) closed(where string, v value) *engine.CallError {
	if v.asked {
		return refused("%s: there is no secret %q that workflows may use for %s; the operator can store it with secret set", where, shortened(v.missing), e.host)
	}
	return refused("%s: $%s is not open to workflows for %s; the operator can set it and allow it with --env %s", where, v.missing, e.host, v.missing)
}

// secrets are the values that went into a request, in every form in which an answer may
// show them.
type secrets struct{ forms []string }

func (s *secrets) add(value string) {
	if len(value) < minSecret {
		return
	}
	inner := func(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }
	escaped, _ := json.Marshal(value) // a text always has a JSON form
	plain := inner(input.Encode(value))
	for _, form := range []string{value, plain, inner(escaped), strings.ReplaceAll(plain, "/", `\/`), url.QueryEscape(value), url.PathEscape(value)} {
		s.forms = append(s.forms, form, "***")
	}
}

// blot returns text without the secrets.
func (s *secrets) blot(text string) string {
	if len(s.forms) == 0 {
		return text
	}
	return strings.NewReplacer(s.forms...).Replace(text)
}

// headers are those of an answer, several of one name joined by commas.
func (s *secrets) headers(given http.Header) map[string]string {
	out := make(map[string]string, len(given))
	for name, values := range given {
		out[s.blot(name)] = s.blot(strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD"))
	}
	return out
}
