package native

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/internal/near"
)

// An object takes fields out of a JSON object and reports each that is wrong. A wrong field
// counts as absent, so that the rest of the file is checked as well.
type object struct {
	*value
	faults  *faults
	instead []string // keys that unknown ones stand for: these are not missing as well
}

// asObject checks the type and the keys of a value.
func asObject(v *value, known []string, f *faults) object {
	o := object{value: v, faults: f}
	if !v.isObject {
		f.add(v.fail("want an object, got " + v.is()))
		return o
	}
	for i, key := range v.keys {
		if !slices.Contains(known, key) {
			key, text := meant(key, known)
			f.add(v.items[i].fail("unknown key; " + text))
			o.instead = append(o.instead, key)
		}
	}
	return o
}

// otherWords are keys that other systems use for ours.
var otherWords = map[string]string{
	"from": "source", "to": "target", "when": "condition", "if": "condition", "conditions": "condition", "expression": "condition",
	"inputs": "input", "args": "input", "arguments": "input", "params": "input", "parameters": "input", "with": "input",
	"type": "function", "action": "function", "uses": "function", "call": "function", "title": "name", "retries": "retry",
	"nodes": "steps", "tasks": "steps", "states": "steps", "edges": "paths", "connections": "paths", "transitions": "paths", "links": "paths",
}

// meant says which key an unknown one probably stands for, or lists all.
func meant(key string, known []string) (stands, text string) {
	if other := otherWords[strings.ToLower(key)]; slices.Contains(known, other) {
		return other, "did you mean " + strconv.Quote(other) + "?"
	}
	if found := near.Names(key, known, 1); len(found) > 0 && len(key) > 2 {
		return found[0], "did you mean " + strconv.Quote(found[0]) + "?"
	}
	switch {
	case slices.Contains(known, "function") && slices.Contains([]string{"prompt", "message", "user", "system", "url", "options", "schema", "template", "code", "value"}, key):
		return "", "it belongs into \"input\": {\"" + key + "\": …}"
	case slices.Contains(known, "function") && slices.Contains([]string{"next", "goto", "paths", "transitions", "on_success"}, strings.ToLower(key)):
		return "", "where a step leads to stands in \"paths\" of the document, as {\"source\": …, \"target\": …}"
	}
	text = "known are " + strings.Join(known, ", ")
	if slices.Contains(known, "extra") {
		text += " (properties of your own go into extra)"
	}
	return "", text
}

func (o *object) wrong(v *value, want string) {
	o.faults.add(v.fail("want " + want + ", got " + v.is()))
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
	if v := o.get(key); v == nil || v.scalar == "" {
		if o.isObject && !slices.Contains(o.instead, key) {
			o.faults.add(o.fail(key + " is missing"))
		}
		return ""
	}
	return o.text(key)
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

// jsonText is a text, or JSON that becomes its compact text. example is what it may look like.
func (o *object) jsonText(key, example string) string {
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
	o.wrong(v, "an object, such as "+example)
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
	if err != nil {
		o.faults.add(v.fail("the number is too large"))
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
		return nil
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
			o.faults.add(p.fail("a property is a text, a number, true or false, or a list of one of these; write anything else as a text"))
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
