package agentzero_test

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/models"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// A stub answers the agents whose prompt it matches.
type stub struct {
	Match   string
	Reply   string
	Error   string
	DelayMs int
}

// A recordedRun is one run of a fixture with what is wanted of it.
type recordedRun struct {
	Title      string
	Prompt     string
	SetData    map[string]map[string]any `json:"set_data"`
	AgentStubs []stub                    `json:"agent_stubs"`
	StopAfter  string                    `json:"stop_after"`
	Expected   wanted

	reply func(prompt string) (text string, ok bool) // in place of stubs
}

type wanted struct {
	NodeStates     map[string]string `json:"node_states"`
	Final          *string
	FinalWrapped   json.RawMessage `json:"final_wrapped"`
	Merged         *string
	Taken          map[string]string
	PromptOfJ      *string `json:"prompt_of_j"`
	Order          [][2]string
	Flow           string
	ErrorNamesNode string `json:"error_names_node"`
}

// knownWants are the keys of expected that this test checks, or that only tell about it.
var knownWants = []string{"node_states", "final", "final_wrapped", "merged", "taken", "prompt_of_j", "order", "flow", "error_names_node", "provenance", "note"}

// TestFixtures plays every recorded run and holds it against what the design wants. A wish
// nobody checks fails the test, so that no case passes unseen.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures.Folder(t, "agentzero"), "*.expected.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		var fixture struct{ Runs []recordedRun }
		fixtures.Read(t, file, &fixture)
		var raw struct {
			Runs []struct{ Expected map[string]json.RawMessage }
		}
		fixtures.Read(t, file, &raw)
		flow := fixtures.Text(t, strings.Replace(file, ".expected.", ".flow.", 1))
		for i, run := range fixture.Runs {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".expected.json")+"/"+run.Title, func(t *testing.T) {
				for key := range raw.Runs[i].Expected {
					if !slices.Contains(knownWants, key) {
						t.Errorf("nothing checks %q", key)
					}
				}
				text := withData(t, flow, run.SetData)
				if run.Expected.Flow == "rejected by validation" {
					if _, err := agentzero.Parse("x.json", text); err == nil {
						t.Error("the flow is not refused")
					}
					return
				}
				synctest.Test(t, func(t *testing.T) { check(t, run, play(t, text, run)) })
			})
		}
	}
}

