package lenient_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/internal/lenient"
)

// TestRecorded reads the texts that a system which takes JSON5 was recorded with.
func TestRecorded(t *testing.T) {
	type recorded struct {
		ID, Fn        string
		Input, Output json.RawMessage
		Error         string
	}
	read := 0
	for _, name := range []string{"misc", "state"} {
		var file struct{ Cases []recorded }
		fixtures.Read(t, filepath.Join(fixtures.Folder(t, "flowise/logic"), name+".json"), &file)
		for _, c := range file.Cases {
			var in struct{ Body, Output, IterationInput json.RawMessage }
			if c.Fn != "parseJsonBody" && c.Fn != "parseOutput" && c.Fn != "Iteration.run" || json.Unmarshal(c.Input, &in) != nil {
				continue
			}
			var text string
			if json.Unmarshal(bytes.Join([][]byte{in.Body, in.Output, in.IterationInput}, nil), &text) != nil {
				continue // a value that is not text
			}
			read++
			got, err := lenient.Parse(text)
			switch {
			case c.Fn == "parseOutput" && err != nil:
				got, err = json.RawMessage(in.Output), nil // kept
			case c.Fn == "Iteration.run" && err == nil && !bytes.HasPrefix(got, []byte("[")):
				if c.Error == "" {
					t.Errorf("%s: %s is not a list", c.ID, got)
				}
				continue
			}
			var want bytes.Buffer
			if c.Error == "" {
				if err := json.Compact(&want, c.Output); err != nil {
					t.Fatal(err)
				}
			}
			if (err != nil) != (c.Error != "") || err == nil && string(got) != want.String() {
				t.Errorf("%s: %s gives %s, %v, want %s %s", c.ID, text, got, err, want.String(), c.Error)
			}
		}
	}
	if read < 13 {
		t.Errorf("only %d cases were read", read)
	}
}
