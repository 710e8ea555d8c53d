package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// A lunaScenario is what the original did with a workflow of its own.
type lunaScenario struct {
	Name         string            `json:"name"`
	WorkflowFile string            `json:"workflow_file"`
	Deviations   []string          `json:"against_spec"`
	Replies      []json.RawMessage `json:"llm_replies"`
	Actions      []struct {
		Action      string          `json:"action"`
		Text        string          `json:"text"`
		WorkflowID  string          `json:"workflow_id"`
		InitialData json.RawMessage `json:"initial_data"`
		StateAfter  lunaState       `json:"state_after"`
		ModelCalls  []any           `json:"llm_requests"`
	} `json:"actions"`
}

type lunaState struct {
	Workflow map[string]struct {
		Status string `json:"status"`
	} `json:"workflow"`
	Data struct {
		Outputs map[string]json.RawMessage `json:"outputs"`
	} `json:"data"`
}

// A lunaWant replaces what was recorded of one step, where against_spec names a deviation
// of the original, or DESIGN decides otherwise.
type lunaWant struct {
	status string // "" for none
	newest string // output; "" for none
}

// anything is an output whose text is beside the point.
const anything = "*"

// lunaDiffers is every step in which we are not as recorded.
var lunaDiffers = map[string]map[string]lunaWant{
	"all_pending_given": { // inputs are histories of one
		"initial": {newest: `{"given":{"name":"Ada"}}`},
		"given":   {newest: `{"name":"Ada"}`},
	},
	"api_chain_example": { // the words of a failed request are ours
		"fetch-repos": {"complete", anything},
	},
	"api_example": { // a text of a model is {response}, so the reply is said
		"process-weather": {"complete", `{"response":"Cold."}`},
		"reply-weather":   {"complete", `{"message":"Cold.","content":"Cold.","end_session":false}`},
	},
	"code_steps": { // scripts are Starlark without files; a script file that is not there is an error of the step
		"raises":   {"complete", `{"result":null,"error":"floating-point division by zero","traceback":"Traceback (most recent call last):\n  code:1:11: in <toplevel>\nError in /: floating-point division by zero"}`},
		"noresult": {"complete", `{"result":null,"error":"the script has no result: assign what it finds to the variable \"result\"","traceback":null}`},
		"tool":     {status: "error"},
		"pasted":   {}, "nofile": {}, "reply": {},
	},
	"conversation_loop":        {"reply": {"complete", `{"message":"It binds quarks. ...Followup? true","content":"It binds quarks. ...Followup? true","end_session":false}`}},
	"conversation_loop_polled": {"reply": {"complete", `{"message":"A particle. ...Followup? true","content":"A particle. ...Followup? true","end_session":false}`}},
	"conversation_loop_bad_llm": { // missing fields are no defaults
		"generate": {status: "error"}, "reply": {},
		"request": {"complete", `{"prompt":"GM! How can I help?","response":"one","waiting_for_input":false}`},
	},
	"conversation_loop_root_version": { // @{SESSION_ID} alone resolves, conditions (plural) is read
		"generate": {"complete", `{"response":"x","followup":"y","merits_followup":false}`},
		"reply":    {"complete", `{"message":"x","content":"x","end_session":false}`},
	},
	"counter_loop": {"done": {"complete", `{"message":"done: first kept is 3","content":"done: first kept is 3","end_session":false}`}},
	"endless_loop": {"b": {"error", `{"message":"tock","content":"tock","end_session":false}`}},
	"generate_kinds": { // failures are errors of the step
		"g-text":   {"complete", `{"response":"plain one"}`},
		"g-schema": {status: "error"}, "g-schema-text": {}, "g-agent": {}, "g-noagent": {}, "g-nouser": {}, "g-badargs": {}, "say": {},
	},
	"request_kinds": { // confirm and select make options; a prompt without value is pending
		"conf":       {"complete", `{"message":"Sure?","confirm_text":"Aye","prompt":"Sure?","options":[{"text":"Aye","value":true},{"text":"No","value":false}],"response":"yes","confirmed":true,"waiting_for_input":false}`},
		"sel":        {"complete", `{"prompt":"Pick","choices":["x",{"text":"Y"}],"options":[{"text":"x","value":"x"},{"text":"Y","value":"Y"}],"response":"Y","value":"Y","waiting_for_input":false}`},
		"unresolved": {status: "pending"}, "short": {}, "bye": {},
	},
	"root_error": {"root": {status: "error"}}, // not tried again without end
}

// TestLunaScenarios plays every recorded scenario through run, and compares status and
// newest output of each step.
func TestLunaScenarios(t *testing.T) {
	folder := fixtures.Folder(t, "luna/workflows")
	stub := httptest.NewServer(lunaStubHandler)
	defer stub.Close()
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, file := range files {
		if filepath.Base(file) == "stub_routes.json" {
			continue
		}
		played++
		var s lunaScenario
		fixtures.Read(t, file, &s)
		t.Run(s.Name, func(t *testing.T) { s.play(t, folder, stub.Listener.Addr().String()) })
	}
	want := 18
	if !fixtures.Complete() {
		t.Log("fixtures/luna/workflows has only the files written for this project; set STEPGRAPH_SHARED to a folder that has LUNA's own")
		want = 11
	}
	if played < want {
		t.Errorf("played %d scenarios, want at least %d", played, want)
	}
}

