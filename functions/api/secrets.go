package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

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

// expand replaces the names in text by their values and tells whether there were any; the
// first name without value stays, and is returned as missing.
func (e environment) expand(text string) (value string, used bool, missing string) {
	value = variable.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "${}")
		if e.getenv != nil {
			if v, ok := e.getenv(name, e.host); ok {
				used = true
				e.secrets.add(v)
				return v
			}
		}
		if missing == "" {
			missing = name
		}
		return found
	})
	return value, used, missing
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
