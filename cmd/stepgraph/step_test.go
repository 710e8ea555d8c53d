package main

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// One step alone prints what it gives: so a connection of a call centre is tested.
func TestStepRunPrintsTheOutput(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "desk.json"), `{"nodes": [{"id": "r", "type": "routerNode"},
		{"id": "i", "type": "integrationNode", "data": {"integrationType": "mock", "mockOutput": "{\"room\": 12}"}}, {"id": "j", "type": "integrationNode", "data": {"integrationType": "rest"}}], "edges": []}`)
	for step, want := range map[string]string{"i": `{"room":12} 7`, "j": " REST_NO_URL"} {
		got := invoke(t, "", nil, "step", "run", file, step, "--input", `arguments={"number": 7}`)
		var out struct {
			Data      json.RawMessage
			ErrorCode string
			Raw       struct {
				Metadata struct {
					Received struct{ Number json.Number } `json:"args_received"`
				}
			}
		}
		if got.code != 0 || json.Unmarshal([]byte(got.out), &out) != nil {
			t.Fatalf("exit %d: %s%s", got.code, got.out, got.err)
		}
		found := " " + out.ErrorCode
		if out.ErrorCode == "" {
			found = string(out.Data) + " " + out.Raw.Metadata.Received.Number.String()
		}
		if found != want {
			t.Errorf("%s: got %s, want %s", step, got.out, want)
		}
	}
}
