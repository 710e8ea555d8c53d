// Package jsontext writes and edits JSON as text: compact, with nothing escaped that JSON does
// not require, numbers and the order of keys as they were. encoding/json alone escapes < and >
// and forgets the order of an object's keys; stored conditions and states must keep both.
package jsontext

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// A Field is one member of a JSON object. Value is JSON text.
type Field struct {
	Key   string
	Value json.RawMessage
}

// Marshal encodes v as compact JSON with nothing escaped that JSON does not require.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads the first JSON value of a text with numbers as json.Number, so that none loses digits.
func Decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// With puts fields into the JSON text of an object, over those of the same name.
func With(object json.RawMessage, fields []Field) json.RawMessage {
	if len(fields) == 0 {
		return object
	}
	over := map[string]bool{}
	for _, f := range fields {
		over[f.Key] = true
	}
	b := []byte{'{'}
	put := func(key string, value json.RawMessage) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(AppendString(b, key), ':')
		b = append(b, value...)
	}
	gjson.ParseBytes(object).ForEach(func(k, v gjson.Result) bool {
		if !over[k.String()] {
			put(k.String(), json.RawMessage(v.Raw))
		}
		return true
	})
	for _, f := range fields {
		put(f.Key, f.Value)
	}
	return append(b, '}')
}

// Fields returns the members of the JSON text of an object, in order.
func Fields(object json.RawMessage) []Field {
	var fields []Field
	gjson.ParseBytes(object).ForEach(func(k, v gjson.Result) bool {
		fields = append(fields, FieldOf(k.String(), v))
		return true
	})
	return fields
}

// FieldOf is the member of a key and a value as gjson read it.
func FieldOf(key string, v gjson.Result) Field { return Field{key, json.RawMessage(v.Raw)} }

// AppendFields appends ,"key":value for each field; an object must have begun before.
func AppendFields(b []byte, fields []Field) []byte {
	for _, f := range fields {
		b = append(b, ',')
		b = AppendString(b, f.Key)
		b = append(b, ':')
		b = append(b, f.Value...)
	}
	return b
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string with nothing escaped that JSON does not require.
// Bytes that are not valid UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(b, s[start:i]...)
				b = append(b, "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// String is s as a JSON value.
func String(s string) json.RawMessage { return AppendString(nil, s) }

// Blank reports whether a JSON text is empty but for white space.
func Blank(s string) bool {
	for _, r := range s {
		if r != ' ' && r != '\t' && r != '\n' && r != '\r' {
			return false
		}
	}
	return true
}

// Equal reports whether two JSON texts are the same in their compact form.
func Equal(a, b json.RawMessage) bool {
	var ca, cb bytes.Buffer
	if json.Compact(&ca, a) != nil || json.Compact(&cb, b) != nil {
		return false
	}
	return bytes.Equal(ca.Bytes(), cb.Bytes())
}

// Compact takes the blanks out of a JSON text; what is not JSON stays as it is.
func Compact(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}
