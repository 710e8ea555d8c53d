package function

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
	"github.com/tidwall/gjson"
)

// SecretNames are the names of secrets that are written in a step as it is stored.
//
// A function that puts secrets into a request must know which names in its input were written by
// the author of the workflow: an answer, a response body or a model text may contain "$NAME"
// too. Names are therefore bound before references are resolved: in the input of the function,
// each name from the stored text is replaced by a mark that is random for each call, so that no
// value can contain it. The recorded input has the names.
//
// A nil *SecretNames has no names.
type SecretNames struct {
	mark  string // "$" and 128 random bits; the number of the name follows as four digits
	found []secretName
}

// A secretName is one place in the stored text: its text there, such as "${NAME}", and the
// name.
type secretName struct{ text, name string }

const (
	markDigits = 4
	mostNames  = 1 << 16
)

var (
	// namedInText is $NAME, in capitals so that prices and templates of others stay what they
	// are, or ${NAME}.
	namedInText = regexp.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Z_][A-Z0-9_]*))`)
	// namedInJSON is {"secret": "NAME"} within a text that holds JSON itself.
	namedInJSON = regexp.MustCompile(`(\{\s*"secret"\s*:\s*")([A-Za-z_][A-Za-z0-9_]*)("\s*\})`)
)

// Expand replaces the names in a text of the input by their values. missing is the first name
// without a value; it is written as the step has it. used reports whether a value is in the
// text.
func (n *SecretNames) Expand(text string, value func(name string) (string, bool)) (expanded, missing string, used bool) {
	return n.replace(text, func(s secretName) string {
		if v, ok := value(s.name); ok {
			used = true
			return v
		}
		if missing == "" {
			missing = s.name
		}
		return s.text
	}), missing, used
}

// Name returns the secret name that a text of the input represents, such as the NAME of
// {"secret": "NAME"}; ok is false for a text that is not in the stored step.
func (n *SecretNames) Name(text string) (name string, ok bool) {
	if n == nil || len(text) != len(n.mark)+markDigits {
		return "", false
	}
	n.replace(text, func(s secretName) string {
		name, ok = s.name, true
		return ""
	})
	return name, ok
}

// replace calls with for each mark of a text.
func (n *SecretNames) replace(text string, with func(secretName) string) string {
	if n == nil || !strings.Contains(text, n.mark) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, n.mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		number := -1
		if len(after) >= markDigits {
			if _, err := fmt.Sscanf(after[:markDigits], "%04x", &number); err != nil {
				number = -1
			}
		}
		if number < 0 || number >= len(n.found) {
			b.WriteString(n.mark)
			text = after
			continue
		}
		b.WriteString(with(n.found[number]))
		text = after[markDigits:]
	}
}

// restore puts the names back where marks are: in outputs and errors of a function that shows
// its input.
func (n *SecretNames) restore(text string) string {
	return n.replace(text, func(s secretName) string { return s.text })
}

// RestoreResult returns the result of a call with the names of secrets in the place of their marks.
func (n *SecretNames) RestoreResult(out json.RawMessage, err error) (json.RawMessage, error) {
	if bytes.Contains(out, []byte(n.mark)) {
		out = json.RawMessage(n.restore(string(out)))
	}
	var call *CallError
	if errors.As(err, &call) && strings.Contains(call.Message, n.mark) {
		shown := *call
		shown.Message = n.restore(call.Message)
		return out, &shown
	}
	return out, err
}

func (n *SecretNames) add(text, name string) string {
	if len(n.found) == mostNames {
		return text
	}
	n.found = append(n.found, secretName{text, name})
	return fmt.Sprintf("%s%04x", n.mark, len(n.found)-1)
}

// BindSecrets returns the input that a function with the names of secrets in its Spec gets,
// and those names: stored is the step's input as it is written, input the same with its
// references resolved. The engine calls it before each call; a function's own test calls it
// with its input twice.
func BindSecrets(spec *Spec, stored, input json.RawMessage) (json.RawMessage, *SecretNames) {
	return BindSecretsIn(spec, stored, input, references.Scope{})
}

// BindSecretsIn is BindSecrets with the scope in which references next to names are resolved.
func BindSecretsIn(spec *Spec, stored, input json.RawMessage, scope references.Scope) (json.RawMessage, *SecretNames) {
	if len(spec.Secrets) == 0 || !mayName(stored) {
		return input, nil
	}
	marked, names := markSecrets(spec.Secrets, stored)
	if names == nil {
		return input, nil
	}
	compiled, err := references.ParseInput(marked)
	if err != nil {
		return input, nil
	}
	// A kept input is older than the state. What no longer resolves is not bound.
	result, err := compiled.Resolve(scope)
	if err != nil || !result.Resolved {
		return input, nil
	}
	return []byte(names.merge(gjson.ParseBytes(input), gjson.ParseBytes(result.Value))), names
}

func mayName(stored []byte) bool {
	return bytes.ContainsAny(stored, "$\\") || bytes.Contains(stored, []byte(`"secret"`))
}

// markSecrets returns those of the fields that name secrets, with marks for the names.
func markSecrets(fields []string, stored json.RawMessage) (json.RawMessage, *SecretNames) {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	n := &SecretNames{mark: "$" + hex.EncodeToString(random[:])}
	knows := map[string]bool{}
	for _, key := range fields {
		knows[key] = true
	}
	var marked []jsontext.Field
	gjson.ParseBytes(stored).ForEach(func(k, v gjson.Result) bool {
		if knows[k.String()] {
			before := len(n.found)
			if text := n.markValue(v); len(n.found) > before {
				marked = append(marked, jsontext.Field{Key: k.String(), Value: json.RawMessage(text)})
			}
		}
		return true
	})
	if len(n.found) == 0 {
		return nil, nil
	}
	return jsontext.With(json.RawMessage("{}"), marked), n
}

func (n *SecretNames) markValue(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return string(jsontext.String(n.markText(v.String())))
	case v.IsArray():
		var b []byte
		v.ForEach(func(_, e gjson.Result) bool {
			b = append(append(b, ','), n.markValue(e)...)
			return true
		})
		return listOf(b, '[', ']')
	case v.IsObject():
		if name, ok := soleSecret(v); ok {
			return `{"secret":` + string(jsontext.String(n.add(name, name))) + `}`
		}
		var b []byte
		v.ForEach(func(k, e gjson.Result) bool {
			b = append(jsontext.AppendString(append(b, ','), k.String()), ':')
			b = append(b, n.markValue(e)...)
			return true
		})
		return listOf(b, '{', '}')
	}
	return v.Raw
}

// listOf is elements with a comma before each, between brackets.
func listOf(elements []byte, open, end byte) string {
	if len(elements) == 0 {
		return string([]byte{open, end})
	}
	elements[0] = open
	return string(append(elements, end))
}

// soleSecret is the NAME of {"secret": "NAME"}.
func soleSecret(v gjson.Result) (name string, ok bool) {
	fields := 0
	v.ForEach(func(k, e gjson.Result) bool {
		fields++
		name, ok = e.String(), k.String() == "secret" && e.Type == gjson.String && !strings.Contains(e.Raw, "@{")
		return fields < 2
	})
	return name, ok && fields == 1
}

func (n *SecretNames) markText(text string) string {
	text = namedInText.ReplaceAllStringFunc(text, func(found string) string {
		return n.add(found, strings.Trim(found, "${}"))
	})
	return namedInJSON.ReplaceAllStringFunc(text, func(found string) string {
		part := namedInJSON.FindStringSubmatch(found)
		return part[1] + n.add(part[2], part[2]) + part[3]
	})
}

// merge puts the marks of marked into plain, wherever both have the same text otherwise. A
// model's argument, or what a person changed before approving, differs and gets none.
func (n *SecretNames) merge(plain, marked gjson.Result) string {
	switch {
	case !strings.Contains(marked.Raw, n.mark):
		return plain.Raw
	case plain.Type == gjson.String && marked.Type == gjson.String:
		if n.restore(marked.String()) == plain.String() {
			return marked.Raw
		}
	case plain.IsObject() && marked.IsObject():
		with := map[string]gjson.Result{}
		marked.ForEach(func(k, v gjson.Result) bool { with[k.String()] = v; return true })
		var b []byte
		plain.ForEach(func(k, v gjson.Result) bool {
			b = append(jsontext.AppendString(append(b, ','), k.String()), ':')
			b = append(b, n.merge(v, with[k.String()])...)
			return true
		})
		return listOf(b, '{', '}')
	case plain.IsArray() && marked.IsArray():
		with := marked.Array()
		var b []byte
		at := 0
		plain.ForEach(func(_, v gjson.Result) bool {
			m := gjson.Result{}
			if at < len(with) {
				m = with[at]
			}
			at++
			b = append(append(b, ','), n.merge(v, m)...)
			return true
		})
		return listOf(b, '[', ']')
	}
	return plain.Raw
}

// NamesSecret reports whether a text has the name of a secret in it, as $NAME or ${NAME}.
func NamesSecret(text string) bool { return namedInText.MatchString(text) }
