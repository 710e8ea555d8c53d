package engine

import (
	"sort"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// sourceOf reads the source step out of a path's name; "" for a stored id.
func sourceOf(path string) string {
	source, _, ok := strings.Cut(path, ">")
	if !ok {
		return ""
	}
	return source
}
