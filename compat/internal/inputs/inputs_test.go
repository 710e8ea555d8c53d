package inputs_test

import (
	"testing"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
)

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{inputs.Of("z", 1, "a", nil, "b", "<&>"), `{"z":1,"b":"<&>"}`},
		{inputs.Of(), `{}`},
		{inputs.Of("list", []any{inputs.Of("n", true), "x"}), `{"list":[{"n":true},"x"]}`},
		{inputs.Literal("plain $ {text}"), `"plain $ {text}"`},
		{inputs.Literal("not @{SESSION_ID}.a"), `{"@literal":"not @{SESSION_ID}.a"}`},
		{inputs.Joined("\n\n", "a", inputs.RefOr("b.text")), `{"@text":["a","@{SESSION_ID}.b.text|"],"@join":"\n\n"}`},
	} {
		if got := inputs.Encode(c.value); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestEncodePanicsOnWhatHasNoForm(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a func has a JSON text")
		}
	}()
	inputs.Encode(inputs.Of("f", func() {}))
}
