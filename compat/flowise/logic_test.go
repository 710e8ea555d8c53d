package flowise_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// A logicCase is one call of a function of Flowise with what came of it.
type logicCase struct {
	ID     string
	Fn     string
	Input  json.RawMessage
	Output json.RawMessage
	Error  string
}

func logic(t *testing.T, name string) []logicCase {
	t.Helper()
	var file struct{ Cases []logicCase }
	readLogic(t, name, &file)
	return file.Cases
}

func readLogic(t *testing.T, name string, into any) {
	t.Helper()
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "flowise"), "logic", name+".json"), into)
}

// Both rules of connections, as Studio asks for them.
func TestConnections(t *testing.T) {
	asked := 0
	for _, c := range logic(t, "ids_and_connections") {
		var in struct {
			flowise.Connection
			Whole flowise.Connection `json:"connection"`
			Edges []flowise.Connection
			Nodes []struct {
				Data struct{ InputAnchors, InputParams []flowise.Anchor }
			}
		}
		var got bool
		switch c.Fn {
		case "isValidConnectionAgentflowV2":
			if err := json.Unmarshal(c.Input, &in); err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			got = flowise.CanFollow(in.Connection, in.Edges)
		case "isValidConnection":
			if err := json.Unmarshal(c.Input, &in); err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			anchors := append(in.Nodes[0].Data.InputAnchors, in.Nodes[0].Data.InputParams...)
			got = flowise.CanConnect(in.Whole, in.Edges, anchors)
		default:
			continue
		}
		asked++
		if want := string(c.Output) == "true"; got != want {
			t.Errorf("%s: %t, want %t", c.ID, got, want)
		}
	}
	if asked == 0 {
		t.Error("no case was asked")
	}
}
