package functions_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/shell"
	"github.com/stepgraph/stepgraph/models"
)

// playTool plays an agent whose model calls its one tool with the given arguments, and
// returns what the model was told.
func playTool(t *testing.T, step, path, arguments string, o functions.Options) string {
	t.Helper()
	m := &caller{arguments: arguments}
	o.Models, o.AllowNet = m, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	o.Getenv = func(name string, _ *url.URL) (string, bool) { return canary, name == "ANY" }
	r := function.NewRegistry()
	functions.Standard(r, o)
	compat.Functions(r, o)
	w := read(t, `{"format":"stepgraph","version":1,"id":"w","steps":[{"id":"root","function":"agent.callcentre","input":{"prompt":"go","check_arguments":false}},{"id":"tool",`+step[1:]+`],"paths":[{"kind":"TOOL","source":"root","target":"tool"`+path+`}]}`)
	result := enginetest.Play(t, enginetest.Game{Workflow: w, Registry: r, Options: engine.Options{}})
	result.WantStatus(engine.StatusComplete)
	return m.told
}

// A caller is a model that calls its one tool, once, and keeps what it is told.
type caller struct {
	arguments, told string
	rounds          int
}

func (m *caller) Model(string) (models.Model, string, error) {
	return models.Func(func(_ context.Context, q models.Request) (models.Response, error) {
		if m.rounds++; m.rounds == 1 {
			return models.Response{ToolCalls: []models.ToolCall{{ID: "c", Name: "tool", Arguments: json.RawMessage(m.arguments)}}}, nil
		}
		m.told = q.Messages[len(q.Messages)-1].Content
		return models.Response{Text: "done"}, nil
	}), "m", nil
}

func (m *caller) Endpoint(models.Endpoint) (models.Model, error) { return nil, errors.New("none") }

// TestModelsFillOnlyWhatIsDeclaredAndOpen: what a step fixes stays, whatever a model asks for.
func TestModelsFillOnlyWhatIsDeclaredAndOpen(t *testing.T) {
	const declared = `,"extra":{"parameters":"{\"type\":\"object\",\"properties\":{\"params\":{\"type\":\"object\"},\"url\":{\"type\":\"string\"}}}"}`
	for name, c := range map[string]struct{ path, arguments, refused string }{
		"declared and open":      {declared, `{"params":{"q":"$ANY"}}`, ""},
		"undeclared":             {declared, `{"params":{"q":"1"},"headers":{"X":"$ANY"}}`, "no parameter headers"},
		"declared but fixed":     {declared, `{"url":"URL/evil"}`, "the tool sets url itself"},
		"fixed, derived schema":  {"", `{"url":"URL/evil"}`, "the tool sets url itself"},
		"undeclared, derived":    {"", `{"surprise":1}`, "surprise"},
		"open in derived schema": {"", `{"params":{"q":"x"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := listen(t)
			told := playTool(t, `{"function":"api","input":{"url":"`+l.URL+`/w"}}`, c.path, strings.ReplaceAll(c.arguments, "URL", l.URL), functions.Options{})
			if heard := l.heard(); strings.Contains(heard, canary) || strings.Contains(heard, "/evil") || (heard == "") != (c.refused != "") {
				t.Errorf("the server was sent %q", heard)
			}
			if c.refused != "" && !strings.Contains(told, c.refused) {
				t.Errorf("the model is not told %q: %s", c.refused, told)
			}
		})
	}
}

// TestModelsSetNoVariablesOfCommands: git and tar run what variables of theirs say.
func TestModelsSetNoVariablesOfCommands(t *testing.T) {
	dir := t.TempDir()
	o := functions.Options{Shell: shell.Options{Allow: true, Dir: dir}}
	made := filepath.Join(dir, "made")
	attack, err := json.Marshal(map[string]string{"TAR_OPTIONS": "--checkpoint=1 --checkpoint-action=exec=touch${IFS}" + made})
	if err != nil {
		t.Fatal(err)
	}
	const command = `{"function":"shell","input":{"command":"echo [$TAR_OPTIONS]; tar cf /dev/null . ; echo said [$ARG_TAR_OPTIONS]"}}`
	told := playTool(t, command, "", string(attack), o)
	if !strings.Contains(told, "no parameter TAR_OPTIONS") {
		t.Errorf("an undeclared variable was taken: %s", told)
	}
	told = playTool(t, command, `,"extra":{"parameters":"{\"type\":\"object\",\"properties\":{\"TAR_OPTIONS\":{\"type\":\"string\"}}}"}`, string(attack), o)
	if _, err := os.Stat(made); err == nil || !strings.Contains(told, `[]\nsaid [--checkpoint=1`) {
		t.Errorf("a declared parameter became a variable of tar: %v, %s", err, told)
	}
}
