package native

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// An object takes fields out of a JSON object and remembers the first thing that is wrong.
type object struct {
	*value
	err error
}

// asObject checks the type and the keys of a value.
func asObject(v *value, known []string) object {
	o := object{value: v}
	if !v.isObject {
		o.err = v.fail("want an object, got " + v.is())
		return o
	}
	for i, key := range v.keys {
		if !slices.Contains(known, key) {
			text := "unknown key; known are " + strings.Join(known, ", ")
			if slices.Contains(known, "extra") {
				text += " (properties of your own go into extra)"
			}
			o.err = v.items[i].fail(text)
			return o
		}
	}
	return o
}

func (o *object) wrong(v *value, want string) {
	if o.err == nil {
		o.err = v.fail("want " + want + ", got " + v.is())
	}
}

func (o *object) text(key string) string {
	v := o.get(key)
	if v == nil {
		return ""
	}
	s, ok := v.scalar.(string)
	if !ok {
		o.wrong(v, "a text")
	}
	return s
}

// required is a text that must be there.
func (o *object) required(key string) string {
	s := o.text(key)
	if s == "" && o.err == nil {
		o.err = o.fail(key + " is missing")
	}
	return s
}

// timeout is a text or a number of seconds.
func (o *object) timeout(key string) string {
	if v := o.get(key); v != nil {
		if n, ok := v.scalar.(json.Number); ok {
			return n.String()
		}
	}
	return o.text(key)
}

// jsonText is a text, or JSON that becomes its compact text.
func (o *object) jsonText(key string) string {
	v := o.get(key)
	switch {
	case v == nil:
		return ""
	case v.isObject || v.isList:
		return compact(v.raw())
	}
	switch s := v.scalar.(type) {
	case string:
		return s
	case bool:
		return strconv.FormatBool(s)
	}
	o.wrong(v, "JSON or JSON as a text")
	return ""
}

func compact(raw []byte) string {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // it has been parsed before
	return b.String()
}

func (o *object) yes(key string) bool {
	v := o.get(key)
	if v == nil {
		return false
	}
	b, ok := v.scalar.(bool)
	if !ok {
		o.wrong(v, "true or false")
	}
	return b
}

func (o *object) number(key string) *float64 {
	v := o.get(key)
	if v == nil {
		return nil
	}
	n, ok := v.scalar.(json.Number)
	if !ok {
		o.wrong(v, "a number")
		return nil
	}
	f, err := n.Float64()
	if err != nil && o.err == nil {
		o.err = v.fail("the number is too large")
	}
	return &f
}

// texts reads a text or a list of texts.
func (o *object) texts(key string) (list []string) {
	v := o.get(key)
	if v == nil {
		return nil
	}
	items := v.items
	if !v.isList {
		items = []*value{v}
	}
	for _, item := range items {
		text, ok := item.scalar.(string)
		if !ok {
			o.wrong(v, "a text or a list of texts")
			return nil
		}
		list = append(list, text)
	}
	return list
}

func (o *object) list(key string) []*value {
	v := o.get(key)
	if v == nil {
		return nil
	}
	if !v.isList {
		o.wrong(v, "a list")
	}
	return v.items
}

// extra are properties that only have to be kept: what a node in Neo4j can hold.
func (o *object) extra() map[string]any {
	v := o.get("extra")
	if v == nil {
		return nil
	}
	if !v.isObject {
		o.wrong(v, "an object")
		return nil
	}
	var m map[string]any
	for i, key := range v.keys {
		p := v.items[i]
		if p.isNull() {
			continue
		}
		property, ok := o.property(p)
		if !ok {
			if o.err == nil {
				o.err = p.fail("a property is a text, a number, true or false, or a list of one of these; write anything else as a text")
			}
			return nil
		}
		if m == nil {
			m = map[string]any{}
		}
		m[key] = property
	}
	return m
}

// property converts what Neo4j can store; false for anything else.
func (o *object) property(v *value) (any, bool) {
	if !v.isList {
		return o.scalar(v)
	}
	list := make([]any, len(v.items))
	for i, item := range v.items {
		var ok bool
		if list[i], ok = o.scalar(item); !ok || item.is() != v.items[0].is() {
			return nil, false
		}
	}
	return oneNumberType(list), true
}

// oneNumberType makes all numbers of a list floats when one is, as the database does.
func oneNumberType(list []any) []any {
	if !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(float64); return ok }) {
		return list
	}
	for i, v := range list {
		if n, ok := v.(int64); ok {
			list[i] = float64(n)
		}
	}
	return list
}

func (o *object) scalar(v *value) (any, bool) {
	switch s := v.scalar.(type) {
	case string, bool:
		return s, true
	case json.Number:
		if !strings.ContainsAny(s.String(), ".eE") {
			if n, err := s.Int64(); err == nil {
				return n, true
			}
		}
		f, err := s.Float64()
		return f, err == nil
	}
	return nil, false
}
