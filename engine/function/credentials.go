package function

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// A Credential is a token, key or password written as text in the input of a step, instead of
// the name of a secret.
type Credential struct {
	Path  string // its place in the input: auth_token, headers.Authorization
	Value string // without a scheme such as Bearer
}

var (
	// credentialKey is what fields and headers are called that hold credentials.
	credentialKey = regexp.MustCompile(`(?i)^(authorization|proxy-authorization|cookie|.*(api[-_]?key|token|secret|password|passwd).*)$`)
	// credentialScheme is the scheme before a credential in a header.
	credentialScheme = regexp.MustCompile(`(?i)^\s*(bearer|basic|token|apikey)\s+`)
)

// Credentials finds the credentials in an input of a function, in the fields that its Spec names
// for secrets. Names of secrets and references are not credentials.
func Credentials(spec *Spec, input json.RawMessage) []Credential {
	var found []Credential
	ReplaceCredentials(spec, input, func(c Credential) string {
		found = append(found, c)
		return c.Value
	})
	return found
}

// ReplaceCredentials returns an input with its credentials replaced. An input without
// credentials is returned unchanged.
func ReplaceCredentials(spec *Spec, input json.RawMessage, replace func(Credential) string) json.RawMessage {
	if spec == nil || !namesAny(input, spec.Secrets) {
		return input
	}
	s := credentialSearch{replace: replace}
	fields := jsontext.Fields(input)
	for i := range fields {
		for _, name := range spec.Secrets {
			if fields[i].Key == name {
				fields[i].Value = s.value(fields[i].Value, name, name)
			}
		}
	}
	if !s.changed {
		return input
	}
	return jsontext.With(json.RawMessage("{}"), fields)
}

func namesAny(input json.RawMessage, fields []string) bool {
	for _, name := range fields {
		if bytes.Contains(input, []byte(`"`+name+`"`)) {
			return true
		}
	}
	return false
}

type credentialSearch struct {
	replace func(Credential) string
	changed bool
}

// value goes through one value, which stands under a key.
func (s *credentialSearch) value(raw json.RawMessage, path, key string) json.RawMessage {
	v := gjson.ParseBytes(raw)
	switch {
	case v.IsObject():
		return s.object(raw, path, key)
	case v.IsArray():
		var items []json.RawMessage
		for _, item := range v.Array() {
			items = append(items, s.value(json.RawMessage(item.Raw), path, key))
		}
		out, err := json.Marshal(items)
		if err != nil || len(items) == 0 {
			return raw
		}
		return out
	case v.Type == gjson.String:
		return s.text(raw, v.String(), path, key)
	}
	return raw
}

// object goes through the members of an object: {"secret": NAME} is none, {"name": …, "value": …}
// is a header, and the value of an authorization by key is a credential.
func (s *credentialSearch) object(raw json.RawMessage, path, key string) json.RawMessage {
	fields := jsontext.Fields(raw)
	if len(fields) == 1 && fields[0].Key == "secret" {
		return raw
	}
	named := gjson.GetBytes(raw, "name").String() + gjson.GetBytes(raw, "key").String()
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Key == "@literal":
			f.Value = s.value(f.Value, path, key)
		case f.Key == "value" && (key == "auth" || credentialKey.MatchString(named)):
			f.Value = s.value(f.Value, path+"."+f.Key, "token")
		default:
			f.Value = s.value(f.Value, path+"."+f.Key, f.Key)
		}
	}
	return jsontext.With(json.RawMessage("{}"), fields)
}

// text is a credential, or a text that holds JSON, as headers of other systems do.
func (s *credentialSearch) text(raw json.RawMessage, text, path, key string) json.RawMessage {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		return jsontext.AppendString(nil, string(s.value(json.RawMessage(trimmed), path, key)))
	}
	value := strings.TrimSpace(credentialScheme.ReplaceAllString(text, ""))
	if !credentialKey.MatchString(key) || value == "" || NamesSecret(value) || strings.Contains(value, "@{") {
		return raw
	}
	is := s.replace(Credential{Path: path, Value: value})
	if is == value {
		return raw
	}
	s.changed = true
	return jsontext.AppendString(nil, strings.Replace(text, value, is, 1))
}
