package main

import "strings"

// splitList splits a list with commas or blanks.
func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
