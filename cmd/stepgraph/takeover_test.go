package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// takeover writes graph and SESSION as LUNA left them when it asked, takes the session
// over with migrate --adopt, and answers: it goes on as one that was ours from the start.
func takeover(t *testing.T, database *neo4jserver.Server) {
	folder := fixtures.Folder(t, "luna/workflows")
	stub := httptest.NewServer(lunaStubHandler)
	defer stub.Close()
	driver, err := database.Driver()
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close(t.Context())
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, file := range files {
		var s lunaScenario
		fixtures.Read(t, file, &s)
		stops := s.stops()
		if len(stops) > 1 && s.Name != "conversation_loop" { // the one whose history LUNA and we both have written
			stops = stops[:1]
		}
		for _, at := range stops {
			taken++
			t.Run(fmt.Sprintf("%s-%d", s.Name, at), func(t *testing.T) {
				x := luna{t: t, s: &s, at: at, id: fmt.Sprintf("luna-%s-%d", s.Name, at), store: database.URI}
				x.leave(driver, folder, stub.Listener.Addr().String())
				x.adopt()
				x.answer()
			})
		}
	}
	want := 9
	if !fixtures.Complete() {
		t.Log("fixtures/luna/workflows has only the files written for this project; set STEPGRAPH_SHARED to a folder that has LUNA's own")
		want = 3
	}
	if taken < want {
		t.Errorf("took over only %d sessions, want at least %d", taken, want)
	}
}

// stops are the actions after which the original waited and was answered.
func (s *lunaScenario) stops() []int {
	var all []int
	for i := range s.Actions {
		waits := false
		for _, step := range s.Actions[i].StateAfter.Workflow {
			waits = waits || step.Status == engine.StatusAwaitingInput
		}
		if waits && i+1 < len(s.Actions) && s.Actions[i+1].Action == "message" {
			all = append(all, i)
		}
	}
	return all
}

// luna is one session that the original left.
type luna struct {
	t     *testing.T
	s     *lunaScenario
	at    int // the action it was left after
	id    string
	store string
	left  lunaState
}

var (
	statementEnd = regexp.MustCompile(`;[ \t]*(\n|$)`)
	placeholder  = regexp.MustCompile(`"<ts>"`)
)

// leave makes the database what the original had: steps without workflow, a session with
// id and state, times in seconds.
func (x *luna) leave(driver neo4j.DriverWithContext, folder, stub string) {
	x.t.Helper()
	run := func(statement string, parameters map[string]any) {
		x.t.Helper()
		if _, err := neo4j.ExecuteQuery(x.t.Context(), driver, statement, parameters, neo4j.EagerResultTransformer); err != nil {
			x.t.Fatal(err)
		}
	}
	run("MATCH (n) DETACH DELETE n", nil)
	text, err := os.ReadFile(filepath.Join(folder, x.s.WorkflowFile))
	if err != nil {
		x.t.Fatal(err)
	}
	for _, statement := range statementEnd.Split(strings.ReplaceAll(string(text), "127.0.0.1:18080", stub), -1) {
		if strings.TrimSpace(statement) != "" {
			run(statement, nil)
		}
	}
	state := placeholder.ReplaceAllString(string(x.state()), "1763673000.25")
	state = strings.ReplaceAll(state, "<session_id>", x.id)
	if err := json.Unmarshal([]byte(state), &x.left); err != nil {
		x.t.Fatal(err)
	}
	run("CREATE (:SESSION {id: $id, state: $state})", map[string]any{"id": x.id, "state": state})
}

// state is the recorded one as text.
func (x *luna) state() json.RawMessage {
	x.t.Helper()
	var raw struct {
		Actions []struct {
			StateAfter json.RawMessage `json:"state_after"`
		} `json:"actions"`
	}
	fixtures.Read(x.t, filepath.Join(fixtures.Folder(x.t, "luna/workflows"), x.s.Name+".json"), &raw)
	return raw.Actions[x.at].StateAfter
}

func (x *luna) adopt() {
	x.t.Helper()
	got := invoke(x.t, "", nil, "migrate", "--adopt", "--store", x.store, "-o", "json")
	if adopted, _ := lookup([]byte(got.out), "adopted"); got.code != 0 || adopted != "1" {
		x.t.Fatalf("adopted %s: %s%s", adopted, got.out, got.err)
	}
	again := invoke(x.t, "", nil, "migrate", "--adopt", "--store", x.store)
	if !strings.Contains(again.out, "adopted 0 sessions") {
		x.t.Errorf("a second time: %s%s", again.out, again.err)
	}
}

// answer serves the database and gives what the original was given.
func (x *luna) answer() {
	dir := x.t.TempDir()
	server := serveHere(x.t, nil, "serve", "--store", x.store, "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json", "--allow-net", "127.0.0.1",
		"--model-script", write(x.t, filepath.Join(dir, "script.json"), x.rest().script()))
	server.ready(x.t)
	ask := func(args ...string) result {
		x.t.Helper()
		got := invoke(x.t, "", nil, append(args, "--server", server.address, "-o", "json")...)
		if got.code != 0 {
			x.t.Fatalf("%v: exit %d: %s%s", args, got.code, got.out, got.err)
		}
		return got
	}
	waits := ask("awaiting")
	if id, _ := lookup([]byte(waits.out), "items.0.session"); id != x.id {
		x.t.Fatalf("it is not found among what waits: %s", waits.out)
	}
	for _, text := range x.rest().answers() {
		var s api.Session
		if err := json.Unmarshal([]byte(ask("session", "show", x.id).out), &s); err != nil {
			x.t.Fatal(err)
		}
		if s.Status != engine.StatusAwaitingInput {
			break // the original took what nobody had asked for
		}
		ask("session", "answer", x.id, text, "--wait", "60s")
	}
	var after lunaState
	if err := json.Unmarshal([]byte(ask("session", "show", x.id, "--state").out), &after); err != nil {
		x.t.Fatal(err)
	}
	x.compare(&after, x.ran(ask("session", "history", x.id).out))
}

// rest is the scenario from where the session was left on: its answers, and the replies
// of the model that were not used up.
func (x *luna) rest() *lunaScenario {
	rest := *x.s
	rest.Actions = rest.Actions[x.at+1:]
	used := 0
	for i := range x.at + 1 {
		used += len(x.s.Actions[i].ModelCalls)
	}
	rest.Replies = rest.Replies[min(used, len(rest.Replies)):]
	return &rest
}

// ran are the steps that we have run.
func (x *luna) ran(history string) map[string]bool {
	var list struct{ Items []api.Execution }
	if err := json.Unmarshal([]byte(history), &list); err != nil {
		x.t.Fatal(err)
	}
	steps := map[string]bool{}
	for _, e := range list.Items {
		steps[e.Step] = true
	}
	if len(steps) == 0 {
		x.t.Error("no step has run")
	}
	return steps
}

// compare holds steps that we have run to what is wanted of the whole scenario; the
// others are as they were left.
func (x *luna) compare(got *lunaState, ran map[string]bool) {
	x.t.Helper()
	for step, entry := range x.left.Workflow {
		if ran[step] {
			continue
		}
		if is := got.Workflow[step].Status; is != entry.Status {
			x.t.Errorf("step %s, which did not run, is %q, was %q", step, is, entry.Status)
		}
		if is := newest(got.Data.Outputs[step]); is != "" && !sameJSON(x.t, []byte(is), []byte(newest(x.left.Data.Outputs[step]))) {
			x.t.Errorf("step %s, which did not run, has the output %s", step, is)
		}
	}
	x.s.compareSteps(x.t, got, ran)
}
