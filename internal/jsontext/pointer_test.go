package jsontext

import "testing"

func TestTokens(t *testing.T) {
	for key, token := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "m~n": "m~0n", "~1": "~01", "~/~": "~0~1~0"} {
		if got := EscapeToken(key); got != token {
			t.Errorf("%q is written as %q, want %q", key, got, token)
		}
		if got := UnescapeToken(token); got != key {
			t.Errorf("%q is read as %q, want %q", token, got, key)
		}
	}
}
