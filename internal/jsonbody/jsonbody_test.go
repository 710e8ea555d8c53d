package jsonbody

import (
	"errors"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	for _, c := range []struct{ text, want string }{
		{`{"a": [1, "[{\"", null]}`, ""},
		{nested(MaxDepth), ""},
		{nested(MaxDepth + 1), "nested deeper than 200 levels at byte 200"},
		{`"` + strings.Repeat(`[`, 300) + `"`, ""},
		{`{"a": "\\"}`, ""},
		{strings.Repeat(`{"a":`, 1e6), "nested deeper"},
		{`{"a": }`, "invalid character '}' looking for beginning of value at byte 7"},
		{`{} {}`, "invalid character '{' after top-level value at byte 4"},
		{``, "unexpected end"},
		{"\"\xff\"", "not UTF-8"},
	} {
		err := Check([]byte(c.text))
		if c.want == "" {
			if err != nil {
				t.Errorf("%.40s: %v", c.text, err)
			}
			continue
		}
		if !errors.Is(err, ErrNotJSON) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: got %v, want %q", c.text, err, c.want)
		}
	}
}
