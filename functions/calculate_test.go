package functions_test

import (
	"encoding/json"
	"testing"
)

func TestCalculate(t *testing.T) {
	for in, want := range map[string]string{
		`{"expression":"6*7"}`:             `{"result":42,"text":"42"}`,
		`{"input":"0.1 + 0.2"}`:            `{"result":0.30000000000000004,"text":"0.30000000000000004"}`,
		`{"expression":5}`:                 `{"result":5,"text":"5"}`,
		`{"expression":"2^80"}`:            `{"result":1.2089258196146292e+24,"text":"1.2089258196146292e+24"}`,
		`{"expression":"1+1","input":"3"}`: `{"result":2,"text":"2"}`,
	} {
		if out, err := standard(t.Context(), t, "calculate", in); err != nil || string(out) != want {
			t.Errorf("%s: %s, %v, want %s", in, out, err, want)
		}
	}
	for in, want := range map[string]string{
		`{}`:                          "expression: is missing, so there is nothing to work out",
		`{"expression":"two"}`:        `expression: column 1: there is no "two" here`,
		`{"input":"\u0000","x":"y"}`:  `expression: column 1: want a number, not "\x00"`,
		`{"expression":{"a":[1, 2]}}`: `expression: column 1: want a number, not "{"`,
	} {
		if out, err := standard(t.Context(), t, "calculate", in); err == nil || err.Error() != want {
			t.Errorf("%s: %s, %v, want %s", in, out, err, want)
		}
	}
}

func TestCheckCalculate(t *testing.T) {
	for in, bad := range map[string]bool{
		`{}`: false, `{"expression":"1+"}`: true, `{"expression":"1+1"}`: false, `{"input":"1+"}`: true,
		`{"expression":"1+ @{SESSION_ID}.a.b"}`: false, `{"expression":""}`: false,
	} {
		if problems := find("calculate").Check(json.RawMessage(in)); (problems != nil) != bad {
			t.Errorf("%s: %v", in, problems)
		}
	}
}
