package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A pair is a name and one value in a query, a form or headers.
type pair struct {
	name  string
	value json.RawMessage
}

// pairsOf reads an object, in which a list gives several values of one name and null gives
// none, or the rows of a form: a list of {name or key, value}. Rows without name or value are
// skipped.
func pairsOf(given json.RawMessage) ([]pair, error) {
	if given[0] == '[' {
		return rows(given)
	}
	fields, err := input.Parse(given)
	if err != nil {
		return nil, err
	}
	var list []pair
	for _, f := range fields {
		if list, err = appendValues(list, f.Name, f.Value); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func rows(given json.RawMessage) ([]pair, error) {
	var objects []json.RawMessage
	if err := json.Unmarshal(given, &objects); err != nil {
		return nil, err
	}
	var list []pair
	for i, text := range objects {
		row, err := input.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("[%d]: want {name, value}", i)
		}
		name, value := row.Get("name"), row.Get("value")
		if name == nil {
			name = row.Get("key")
		}
		if input.TextOf(name) == "" || value == nil || string(value) == `""` {
			continue
		}
		if list, err = appendValues(list, input.TextOf(name), value); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func appendValues(list []pair, name string, value json.RawMessage) ([]pair, error) {
	values := []json.RawMessage{value}
	if value[0] == '[' {
		if err := json.Unmarshal(value, &values); err != nil {
			return nil, err
		}
	}
	for _, v := range values {
		if string(v) != "null" {
			list = append(list, pair{name, v})
		}
	}
	return list, nil
}

// encode writes name=value&… in order.
func encode(list []pair, text func(pair) (string, *function.CallError)) (string, *function.CallError) {
	parts := make([]string, len(list))
	for i, p := range list {
		value, fault := text(p)
		if fault != nil {
			return "", fault
		}
		parts[i] = url.QueryEscape(p.name) + "=" + url.QueryEscape(value)
	}
	return strings.Join(parts, "&"), nil
}

// Form encodes an object, or rows, as application/x-www-form-urlencoded; a list is sent as
// several fields of its name.
func Form(given json.RawMessage) ([]byte, error) {
	list, err := pairsOf(given)
	if err != nil {
		return nil, err
	}
	text, _ := encode(list, func(p pair) (string, *function.CallError) { return input.TextOf(p.value), nil })
	return []byte(text), nil
}

// A file is a file in a multipart form: {filename, content or base64, content_type}.
type file struct {
	Filename    string     `json:"filename"`
	Content     input.Text `json:"content"`
	Base64      string     `json:"base64"`
	ContentType string     `json:"content_type"`
}

// Multipart encodes an object, or rows, as multipart/form-data and returns its content type. A
// value {filename, content or base64, content_type} is a file. The same form always gives the
// same bytes, so that a repeated request with the same idempotency key is identical.
func Multipart(given json.RawMessage) (content []byte, kind string, err error) {
	list, err := pairsOf(given)
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	sum := sha256.Sum256(given)
	if err := w.SetBoundary("stepgraph-" + hex.EncodeToString(sum[:16])); err != nil {
		return nil, "", err
	}
	for _, p := range list {
		if err := writePart(w, p); err != nil {
			return nil, "", fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

func writePart(w *multipart.Writer, p pair) error {
	var f file
	if p.value[0] == '{' && json.Unmarshal(p.value, &f) == nil && f.Filename != "" {
		return f.write(w, p.name)
	}
	return w.WriteField(p.name, input.TextOf(p.value))
}

func (f file) write(w *multipart.Writer, name string) error {
	content := []byte(f.Content)
	if f.Base64 != "" {
		var err error
		if content, err = base64.StdEncoding.DecodeString(f.Base64); err != nil {
			return fmt.Errorf("base64: %w", err)
		}
	}
	if f.ContentType == "" {
		f.ContentType = "application/octet-stream"
	}
	if !validHeader("Content-Type", f.ContentType) {
		return fmt.Errorf("content_type %q is not possible in HTTP", shortened(f.ContentType))
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", multipart.FileContentDisposition(name, f.Filename))
	header.Set("Content-Type", f.ContentType)
	part, err := w.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	return err
}
