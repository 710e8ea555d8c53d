package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
	"github.com/stepgraph/stepgraph/internal/lenient"
)

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

// prepare builds the request. Errors of the workflow's text have the kind bad_input; errors
// that data may cause, such as an invalid address, have the kind request.
func (f stepFunction) prepare(ctx context.Context, in Input) (*web.Sending, *function.CallError) {
	s, fault := f.client.Prepare(ctx, string(in.Method), string(in.URL))
	if fault != nil {
		return nil, fault
	}
	content, kind, err := in.content()
	if err != nil {
		return nil, badInput(err)
	}
	if content != nil {
		s.Body(content, kind)
	}
	for _, set := range []func() *function.CallError{
		func() *function.CallError { return s.Params(in.Params) },
		func() *function.CallError { return s.Params(in.Query) },
		func() *function.CallError { return s.Headers(in.Headers) },
		func() *function.CallError { return s.Auth(in.Auth) },
	} {
		if fault := set(); fault != nil {
			return nil, fault
		}
	}
	s.Key(function.CallOf(ctx).Key)
	return s, nil
}

func badInput(err error) *function.CallError {
	var fault *function.CallError
	if errors.As(err, &fault) {
		return fault
	}
	return &function.CallError{Kind: function.KindBadInput, Message: err.Error()}
}

// policy returns the timeout and the retries of the request.
func (in Input) policy() (web.Policy, *function.CallError) {
	p := web.Policy{Timeout: time.Duration(in.Timeout), Retries: int(in.Retries), Wait: time.Duration(in.RetryDelay)}
	if p.Retries < 0 || p.Retries > web.MostRetries {
		return p, badInput(input.Bad("retries: want 0 to %d, not %d; the step's own retry policy comes on top", web.MostRetries, p.Retries))
	}
	if in.RetryStatus == nil {
		return p, nil
	}
	list := in.RetryStatus
	if list[0] != '[' {
		list = json.RawMessage("[" + input.TextOf(list) + "]")
	}
	var statuses []input.Int
	if err := json.Unmarshal(list, &statuses); err != nil {
		return p, badInput(input.Bad("retry_statuses: want a list of statuses such as [429, 503]"))
	}
	for _, s := range statuses {
		p.Statuses = append(p.Statuses, int(s))
	}
	return p, nil
}

// content returns the body of the request and its content type, nil for no body.
func (in Input) content() ([]byte, string, error) {
	var body json.RawMessage
	given := 0
	for _, v := range []json.RawMessage{in.JSONData, in.JSON, in.Data, in.Body} {
		if v != nil {
			body, given = v, given+1
		}
	}
	switch {
	case given > 1:
		return nil, "", input.Bad("json_data, json, data and body: give only one of them")
	case given == 0:
		return nil, "", nil
	case bool(in.Lenient) && body[0] == '"':
		return loose(strings.ToLower(string(in.BodyType)), body)
	case in.BodyType != "":
		return typed(strings.ToLower(string(in.BodyType)), body)
	case in.JSONData != nil, in.JSON != nil, in.Body != nil && body[0] != '"':
		return body, asJSON, nil
	case in.Data != nil && body[0] == '{':
		return typed("form", body)
	}
	return typed("raw", body)
}

// loose reads a body text as body_type says. JSON may be JSON5 or JSON that an editor has
// escaped. A blank text is no body.
func loose(kind string, body json.RawMessage) ([]byte, string, error) {
	text := input.TextOf(body)
	switch {
	case strings.TrimSpace(text) == "":
		return nil, "", nil
	case kind == "json":
		value, err := lenient.Parse(text)
		if err != nil {
			return nil, "", &function.CallError{Kind: web.KindRequest, Message: "body: the text is not JSON, which body_type says it is: " + err.Error()}
		}
		return value, asJSON, nil
	case kind == "", kind == "raw", kind == "text":
		return typed("raw", body)
	}
	if fields, ok := lenient.Structure(text); ok {
		body = fields
	}
	return typed(kind, body)
}

// typed encodes a body as body_type says. A text is taken as encoded already.
func typed(kind string, body json.RawMessage) ([]byte, string, error) {
	text := body[0] == '"'
	switch kind {
	case "json":
		if !text {
			return body, asJSON, nil
		}
		if content := []byte(input.TextOf(body)); json.Valid(content) {
			return content, asJSON, nil
		}
		return nil, "", &function.CallError{Kind: web.KindRequest, Message: "body: the text is not JSON, which body_type says it is"}
	case "raw", "text":
		return []byte(input.TextOf(body)), "", nil
	case "form", "urlencoded", "x-www-form-urlencoded":
		if text {
			return []byte(input.TextOf(body)), asForm, nil
		}
		content, err := web.Form(body)
		return content, asForm, under("body", err)
	case "multipart", "form-data", "form_data":
		content, as, err := web.Multipart(body)
		return content, as, under("body", err)
	}
	return nil, "", input.Bad("body_type: %q is not one of json, raw, form and multipart", kind)
}

func under(field string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", field, err)
}
