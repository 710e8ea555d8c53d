package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/models/internal/wire"
)

func TestEncode(t *testing.T) {
	type request struct {
		Model string `json:"model"`
	}
	for want, extra := range map[string]map[string]json.RawMessage{
		`{"model":"m"}`:                      nil,
		`{"model":"m","a.b":[1],"top_k":40}`: {"top_k": json.RawMessage(`40`), "a.b": json.RawMessage(`[1]`)},
	} {
		if got, err := wire.Encode(request{"m"}, extra); err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
	if _, err := wire.Encode(request{"m"}, map[string]json.RawMessage{"x": json.RawMessage(`{`)}); err == nil {
		t.Error("an extra parameter that is not valid JSON was sent")
	}
}
