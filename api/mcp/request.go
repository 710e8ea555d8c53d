package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// request is the request that the arguments of a call ask for. The API judges their values; here
// only what has no place in a request is refused.
func (t *tool) request(arguments json.RawMessage) (Call, error) {
	c := Call{Method: t.method, Path: t.path, Query: url.Values{}}
	given := map[string]json.RawMessage{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return c, errors.New("the arguments are not a JSON object")
		}
	}
	for _, name := range t.required {
		if given[name] == nil {
			return c, fmt.Errorf("argument %s is missing", name)
		}
	}
	body := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		switch t.in[name] {
		case inPath:
			text, err := textOf(name, value)
			if err != nil {
				return c, err
			}
			if text == "" {
				return c, fmt.Errorf("argument %s is empty", name)
			}
			c.Path = strings.ReplaceAll(c.Path, "{"+name+"}", url.PathEscape(text))
		case inQuery:
			if err := addQuery(c.Query, name, value); err != nil {
				return c, err
			}
		case inBody:
			body[name] = value
		case bodyItself:
			c.Body = value
		default:
			if name != keyArgument {
				return c, fmt.Errorf("argument %s is not known; this tool takes %s", name, strings.Join(slices.Sorted(maps.Keys(t.in)), ", "))
			}
			text, err := textOf(name, value)
			if err != nil {
				return c, err
			}
			c.Key = text
		}
	}
	if t.wait != "" && given["wait"] == nil && t.in["wait"] == inQuery {
		c.Query.Set("wait", t.wait)
	}
	if c.Body == nil && slices.Contains(slices.Collect(maps.Values(t.in)), inBody) {
		c.Body = encode(body)
	}
	return c, nil
}

// addQuery adds a parameter: a list as several of its name, null as none.
func addQuery(q url.Values, name string, value json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		list = []json.RawMessage{value}
	}
	for _, one := range list {
		text, err := textOf(name, one)
		if err != nil {
			return err
		}
		q.Add(name, text)
	}
	return nil
}

// textOf is a text, number or boolean as it is written in an address.
func textOf(name string, value json.RawMessage) (string, error) {
	var text string
	switch value[0] {
	case '"':
		err := json.Unmarshal(value, &text)
		return text, err
	case '{', '[', 'n':
		return "", fmt.Errorf("argument %s is %s, want text, a number or a boolean", name, kindOf(value[0]))
	}
	return string(value), nil
}

func kindOf(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "null"
}
