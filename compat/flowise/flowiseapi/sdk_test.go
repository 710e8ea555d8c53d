package flowiseapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/api"
)

// runNode installs the packages that a folder of testdata locks, in a copy of it, and runs
// its client.mjs.
func runNode(t *testing.T, folder string, arguments ...string) []byte {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: clients of other systems are tested as they are published (Node 18 or newer)", program)
		}
	}
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(filepath.Join("testdata", folder))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = work
	if text, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, text)
	}
	client := exec.CommandContext(ctx, "node", append([]string{"client.mjs"}, arguments...)...)
	client.Dir = work
	var out, talk bytes.Buffer
	client.Stdout, client.Stderr = &out, &talk
	if err := client.Run(); err != nil {
		t.Fatalf("node: %v\n%s%s", err, out.Bytes(), talk.Bytes())
	}
	return out.Bytes()
}

// What users of Flowise's own client do works as it stands.
func TestFlowiseClient(t *testing.T) {
	s := newServer(t, nil)
	greets, asks := s.save("greets", greetingFlow, nil), s.save("asks", askingFlow, nil)
	guarded := s.serve(api.Options{Token: "key"})
	got := map[string]json.RawMessage{}
	for _, line := range strings.Split(strings.TrimSpace(string(runNode(t, "flowise-sdk", guarded, "key", greets, asks))), "\n") {
		var one struct {
			Name  string
			Value json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got[one.Name] = one.Value
	}
	checkAnswers(t, got)
	checkStreams(t, got)
	var refused struct {
		StatusCode int
		Success    bool
		Message    string
	}
	if err := json.Unmarshal(got["unknown flow"], &refused); err != nil || refused.StatusCode != 404 || refused.Success ||
		refused.Message != "Chatflow 00000000-0000-4000-8000-000000000000 not found in the database!" {
		t.Errorf("unknown flow: %s", got["unknown flow"])
	}
	if !strings.Contains(string(got["wrong key"]), "unauthorized") {
		t.Errorf("wrong key: %s", got["wrong key"])
	}
}

func checkAnswers(t *testing.T, got map[string]json.RawMessage) {
	t.Helper()
	for name, want := range map[string]string{
		"prediction": "Hello Ada", "again": "Hello Ben", "asks": "\n\nAll right?", "resumed": "stopped: shorter",
	} {
		var answer struct{ Text, ChatID, SessionID, ExecutionID, ChatMessageID string }
		if err := json.Unmarshal(got[name], &answer); err != nil || answer.Text != want {
			t.Errorf("%s: %s, want %q", name, got[name], want)
		}
		if answer.ChatID == "" || answer.SessionID != answer.ChatID || answer.ExecutionID == "" || answer.ChatMessageID == "" {
			t.Errorf("%s has no ids: %s", name, got[name])
		}
	}
}

func checkStreams(t *testing.T, got map[string]json.RawMessage) {
	t.Helper()
	for name, want := range map[string]string{
		"stream": "agentFlowEvent INPROGRESS, nextAgentFlow, nextAgentFlow, agentFlowExecutedData, nextAgentFlow, token Hello Cleo, " +
			"nextAgentFlow, agentFlowExecutedData, agentFlowEvent FINISHED, metadata, end [DONE]",
		"asks in a stream": "agentFlowEvent INPROGRESS, nextAgentFlow, nextAgentFlow, agentFlowExecutedData, nextAgentFlow, token stopped: shorter\n\nAll right?, " +
			"nextAgentFlow, agentFlowExecutedData, agentFlowEvent STOPPED, action, agentFlowEvent STOPPED, metadata, end [DONE]",
		"resumed in a stream": "agentFlowEvent INPROGRESS, nextAgentFlow, nextAgentFlow, agentFlowExecutedData, nextAgentFlow, token sent, " +
			"nextAgentFlow, agentFlowExecutedData, agentFlowEvent FINISHED, metadata, end [DONE]",
	} {
		var events []struct {
			Event string
			Data  any
		}
		if err := json.Unmarshal(got[name], &events); err != nil {
			t.Errorf("%s: %s", name, got[name])
		}
		var told []string
		for _, e := range events {
			if text, ok := e.Data.(string); ok {
				e.Event += " " + text
			}
			told = append(told, e.Event)
		}
		if text := strings.Join(told, ", "); text != want {
			t.Errorf("%s:\n got  %q\n want %q", name, text, want)
		}
	}
}
