package conditions

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Truth returns the truth value of a value given as JSON text, nil for a missing value. These
// are false: missing, null, false, a number that is zero, empty text, the text "false" in any
// case, an empty list and an empty object.
func Truth(value json.RawMessage) bool {
	text := bytes.Trim(value, blanks)
	if len(text) == 0 {
		return false
	}
	switch text[0] {
	case '"':
		return textTruth(text)
	case '[', '{':
		return len(bytes.Trim(text[1:max(1, len(text)-1)], blanks)) > 0
	case 't':
		return true
	case 'f', 'n':
		return false
	}
	return numberTruth(text)
}

const blanks = " \t\r\n"

// textTruth judges a JSON string. Escapes are decoded only where the text is
// short enough to be "false" in its longest spelling.
func textTruth(quoted []byte) bool {
	const longest = len(`"\u0066\u0061\u006c\u0073\u0065"`)
	if len(quoted) > longest {
		return true
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return true
	}
	// The length keeps letters out that fold to ASCII, such as the long s.
	return text != "" && !(len(text) == len("false") && strings.EqualFold(text, "false"))
}

// numberTruth looks for a digit other than 0 before the exponent. The literal
// decides, so 1e-400 is true although a float64 makes it 0.
func numberTruth(literal []byte) bool {
	if e := bytes.IndexAny(literal, "eE"); e >= 0 {
		literal = literal[:e]
	}
	return bytes.ContainsAny(literal, "123456789")
}
