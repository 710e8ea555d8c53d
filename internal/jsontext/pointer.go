package jsontext

import "strings"

var (
	tokenEscapes   = strings.NewReplacer("~", "~0", "/", "~1")
	tokenUnescapes = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapeToken writes a key as a reference token of a JSON Pointer (RFC 6901).
func EscapeToken(key string) string { return tokenEscapes.Replace(key) }

// UnescapeToken returns the key that a reference token of a JSON Pointer stands for.
func UnescapeToken(token string) string { return tokenUnescapes.Replace(token) }