// withData puts fields into the data of nodes.
func withData(t *testing.T, flow []byte, set map[string]map[string]any) []byte {
	t.Helper()
	var shape struct{ Nodes []struct{ ID string } }
	if err := json.Unmarshal(flow, &shape); err != nil {
		t.Fatal(err)
	}
	for i, n := range shape.Nodes {
		for key, value := range set[n.ID] {
			var err error
			if flow, err = sjson.SetBytes(flow, "nodes."+itoa(i)+".data."+key, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return flow
}

func itoa(i int) string { text, _ := json.Marshal(i); return string(text) }

// A played run is what came of it and what the agents were asked, by step.
type played struct {
	*enginetest.Result
	mu      sync.Mutex
	prompts map[string][]string
}

// compile makes the workflow of a flow.
func compile(t *testing.T, text []byte) *engine.Workflow {
	t.Helper()
	f, err := agentzero.Parse("flow.json", text)
	if err != nil {
		t.Fatal(err)
	}
	w := f.Workflows[0]
	w.ID = "flow"
	w.Normalize()
	return &w
}

// play runs a flow with scripted agents.
func play(t *testing.T, text []byte, run recordedRun) *played {
	t.Helper()
	p := &played{prompts: map[string][]string{}}
	store := memory.New(memory.Options{})
	registry := engine.NewRegistry()
	stopper := engine.New(store, registry, engine.Options{})
	model := models.Func(func(ctx context.Context, q models.Request) (models.Response, error) {
		p.mu.Lock()
		p.prompts[q.Step] = append(p.prompts[q.Step], q.LastUser())
		p.mu.Unlock()
		if run.StopAfter != "" && len(p.prompts) > 1 { // the agent after the one to stop after
			if _, err := stopper.Act(ctx, engine.Action{Session: "run", Kind: engine.RequestCancel}); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			return models.Response{}, ctx.Err()
		}
		if run.reply != nil {
			text, ok := run.reply(q.LastUser())
			if !ok {
				return models.Response{}, models.NewError(models.KindScripted, false, "down", nil)
			}
			return models.Response{Text: text, FinishReason: models.FinishStop}, nil
		}
		return answer(ctx, run.AgentStubs, q.LastUser())
	})
	functions.Standard(registry, functions.Options{Models: enginetest.OneModel(model)})
	compat.Functions(registry, functions.Options{Models: enginetest.OneModel(model)})
	p.Result = enginetest.Play(t, enginetest.Game{Workflow: compile(t, text), Registry: registry, Store: store, Session: "run",
		Inputs: map[string]string{"prompt": run.Prompt}, Timeout: time.Minute})
	return p
}

// answer is what the first stub that matches says, else an echo.
func answer(ctx context.Context, stubs []stub, prompt string) (models.Response, error) {
	for _, s := range stubs {
		if !regexp.MustCompile(s.Match).MatchString(prompt) {
			continue
		}
		timer := time.NewTimer(time.Duration(s.DelayMs) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return models.Response{}, ctx.Err()
		}
		if s.Error != "" {
			return models.Response{}, models.NewError(models.KindScripted, false, s.Error, nil)
		}
		return models.Response{Text: s.Reply, FinishReason: models.FinishStop}, nil
	}
	return models.Response{Text: "echo: " + prompt, FinishReason: models.FinishStop}, nil
}

func check(t *testing.T, run recordedRun, p *played) {
	t.Helper()
	want := run.Expected
	for node, state := range want.NodeStates {
		if got := nodeState(p, node); got != state && !(state == "pending" && got == "skipped") {
			t.Errorf("%s is %s, want %s", node, got, state)
		}
	}
	if want.Final != nil && p.text("output-1") != *want.Final {
		t.Errorf("final is %q, want %q", p.text("output-1"), *want.Final)
	}
	if want.FinalWrapped != nil {
		var out struct{ Value json.RawMessage }
		if json.Unmarshal(p.Output("output-1"), &out) != nil || string(compact(out.Value)) != string(compact(want.FinalWrapped)) {
			t.Errorf("value is %s, want %s", out.Value, want.FinalWrapped)
		}
	}
	if want.Merged != nil && p.text("par") != *want.Merged {
		t.Errorf("merged is %q, want %q", p.text("par"), *want.Merged)
	}
	if want.PromptOfJ != nil && (len(p.prompts["j"]) != 1 || p.prompts["j"][0] != *want.PromptOfJ) {
		t.Errorf("prompts of j are %q, want %q", p.prompts["j"], *want.PromptOfJ)
	}
	for node, branch := range want.Taken {
		var out struct{ Branch string }
		if json.Unmarshal(p.Output(node), &out) != nil || out.Branch != branch {
			t.Errorf("%s took %q, want %q", node, out.Branch, branch)
		}
	}
	for _, pair := range want.Order {
		first, second := p.end(pair[0]), p.end(pair[1])
		if first < 0 || second < 0 || first > second {
			t.Errorf("%s ended at %d, %s at %d", pair[0], first, pair[1], second)
		}
	}
	checkFlow(t, want, p)
}

func checkFlow(t *testing.T, want wanted, p *played) {
	t.Helper()
	status := engine.StatusComplete
	switch want.Flow {
	case "":
	case "failed":
		status = engine.StatusError
	case "stopped":
		status = engine.StatusCancelled
	case "finished without output":
		if p.Output("output-1") != nil {
			t.Errorf("there is an output: %s", p.Output("output-1"))
		}
	default: // an empty prompt: rejected, or no model is called with nothing
		status = engine.StatusAwaitingInput
		if len(p.prompts) > 0 {
			t.Errorf("agents were asked %v", p.prompts)
		}
	}
	if p.Session.Status != status {
		t.Errorf("the session is %s, want %s: %+v", p.Session.Status, status, p.Session.Error)
	}
	if want.ErrorNamesNode != "" && (p.Session.Error == nil || p.Session.Error.Step != want.ErrorNamesNode) {
		t.Errorf("the error is %+v, want one of %s", p.Session.Error, want.ErrorNamesNode)
	}
}

// nodeState is Agent Zero's word for the state of a node of a run that has ended.
func nodeState(p *played, node string) string {
	switch status := p.Status(node); status {
	case engine.StatusError:
		return "failed"
	case engine.StatusCancelled, "":
		return "skipped"
	default:
		return status
	}
}

func (p *played) text(node string) string {
	var out struct{ Text string }
	_ = json.Unmarshal(p.Output(node), &out) // no output has no text
	return out.Text
}

// end is the place of a node's end in the history, -1 for none.
func (p *played) end(name string) int {
	node := strings.TrimSuffix(name, " done")
	for i := len(p.Executions) - 1; i >= 0; i-- {
		if e := p.Executions[i]; e.Step == node && e.Status != engine.StatusRound {
			return i
		}
	}
	return -1
}

func compact(text json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return text
	}
	out, _ := json.Marshal(v)
	return out
}

// An agent that names no tools may use the functions without side effects; its profile's list
// replaces these, and gives api, which calls other machines. A list of the agent's own is all it
// has.
func TestAllowedTools(t *testing.T) {
	flow := flowOf([]string{"in:input", "a:agent:{\"tools\": []}", "b:agent:{\"agentProfile\": \"net\"}", "c:agent:{\"tools\": [\"response\"]}", "out:output"}, []string{"in>a", "a>b", "b>c", "c>out"})
	got := map[string]string{}
	registry := engine.NewRegistry()
	options := functions.Options{
		Models: enginetest.OneModel(models.Func(func(_ context.Context, q models.Request) (models.Response, error) {
			for _, tool := range q.Tools {
				got[q.Step] += tool.Name + " "
			}
			if q.Step == "a" && len(q.Messages) < 3 {
				call := models.ToolCall{ID: "1", Name: "calculate", Arguments: json.RawMessage(`{"expression": "6 * 7"}`)}
				return models.Response{ToolCalls: []models.ToolCall{call}, FinishReason: models.FinishToolCalls}, nil
			}
			return models.Response{Text: q.Messages[len(q.Messages)-1].Content, FinishReason: models.FinishStop}, nil
		})),
		Profiles: func() map[string]generate.Profile {
			return map[string]generate.Profile{"net": {Tools: []string{"api", "calculate"}}}
		}}
	functions.Standard(registry, options)
	compat.Functions(registry, options)
	w := compile(t, flow)
	if problems := engine.Validate(w, registry); len(problems) > 0 {
		t.Errorf("validate: %v", problems)
	}
	r := enginetest.Play(t, enginetest.Game{Workflow: w, Registry: registry, Inputs: map[string]string{"prompt": "go"}, Timeout: time.Minute})
	if want := map[string]string{"a": "calculate calculate ", "b": "calculate api "}; !maps.Equal(got, want) {
		t.Errorf("offered %v, want %v", got, want)
	}
	if text := string(r.Output("a")); !strings.Contains(text, "42") {
		t.Errorf("the tool's result is not the answer: %s", text)
	}
}

// A group's concurrency bounds how many of its agents run at once.
func TestGroupConcurrency(t *testing.T) {
	for data, want := range map[string]int{`{"concurrency": 2}`: 2, `{"concurrency": 99}`: 3, `{}`: 3} {
		w := compile(t, flowOf([]string{"in:input", "g:parallelGroup:" + data, "k:agent@g", "l:agent@g", "m:agent@g", "out:output"}, []string{"in>g", "g>out"}))
		if got := gjson.Get(w.Step("g").Input, "concurrency").Int(); got != int64(want) {
			t.Errorf("%s: %d at once, want %d", data, got, want)
		}
	}
}
