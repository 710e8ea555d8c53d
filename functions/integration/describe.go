package integration

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

const (
	summaryKeys  = 5
	summaryDepth = 2
	summaryText  = 50 // characters of a text
)

// summary describes the data in a few words: the first keys, the first element of each list,
// to a small depth.
func summary(data json.RawMessage) string { return summarise(data, 0) }

func summarise(value json.RawMessage, depth int) string {
	if depth > summaryDepth {
		return "..."
	}
	switch value[0] {
	case '{':
		return summaryOfObject(value, depth)
	case '[':
		list := elements(value)
		if len(list) == 0 {
			return "[0 items]"
		}
		return fmt.Sprintf("[%d items: %s]", len(list), summarise(list[0], depth+1))
	case '"':
		text := []rune(input.TextOf(value))
		if len(text) > summaryText {
			return `"` + string(text[:summaryText]) + `..."`
		}
		return `"` + string(text) + `"`
	}
	return plainNumber(string(value))
}

// plainNumber writes a number without exponent and trailing zeros: 12.5 for 12.50, 1000 for
// 1e3. A text that is not a number, or is too long, is returned unchanged.
func plainNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") || text == "true" || text == "false" {
		return text
	}
	n, err := strconv.ParseFloat(text, 64)
	if size := math.Abs(n); err != nil || size >= 1e21 || size != 0 && size < 1e-6 {
		return text
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func summaryOfObject(value json.RawMessage, depth int) string {
	fields, err := input.Parse(value)
	if err != nil {
		return "{}"
	}
	var parts []string
	for i, f := range fields {
		if i == summaryKeys {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, f.Name+": "+summarise(f.Value, depth+1))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// structure describes the shape of the data.
func structure(data json.RawMessage) string {
	switch data[0] {
	case '{':
		return strings.TrimRight("object with fields: "+strings.Join(keys(data), ", "), " ")
	case '[':
		list := elements(data)
		if len(list) == 0 {
			return "array[0]"
		}
		return fmt.Sprintf("array[%d] of %s", len(list), structure(list[0]))
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// elements returns the elements of a list, each as compact JSON.
func elements(list json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	if json.Unmarshal(list, &all) != nil {
		return nil
	}
	return all
}
