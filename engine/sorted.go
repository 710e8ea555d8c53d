package engine

import "strings"

// sourceOf returns the source step in a path's name; "" for a stored id.
func sourceOf(path string) string {
	source, _, ok := strings.Cut(path, ">")
	if !ok {
		return ""
	}
	return source
}
