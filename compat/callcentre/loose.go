package callcentre

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A looseText is a text field that files also contain as the JSON value it encodes: mock data,
// headers, bodies, variables. Such a value is converted to its JSON text.
type looseText string

// UnmarshalJSON implements json.Unmarshaler; null is not text.
func (t *looseText) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*t = looseText(text)
		return nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		return err
	}
	*t = looseText(compact.String())
	return nil
}

// A looseNumber is a number or the text of a number.
type looseNumber float64

// UnmarshalJSON implements json.Unmarshaler; an empty text and null are 0.
func (n *looseNumber) UnmarshalJSON(b []byte) error {
	text := string(b)
	if b[0] == '"' {
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
	}
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		*n = 0
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return &json.UnmarshalTypeError{Value: fmt.Sprintf("%.40s", b), Type: reflect.TypeFor[float64]()}
	}
	*n = looseNumber(v)
	return nil
}
