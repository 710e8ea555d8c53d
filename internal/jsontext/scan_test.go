package jsontext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// FuzzScanner: the scanner takes what encoding/json takes, and hands out the members that gjson finds.
func FuzzScanner(f *testing.F) {
	for _, text := range []string{
		``, ` `, `{}`, ` { } `, `[]`, ` [ ] `, `[1 , 2]`, `[1,]`, `[,1]`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" : {"b":[1,{"c":null}]} , "d":"e"}`,
		`{"a":1}x`, `{"a":1} {}`, `01`, `-`, `-0`, `1.`, `1.5e`, `1E+2`, `.5`, `+1`, `0x`, `1e5`, `tru`, `true `, `nul`, `null`, `falsey`, `"`, `"a`, `"a\`, `"\q"`, `"\u12g4"`,
		`"\u00e9\ud83d\ude00"`, "\"\x01\"", "\"\xff\"", "\"\x7f\"", `{"a\"b":1}`, `{"\u0061":1,"a":2}`, `{"a":1 "b":2}`, `[1 2]`, `{"a":1]`, `[1}`, `{1:2}`, "\ufeff{}", "{\"a\":\"\u2028\"}",
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
		strings.Repeat(`{"a":`, maxDepth-1) + "[]" + strings.Repeat("}", maxDepth-1), strings.Repeat(`{"a":`, maxDepth) + "[]" + strings.Repeat("}", maxDepth),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := NewScanner(text)
		raw := s.Raw()
		valid := json.Valid(text)
		if s.Valid() != valid {
			t.Fatalf("valid is %v, want %v: %.200q", s.Valid(), valid, text)
		}
		if valid && string(raw) != strings.Trim(string(text), " \t\r\n") {
			t.Errorf("the value is %.80q, want that of %.80q", raw, text)
		}
		s = NewScanner(text)
		var found, want []Field
		switch s.Next() {
		case '{':
			s.Object(func(key string) { found = append(found, Field{key, s.Raw()}) })
		case '[':
			s.Array(func() { found = append(found, Field{"", s.Raw()}) })
		default:
			return
		}
		if s.Valid() != valid {
			t.Fatalf("by members valid is %v, want %v: %.200q", s.Valid(), valid, text)
		}
		if !valid {
			return
		}
		gjson.ParseBytes(text).ForEach(func(k, v gjson.Result) bool {
			key := k.String()
			if k.Type != gjson.String { // the place in an array
				key = ""
			}
			want = append(want, Field{key, json.RawMessage(v.Raw)})
			return true
		})
		if len(found) != len(want) {
			t.Fatalf("found %d members, want %d: %.200q", len(found), len(want), text)
		}
		for i := range want {
			if found[i].Key != want[i].Key || string(found[i].Value) != string(want[i].Value) {
				t.Errorf("member %d is %.80q, want %.80q", i, found[i], want[i])
			}
		}
	})
}