func (s *lunaScenario) play(t *testing.T, folder, stub string) {
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(folder, s.WorkflowFile))
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(dir, s.WorkflowFile), strings.ReplaceAll(string(text), "127.0.0.1:18080", stub))
	args := append([]string{"run", file, "-o", "json", "--allow-net", "127.0.0.1", "--answers", write(t, filepath.Join(dir, "answers.json"), s.answers()),
		"--model-script", write(t, filepath.Join(dir, "script.json"), s.script())}, s.start(t, dir)...)
	got := invoke(t, "", nil, args...)
	var ran struct {
		Session api.Session `json:"session"`
		State   lunaState   `json:"state"`
	}
	if err := json.Unmarshal([]byte(got.out), &ran); err != nil {
		t.Fatalf("exit %d, %v: %s%s", got.code, err, got.out, got.err)
	}
	if want := exitCodeOf(ran.Session.Status); got.code != want {
		t.Errorf("exit %d, want %d for %s", got.code, want, ran.Session.Status)
	}
	s.compare(t, &ran.State)
}

// start is how the recorded session began.
func (s *lunaScenario) start(t *testing.T, dir string) []string {
	var args []string
	if id := s.Actions[0].WorkflowID; id != "" && id != "default" {
		args = append(args, "--entry", id)
	}
	if data := s.Actions[0].InitialData; len(data) > 0 {
		args = append(args, "--inputs", write(t, filepath.Join(dir, "inputs.json"), data))
	}
	return args
}

func (s *lunaScenario) answers() []string {
	list := []string{}
	for _, a := range s.Actions {
		if a.Action == "message" {
			list = append(list, a.Text)
		}
	}
	return list
}

// script makes a script file of the recorded replies.
func (s *lunaScenario) script() any {
	replies := []any{}
	for _, r := range s.Replies {
		var special struct {
			Raw    *string `json:"__raw_args"`
			Status int     `json:"__status"`
		}
		_ = json.Unmarshal(r, &special) // a text has neither
		switch {
		case special.Raw != nil:
			replies = append(replies, *special.Raw)
		case special.Status != 0:
			replies = append(replies, map[string]any{"error": fmt.Sprintf("HTTP %d", special.Status)})
		default:
			replies = append(replies, r)
		}
	}
	return map[string]any{"any": replies}
}

func (s *lunaScenario) compare(t *testing.T, got *lunaState) { s.compareSteps(t, got, nil) }

// compareSteps compares only some steps; nil for all.
func (s *lunaScenario) compareSteps(t *testing.T, got *lunaState, only map[string]bool) {
	recorded := s.Actions[len(s.Actions)-1].StateAfter
	differs := lunaDiffers[s.Name]
	steps := map[string]bool{}
	for _, ids := range [][]string{slices.Collect(maps.Keys(recorded.Workflow)), slices.Collect(maps.Keys(got.Workflow)), slices.Collect(maps.Keys(got.Data.Outputs)), slices.Collect(maps.Keys(recorded.Data.Outputs))} {
		for _, id := range ids {
			steps[id] = true
		}
	}
	for step := range steps {
		if only != nil && !only[step] {
			continue
		}
		want, known := differs[step]
		if !known {
			want = lunaWant{recorded.Workflow[step].Status, newest(recorded.Data.Outputs[step])}
		}
		if is := got.Workflow[step].Status; is != want.status {
			t.Errorf("step %s is %q, want %q", step, is, want.status)
		}
		is := newest(got.Data.Outputs[step])
		if is == want.newest || want.newest == anything && is != "" {
			continue
		}
		if is == "" || want.newest == "" || !sameJSON(t, withoutHeaders(is), withoutHeaders(want.newest)) {
			t.Errorf("step %s: newest output is %s, want %s", step, is, want.newest)
		}
	}
}

// newest is the last of a step's outputs, "" when there is none.
func newest(outputs json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(outputs, &list) != nil || len(list) == 0 {
		return string(outputs) // an input of the original, unwrapped
	}
	return string(list[len(list)-1])
}

// withoutHeaders leaves out what a server says of itself.
func withoutHeaders(output string) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(output), &fields) != nil {
		return []byte(output)
	}
	delete(fields, "headers")
	if text, err := json.Marshal(fields); err == nil {
		return text
	}
	return []byte(output)
}

var lunaStubHandler = http.HandlerFunc(lunaStub)

// lunaStub is the HTTP side of stub_routes.json.
func lunaStub(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/users/ghost":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message": "Not Found"}`)
	case len(parts) == 2 && parts[0] == "users":
		fmt.Fprintf(w, `{"login": %q, "name": "Ada L", "bio": "engines", "location": "London", "public_repos": 2, "repos_url": "http://127.0.0.1:18080/users/%s/repos"}`, parts[1], parts[1])
	case len(parts) == 3 && parts[2] == "repos":
		fmt.Fprint(w, `[{"name": "notes", "stars": 3}, {"name": "engine", "stars": 7}]`)
	default:
		fmt.Fprintf(w, `{"name": "Oslo", "main": {"temp": 4.5, "humidity": 81}, "query": %q}`, r.URL.RawQuery)
	}
}
