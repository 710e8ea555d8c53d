package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// sending is one request and what must not be seen of it.
type sending struct {
	request *http.Request
	secrets secrets
	// confidential are the headers that hold secrets. They stay with the first server.
	confidential []string
}

// prepare builds the request. Faults of the workflow's text are of kind bad_input; those
// that data may cause, such as an address that is none, of kind request.
func (f function) prepare(ctx context.Context, in Input) (*sending, *engine.CallError) {
	address, err := url.Parse(strings.TrimSpace(string(in.URL)))
	if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
		return nil, refused("url: want an http or https address, not %q", shortened(string(in.URL)))
	}
	s := &sending{}
	env := environment{host: address.Hostname(), getenv: f.options.Getenv, secrets: &s.secrets}
	query, err := params(in.Params, env)
	if err != nil {
		return nil, bad("params: %v", err)
	}
	if query != "" && address.RawQuery != "" {
		query = address.RawQuery + "&" + query
	}
	if query != "" {
		address.RawQuery = query
	}
	content, kind, err := in.content()
	if err != nil {
		return nil, bad("%v", err)
	}
	method := strings.ToUpper(strings.TrimSpace(string(in.Method)))
	s.request, err = http.NewRequestWithContext(ctx, method, address.String(), content)
	if err != nil {
		return nil, refused("method: want a word such as GET, not %q", shortened(string(in.Method)))
	}
	s.request.Header.Set("User-Agent", "stepgraph")
	if kind != "" {
		s.request.Header.Set("Content-Type", kind)
	}
	if fault := s.headers(in.Headers, env); fault != nil {
		return nil, fault
	}
	if key := engine.CallOf(ctx).Key; key != "" && !safe(s.request.Method) && s.request.Header.Get("Idempotency-Key") == "" {
		s.request.Header.Set("Idempotency-Key", key)
	}
	return s, nil
}

// headers sets the headers of the step. A name that the operator has not opened is an
// error, since sending the text "$NAME" would end as a refusal that nobody understands.
func (s *sending) headers(given json.RawMessage, env environment) *engine.CallError {
	if given == nil {
		return nil
	}
	fields, err := input.Parse(given)
	if err != nil {
		return bad("headers: want an object, not %s", shortened(string(given)))
	}
	for _, h := range fields {
		if string(h.Value) == "null" {
			continue
		}
		value, used, missing := env.expand(input.TextOf(h.Value))
		if missing != "" {
			return refused("header %s: $%s is not open to workflows for %s; the operator can set it and allow it with --env %s", h.Name, missing, env.host, missing)
		}
		if used {
			s.confidential = append(s.confidential, h.Name)
		}
		if !validHeader(h.Name, value) {
			return refused("header %q: the name or its value is not possible in HTTP", shortened(h.Name))
		}
		s.request.Header.Set(h.Name, value)
		if strings.EqualFold(h.Name, "Host") {
			s.request.Host = value
		}
	}
	return nil
}

func validHeader(name, value string) bool {
	for _, c := range name {
		if c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c) {
			return false
		}
	}
	return name != "" && !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

// params is a query in the order of the object; a text is taken as a query already.
func params(given json.RawMessage, env environment) (string, error) {
	if given == nil {
		return "", nil
	}
	if given[0] == '"' {
		return strings.TrimPrefix(input.TextOf(given), "?"), nil
	}
	return form(given, func(text string) string {
		value, _, _ := env.expand(text)
		return value
	})
}

// form encodes an object as name=value&…, a list as several values; null stands for none.
func form(given json.RawMessage, change func(string) string) (string, error) {
	fields, err := input.Parse(given)
	if err != nil {
		return "", err
	}
	var pairs []string
	for _, f := range fields {
		values := []json.RawMessage{f.Value}
		if f.Value[0] == '[' {
			if err := json.Unmarshal(f.Value, &values); err != nil {
				return "", err
			}
		}
		for _, v := range values {
			if string(v) != "null" {
				pairs = append(pairs, url.QueryEscape(f.Name)+"="+url.QueryEscape(change(input.TextOf(v))))
			}
		}
	}
	return strings.Join(pairs, "&"), nil
}

// content is the body of the request and its type.
func (in Input) content() (io.Reader, string, error) {
	const asJSON, asForm = "application/json", "application/x-www-form-urlencoded"
	given := 0
	for _, v := range []json.RawMessage{in.JSONData, in.JSON, in.Data, in.Body} {
		if v != nil {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, "", input.Bad("json_data, json, data and body: give only one of them")
	case in.JSONData != nil:
		return bytes.NewReader(in.JSONData), asJSON, nil
	case in.JSON != nil:
		return bytes.NewReader(in.JSON), asJSON, nil
	case in.Data != nil && in.Data[0] == '{':
		text, err := form(in.Data, func(text string) string { return text })
		return strings.NewReader(text), asForm, err
	case in.Data != nil:
		return strings.NewReader(input.TextOf(in.Data)), "", nil
	case in.Body != nil && in.Body[0] == '"':
		return strings.NewReader(input.TextOf(in.Body)), "", nil
	case in.Body != nil:
		return bytes.NewReader(in.Body), asJSON, nil
	}
	return nil, "", nil
}

// safe tells whether a method changes nothing by its meaning, so that no key is needed.
func safe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}
