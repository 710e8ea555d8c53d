package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// validated are the problems of a file as -o json gives them.
func validated(t *testing.T, text string) (found []struct {
	Level, Step, Path, Code, Message string
	Line                             int
}) {
	t.Helper()
	file := write(t, filepath.Join(t.TempDir(), "flow.json"), text)
	got := invoke(t, "", nil, "validate", "-o", "json", file)
	var out struct{ Problems json.RawMessage }
	if got.code != exitFailed || json.Unmarshal([]byte(got.out), &out) != nil || json.Unmarshal(out.Problems, &found) != nil {
		t.Fatalf("exit %d: %s%s", got.code, got.out, got.err)
	}
	return found
}

// Programs read each reason for which a flow is refused by its own code, with what it is about.
func TestValidateTellsEachFault(t *testing.T) {
	found := validated(t, `{"nodes": [
{"id": "in", "type": "input"}, {"id": "a", "type": "robot"},
{"id": "g", "type": "condition", "data": {"expression": "open(input)"}}, {"id": "out", "type": "output"}], "edges": [
{"id": "e", "source": "in", "target": "nobody"}]}`)
	if len(found) != 3 {
		t.Fatalf("got %+v", found)
	}
	for i, want := range []struct {
		code, step, path string
		line             int
	}{{"node_type", "a", "", 2}, {"expression_forbidden", "g", "", 3}, {"unknown_node", "", "e", 4}} {
		if got := found[i]; got.Level != levelError || got.Code != want.code || got.Step != want.step || got.Path != want.path || got.Line != want.line {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestValidateRecordedFlows(t *testing.T) {
	var file struct {
		Flows []struct {
			Name   string
			Flow   json.RawMessage
			Expect struct {
				Code  string
				Where []string
			}
		}
	}
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "agentzero"), "09-invalid-flows.json"), &file)
	for _, c := range file.Flows {
		found := validated(t, string(c.Flow))
		if len(found) != 1 || found[0].Code != c.Expect.Code || strings.Join(c.Expect.Where, "") != "" && found[0].Step+found[0].Path != c.Expect.Where[0] {
			t.Errorf("%s: got %+v, want %+v", c.Name, found, c.Expect)
		}
	}
}
