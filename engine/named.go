package engine

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A namedValue is a value that a function keeps under a name of its own, beside its output:
// the value itself, or values to be added to the list that stands there.
type namedValue struct {
	name   string
	value  json.RawMessage
	adds   bool
	first  []json.RawMessage // adds: before the others where the list is empty
	values []json.RawMessage
}

func (a *attempt) Set(name string, value json.RawMessage) {
	a.name(namedValue{name: name, value: append(json.RawMessage(nil), value...)})
}

func (a *attempt) Append(name string, first, values []json.RawMessage) {
	a.name(namedValue{name: name, adds: true, first: copied(first), values: copied(values)})
}

func (a *attempt) name(v namedValue) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.named = append(a.named, v)
}

func copied(list []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, v := range list {
		out[i] = append(json.RawMessage(nil), v...)
	}
	return out
}

// setNamed keeps the values a function gave names of their own; all of them or none.
func (r *steps) setNamed(a *attempt) *failure {
	values := make([]json.RawMessage, len(a.named))
	grown := map[string]json.RawMessage{} // lists that several entries add to
	for i, n := range a.named {
		value := n.value
		if n.adds {
			list, err := r.grow(n, grown[n.name])
			if err != nil {
				return &failure{kind: KindOutputInvalid, final: true, message: fmt.Sprintf("nothing can be added to the value %q: %v", n.name, err)}
			}
			if value = list; value == nil {
				continue
			}
		}
		switch {
		case r.def.Step(n.name) != nil:
			return &failure{kind: KindOutputInvalid, final: true, message: fmt.Sprintf("the value %q cannot be kept: a step has that name", n.name)}
		case n.name == "" || !json.Valid(value):
			return &failure{kind: KindOutputInvalid, final: true, message: fmt.Sprintf("the value %q has no name, or is not valid JSON", n.name)}
		}
		if problem := r.tooLarge(len(value)); problem != "" {
			return &failure{kind: KindTooLarge, message: problem, final: true}
		}
		values[i], grown[n.name] = value, value
	}
	for i, n := range a.named {
		if values[i] != nil {
			r.keepOutput(n.name, values[i], 0)
		}
	}
	return nil
}

// grow is the list that stands under a name, or so far, with what is added to it; nil when
// that is nothing.
func (r *steps) grow(n namedValue, soFar json.RawMessage) (json.RawMessage, error) {
	list := []json.RawMessage{}
	if soFar == nil {
		found, ok, err := r.ledger.Output(n.name, -1)
		if err != nil {
			return nil, err
		}
		if ok {
			soFar = found
		}
	}
	if soFar != nil && (json.Unmarshal(soFar, &list) != nil || list == nil) {
		list = []json.RawMessage{} // a text or nothing: what is not a list begins one
	}
	switch {
	case len(list) == 0:
		list = append(list, n.first...)
	case len(n.values) == 0:
		return nil, nil
	}
	return jsontext.Marshal(append(list, n.values...))
}
