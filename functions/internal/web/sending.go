package web

import (
	"encoding/json"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/callkey"
)

// A Sending is one request and the secrets in it. It may be sent several times.
type Sending struct {
	client  *Client
	request *http.Request
	body    []byte // nil: no body
	env     environment
	secrets secrets
	// confidential lists the headers that are not sent to redirect targets.
	confidential []string
}

// Method is the request's method, in capitals.
func (s *Sending) Method() string { return s.request.Method }

// Params adds parameters to the query of the URL: an object of values or of lists of values, a
// list of {name or key, value}, or a text that is an encoded query. The order is kept.
func (s *Sending) Params(given json.RawMessage) *function.CallError {
	if given == nil {
		return nil
	}
	query := strings.TrimPrefix(input.TextOf(given), "?")
	if given[0] != '"' {
		list, err := pairsOf(given)
		if err != nil {
			return bad("params: %v", err)
		}
		var fault *function.CallError
		if query, fault = encode(list, s.param); fault != nil {
			return fault
		}
	}
	if old := s.request.URL.RawQuery; query != "" && old != "" {
		query = old + "&" + query
	}
	if query != "" {
		s.request.URL.RawQuery = query
	}
	return nil
}

// param returns the value of a parameter. A $NAME without a value is left as written, because
// $ is an ordinary character in a query.
func (s *Sending) param(p pair) (string, *function.CallError) {
	v := s.env.value(p.value)
	if v.missing != "" && v.asked {
		return "", s.env.closed("param "+p.name, v)
	}
	return v.text, nil
}

// Body sets the body and, unless empty, its content type.
func (s *Sending) Body(content []byte, kind string) {
	s.body = content
	if kind != "" {
		s.request.Header.Set("Content-Type", kind)
	}
}

// Accept sets the accepted content types.
func (s *Sending) Accept(kinds string) { s.request.Header.Set("Accept", kinds) }

// Headers sets headers: an object of values, or a list of {name or key, value}. A $NAME that
// the operator has not allowed is an error: sending the literal text "$NAME" would only cause
// an unclear error of the server.
func (s *Sending) Headers(given json.RawMessage) *function.CallError {
	if given == nil {
		return nil
	}
	list, err := pairsOf(given)
	if err != nil {
		return bad("headers: want an object, not %s", shortened(string(given)))
	}
	for _, h := range list {
		v := s.env.value(h.value)
		if v.missing != "" {
			return s.env.closed("header "+h.name, v)
		}
		if fault := s.set(h.name, v.text, v.used); fault != nil {
			return fault
		}
	}
	return nil
}

// Key sets the header Idempotency-Key of a request that changes something, unless it is set.
func (s *Sending) Key(key string) {
	if key != "" && !safe(s.request.Method) && s.request.Header.Get("Idempotency-Key") == "" {
		callkey.Set(s.request.Header, key)
	}
}

func (s *Sending) set(name, value string, secret bool) *function.CallError {
	if !validHeader(name, value) {
		return refused("header %q: the name or its value is not possible in HTTP", shortened(name))
	}
	if secret || personal[textproto.CanonicalMIMEHeaderKey(name)] {
		s.confidential = append(s.confidential, name)
	}
	s.request.Header.Set(name, value)
	if strings.EqualFold(name, "Host") {
		s.request.Host = value
	}
	return nil
}

// personal lists headers with credentials. They are never sent to another server after a
// redirect, even if their value was written into the step.
var personal = map[string]bool{"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "X-Api-Key": true, "Api-Key": true}

func validHeader(name, value string) bool {
	for _, c := range name {
		if c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c) {
			return false
		}
	}
	return name != "" && !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

// safe reports whether a method changes nothing by definition, so that it needs no idempotency
// key.
func safe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}
