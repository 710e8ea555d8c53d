package references_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/references"
)

type large json.RawMessage

func (l large) Output(string, int) (json.RawMessage, bool, error) {
	return json.RawMessage(l), true, nil
}

// TestResolvingIsBounded resolves 300 references to one output of 900 KB, 270 MB in all, and
// measures what that allocates.
func TestResolvingIsBounded(t *testing.T) {
	const limit, bound = 4 << 20, 24 << 20
	out := large(`{"t":"` + strings.Repeat("x", 900_000) + `"}`)
	for name, text := range map[string]string{
		"template": `{"a":"` + strings.Repeat("@{SESSION_ID}.s.t ", 300) + `"}`,
		"fields":   `{"a":[` + strings.TrimSuffix(strings.Repeat(`"@{SESSION_ID}.s.t",`, 300), ",") + `]}`,
		"joined":   `{"a":{"@text":[` + strings.TrimSuffix(strings.Repeat(`"@{SESSION_ID}.s.t",`, 300), ",") + `]}}`,
	} {
		in, err := references.ParseInput([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = in.Resolve(references.Scope{Session: "s", Outputs: out, Limit: limit})
		runtime.ReadMemStats(&after)
		var tooLarge *references.TooLargeError
		if !errors.As(err, &tooLarge) || tooLarge.Limit != limit {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > bound {
			t.Errorf("%s allocated %d bytes, want at most %d", name, used, bound)
		}
	}
	in, err := references.ParseInput([]byte(`{"code":"` + strings.Repeat("f(@{SESSION_ID}.s.t);", 1) + strings.Repeat("g(@{SESSION_ID}.s);", 5) + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := in.ResolveProgram(references.Scope{Session: "s", Outputs: out, Limit: 1 << 20}, references.ProgramField{Key: "code"}); !errors.As(err, new(*references.TooLargeError)) {
		t.Errorf("program: %v", err)
	}
}
