package jsontext_test

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

func TestStringIsWhatEncodingJSONReads(t *testing.T) {
	for _, text := range []string{"", "a", "<&>", "\"\\\n\r\t\x00\x1f", "é\u2028漢", "\xff\xfe", "a\xc3"} {
		var read string
		if err := json.Unmarshal(jsontext.String(text), &read); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if want := string([]rune(text)); read != want {
			t.Errorf("%q is read as %q, want %q", text, read, want)
		}
	}
	if got := string(jsontext.String("<&>")); got != `"<&>"` {
		t.Errorf("got %s, want nothing escaped", got)
	}
}

func TestWithReplacesAndKeepsOrder(t *testing.T) {
	got := jsontext.With([]byte(`{"z": 1.50, "a": {"b" : 2}, "n": null}`), []jsontext.Field{{Key: "a", Value: []byte("3")}, {Key: "new", Value: []byte("[]")}})
	if want := `{"z":1.50,"n":null,"a":3,"new":[]}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if fields := jsontext.Fields(got); len(fields) != 4 || fields[0].Key != "z" || string(fields[0].Value) != "1.50" {
		t.Errorf("fields are %v", fields)
	}
}
