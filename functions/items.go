package functions

import (
	"bytes"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/lenient"
)

// A listing says how a list of items is read. The zero value takes JSON alone.
type listing struct {
	Lenient bool   // JSON5 too, and JSON that an editor has escaped
	Error   string // in place of our own message
}

// items reads a list that is given as such or, as models and people write it, as JSON text.
func items(name string, given json.RawMessage) ([]json.RawMessage, error) {
	return listing{}.items(name, given)
}

func (l listing) items(name string, given json.RawMessage) ([]json.RawMessage, error) {
	text, why := given, ""
	if len(given) > 0 && given[0] == '"' {
		text = json.RawMessage(input.TextOf(given))
		if l.Lenient {
			read, err := lenient.Parse(string(text))
			if err != nil {
				why = ": " + err.Error()
			}
			text = read
		}
	}
	list := []json.RawMessage{}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) && json.Unmarshal(text, &list) == nil {
		return list, nil
	}
	if l.Error != "" {
		return nil, &engine.CallError{Kind: engine.KindBadInput, Message: l.Error}
	}
	return nil, input.Bad("%s: want a list, not %s%s", name, abridged(orNull(given)), why)
}

// check is items for what is known when a workflow is loaded. What the step has words of its
// own for is left to them.
func (l listing) check(name string, given json.RawMessage) error {
	if l.Error != "" {
		return nil
	}
	_, err := l.items(name, given)
	return err
}
