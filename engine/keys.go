package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

func isSentinel(err, sentinel error) bool { return errors.Is(err, sentinel) }

// escapeKey takes the slashes out of a caller's key: a request's id is session/key, and
// child sessions have slashes in their ids.
func escapeKey(key string) string {
	return strings.NewReplacer("%", "%25", "/", "%2F").Replace(key)
}

func keyOr(key string, fresh func() string) string {
	if key != "" {
		return key
	}
	return fresh()
}

func workflowOf(name string) string {
	if name == "" {
		return DefaultWorkflow
	}
	return name
}

func compactJSON(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

func containsText(list []string, text string) bool {
	for _, t := range list {
		if t == text {
			return true
		}
	}
	return false
}
