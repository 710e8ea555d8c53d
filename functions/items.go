package functions

import (
	"bytes"
	"encoding/json"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// items reads a list, or the JSON text of a list, as models and people write it.
func items(name string, given json.RawMessage) ([]json.RawMessage, error) {
	text := given
	if len(given) > 0 && given[0] == '"' {
		text = json.RawMessage(input.TextOf(given))
	}
	list := []json.RawMessage{}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) && json.Unmarshal(text, &list) == nil {
		return list, nil
	}
	return nil, input.Bad("%s: want a list, not %s", name, abridged(orNull(given)))
}
