package agentzero

import "encoding/json"

// topLevel is a flow without its nodes and edges: viewport and whatever else stands there.
func topLevel(src []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(src, &all) != nil {
		return "{}"
	}
	for _, key := range []string{"nodes", "edges", "name", "description"} {
		delete(all, key)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "{}"
	}
	return string(text)
}
