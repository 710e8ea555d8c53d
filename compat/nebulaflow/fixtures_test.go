package nebulaflow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/shell"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/models"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// A recordedRun is one run of a fixture with what came of it.
type recordedRun struct {
	Title         string
	SetContent    map[string]string
	SetData       map[string]map[string]any
	Stubs         stubs
	Resume        nebulaflow.Resume
	EngineOptions struct {
		Concurrency int
		PerType     map[string]int
		OnError     string
	}
	Observed observed
	Intended json.RawMessage
	Order    [][2]string
}

type stubs struct {
	LLM       []llmStub
	Approvals []struct {
		Type            string
		ModifiedCommand *string
	}
	PauseAfter, AbortAfter string
	steered                chan struct{} // closed when the session was paused or aborted
}

type llmStub struct {
	Match   string
	Reply   *string
	Text    *string
	DelayMs int
	Error   string
	OnAbort string
	Tools   []struct {
		Name string
		Args json.RawMessage
	}
}

type observed struct {
	Final      map[string]nodeResult
	LLMPrompts []string `json:"llmPrompts"`
	Events     []struct {
		Status, Node string
		Result       *string
	}
}

type nodeResult struct {
	Status string
	Result *string
	Multi  []string
	Runs   int // completions; 0 is not compared
}

// differs lists the runs whose result is meant to be another than the recorded one, with the
// nodes concerned, what they are then, and why.
var differs = map[string]struct {
	why   string
	final map[string]nodeResult
}{
	"04-if-else-after-cli/exit 0, prints hi":                       {"exit code 0 is true", branches("OK hi", true)},
	"04-if-else-after-cli/exit 3, prints true":                     {"exit code 3 is false", branches("BAD true", false)},
	"07-while-variable-not-empty/starts empty":                     {"what comes after a loop without rounds runs, with empty input", map[string]nodeResult{"out": done("")}},
	"09-nested-loops/outer 2, inner 2":                             {"loops nest", map[string]nodeResult{"A": done("\n0.0\n0.1\n1.0\n1.1"), "I": done("o1"), "IE": done("\n0.0\n0.1\n1.0\n1.1"), "OE": done("\n0.0\n0.1\n1.0\n1.1"), "out": done("0.0\n0.1\n1.0\n1.1")}},
	"12-subflow-nested/run":                                        {"subflows nest", map[string]nodeResult{"S": done("echo: UP"), "out": done("echo: UP")}},
	"21-llm-limits/nine agents are refused before anything starts": {"accepted work waits in a queue, it is never refused", echoes(9)},
	"22-llm-timeout-tools/timeout, provider stops quietly":         {"a timeout is an error, whatever the provider does", map[string]nodeResult{"a": {Status: "error"}, "out": {Status: "not-run"}}},
}

func done(text string) nodeResult { return nodeResult{Status: "completed", Result: &text} }

func branches(text string, yes bool) map[string]nodeResult {
	out := map[string]nodeResult{"y": {Status: "not-run"}, "n": {Status: "not-run"}}
	if yes {
		out["y"] = done(text)
	} else {
		out["n"] = done(text)
	}
	return out
}

func echoes(n int) map[string]nodeResult {
	out := map[string]nodeResult{}
	for i := range n {
		out[fmt.Sprintf("a%d", i)] = done(fmt.Sprintf("echo: p%d", i))
	}
	return out
}

// TestFixtures plays every recorded run on the memory store and compares what became of each
// node, what the agents were asked and what came before what.
func TestFixtures(t *testing.T) {
	folder := fixtures.Folder(t, "nebulaflow")
	files, err := filepath.Glob(filepath.Join(folder, "*.expected.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		var fixture struct {
			Runs     []recordedRun
			Subflows []string
		}
		fixtures.Read(t, file, &fixture)
		name := strings.TrimSuffix(filepath.Base(file), ".expected.json")
		for _, run := range fixture.Runs {
			t.Run(name+"/"+run.Title, func(t *testing.T) {
				text := changed(t, fixtures.Text(t, strings.Replace(file, ".expected.", ".workflow.", 1)), run)
				flows := []*engine.Workflow{parse(t, "flow.json", text)}
				for _, subflow := range fixture.Subflows {
					flows = append(flows, parse(t, subflow, fixtures.Text(t, filepath.Join(folder, subflow))))
				}
				q, err := run.Resume.Request(flows[0])
				if err != nil {
					if run.Resume.FromNodeID != "zzz" {
						t.Fatal(err)
					}
					return
				}
				p := play(t, run, flows, q)
				p.check(t, run, differs[name+"/"+run.Title].final)
			})
		}
	}
}

func parse(t *testing.T, name string, text []byte) *engine.Workflow {
	t.Helper()
	if !nebulaflow.Recognise(name, text) {
		t.Errorf("%s is not recognised", name)
	}
	f, err := nebulaflow.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	w := f.Workflows[0]
	if w.ID == "" {
		w.ID = "flow"
	}
	w.Normalize()
	return &w
}

// changed puts the run's contents and data into the nodes.
func changed(t *testing.T, flow []byte, run recordedRun) []byte {
	t.Helper()
	var shape struct{ Nodes []struct{ ID string } }
	if err := json.Unmarshal(flow, &shape); err != nil {
		t.Fatal(err)
	}
	set := func(path string, value any) {
		var err error
		if flow, err = sjson.SetBytes(flow, path, value); err != nil {
			t.Fatal(err)
		}
	}
	for i, n := range shape.Nodes {
		if content, ok := run.SetContent[n.ID]; ok {
			set(fmt.Sprintf("nodes.%d.data.content", i), content)
		}
		for key, value := range run.SetData[n.ID] {
			set(fmt.Sprintf("nodes.%d.data.%s", i, key), value)
		}
	}
	if run.EngineOptions.OnError != "" {
		set("onError", run.EngineOptions.OnError)
	}
	return flow
}

// A played run is a session that has come to rest.
type played struct {
	engine  *engine.Engine
	flow    *engine.Workflow
	seeds   map[string]json.RawMessage
	session *engine.Session
	state   *engine.State
	history []engine.Execution
	mu      sync.Mutex
	prompts []string
}

func play(t *testing.T, run recordedRun, flows []*engine.Workflow, q engine.StartRequest) *played {
	t.Helper()
	p := &played{flow: flows[0], seeds: q.Seeds}
	run.Stubs.steered = make(chan struct{})
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{Shell: shell.Options{Allow: true, Dir: t.TempDir()}, Models: enginetest.OneModel(models.Func(func(ctx context.Context, ask models.Request) (models.Response, error) {
		p.mu.Lock()
		if ask.Messages[len(ask.Messages)-1].Role == models.RoleUser { // not a later round
			p.prompts = append(p.prompts, ask.LastUser())
		}
		p.mu.Unlock()
		return run.Stubs.answer(ctx, ask)
	}))})
	store := memory.New(memory.Options{})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	options := engine.Options{}
	p.engine = engine.New(store, registry, options)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	defer enginetest.Start(t, p.engine)()
	for _, w := range flows {
		if _, err := p.engine.Put(ctx, w, engine.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	session, err := p.engine.Start(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	go p.steer(ctx, run.Stubs, session.ID)
	p.rest(t, ctx, run.Stubs, session.ID)
	return p
}

// steer pauses or cancels the session when a node has completed.
func (p *played) steer(ctx context.Context, s stubs, id string) {
	kind, when := engine.RequestPause, s.PauseAfter
	if s.AbortAfter != "" {
		kind, when = engine.RequestCancel, s.AbortAfter
	}
	if when == "" {
		return
	}
	for ctx.Err() == nil {
		list, err := p.engine.Executions(ctx, id, engine.HistoryQuery{Limit: 100})
		for _, x := range list {
			if x.Step == strings.TrimPrefix(when, "completed:") {
				_, _ = p.engine.Act(ctx, engine.Action{Session: id, Kind: kind})
				close(s.steered)
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// rest answers what is asked and reads what came of the session.
func (p *played) rest(t *testing.T, ctx context.Context, s stubs, id string) {
	t.Helper()
	var err error
	if p.session, err = p.engine.Wait(ctx, id); err != nil {
		now, _ := p.engine.Session(t.Context(), id)
		t.Fatalf("%v: %+v", err, now)
	}
	for i, a := range s.Approvals {
		if len(p.session.Awaiting) == 0 {
			t.Errorf("approval %d: nothing is asked", i)
			break
		}
		response := map[string]any{"approved": a.Type == "node_approved"}
		if a.ModifiedCommand != nil {
			response["input"] = p.edited(t, p.session.Awaiting[0].Step, *a.ModifiedCommand)
		}
		text, _ := json.Marshal(response)
		if _, err := p.engine.Answer(ctx, engine.AnswerRequest{Session: id, Step: p.session.Awaiting[0].Step, Response: text}); err != nil {
			t.Fatal(err)
		}
		if p.session, err = p.engine.Wait(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	text, _, err := p.engine.State(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if p.state, err = engine.ParseState(id, text); err != nil {
		t.Fatal(err)
	}
	if p.history, err = p.engine.Executions(ctx, id, engine.HistoryQuery{Limit: 500}); err != nil {
		t.Fatal(err)
	}
}

// edited is the input of a step whose command a person has changed.
func (p *played) edited(t *testing.T, step, command string) json.RawMessage {
	t.Helper()
	input, field := []byte(p.flow.Step(step).Input), "command"
	if gjson.GetBytes(input, "script").Exists() {
		field = "script"
	}
	input, err := sjson.SetBytes(input, field, command)
	if err != nil {
		t.Fatal(err)
	}
	return input
}

// afterSteering reports whether a reply came after the session was paused or aborted: not the
// first one, whose end is the reason to do so.
func (s stubs) afterSteering(one llmStub) bool {
	return s.PauseAfter+s.AbortAfter != "" && slices.ContainsFunc(s.LLM, func(other llmStub) bool { return other.DelayMs < one.DelayMs })
}

// answer is what the first stub that matches says, else an echo.
func (s stubs) answer(ctx context.Context, ask models.Request) (models.Response, error) {
	prompt := ask.LastUser()
	text := "echo: " + prompt
	for _, one := range s.LLM {
		if !regexp.MustCompile(one.Match).MatchString(prompt) {
			continue
		}
		timer := time.NewTimer(time.Duration(one.DelayMs) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return models.Response{}, ctx.Err()
		}
		if s.afterSteering(one) {
			select {
			case <-s.steered:
			case <-ctx.Done():
				return models.Response{}, ctx.Err()
			}
		}
		if one.Error != "" {
			return models.Response{}, models.NewError(models.KindScripted, false, one.Error, nil)
		}
		if len(one.Tools) > 0 && ask.Messages[len(ask.Messages)-1].Role == models.RoleUser {
			out := models.Response{FinishReason: models.FinishToolCalls}
			for i, tool := range one.Tools {
				out.ToolCalls = append(out.ToolCalls, models.ToolCall{ID: fmt.Sprint(i), Name: tool.Name, Arguments: tool.Args})
			}
			return out, nil
		}
		for _, reply := range []*string{one.Reply, one.Text} {
			if reply != nil {
				text = *reply
			}
		}
		break
	}
	return models.Response{Text: text, FinishReason: models.FinishStop}, nil
}

func (p *played) check(t *testing.T, run recordedRun, instead map[string]nodeResult) {
	t.Helper()
	for id, want := range run.Observed.Final {
		if other, ok := instead[id]; ok {
			want = other
		}
		p.checkNode(t, id, want, run)
	}
	for id, want := range instead {
		if _, seen := run.Observed.Final[id]; !seen {
			p.checkNode(t, id, want, run)
		}
	}
	if instead == nil && run.Observed.LLMPrompts != nil {
		got, want := append([]string(nil), p.prompts...), append([]string(nil), run.Observed.LLMPrompts...)
		sort.Strings(got)
		sort.Strings(want)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("agents were asked %q, want %q", got, want)
		}
	}
	if instead == nil {
		p.checkOrder(t, run)
	}
	if t.Failed() {
		t.Logf("session %s: %+v %+v", p.session.Status, p.session.Error, p.session.Problems)
	}
}

// checkOrder compares pairs of ends and beginnings of nodes. Events inside subflows, of
// approvals and of pauses are not in this session's history; how many calls run at once is the
// operator's choice, not the flow's.
func (p *played) checkOrder(t *testing.T, run recordedRun) {
	t.Helper()
	for _, pair := range run.Order {
		first, second := p.when(pair[0]), p.when(pair[1])
		if run.EngineOptions.Concurrency > 0 || run.EngineOptions.PerType != nil || first.IsZero() || second.IsZero() {
			t.Logf("%s before %s is not looked at", pair[0], pair[1])
			continue
		}
		if first.After(second) {
			t.Errorf("%s comes after %s", pair[0], pair[1])
		}
	}
}

// when is the time of the last "running:node" or "completed:node".
func (p *played) when(event string) (at time.Time) {
	what, node, _ := strings.Cut(event, ":")
	for _, x := range p.history {
		if x.Step == node && what == "completed" {
			at = x.FinishedAt
		} else if x.Step == node && what == "running" {
			at = x.StartedAt
		}
	}
	return at
}

// status is that of a node; in a loop, of the newest round in which it ran.
func (p *played) status(id string) string {
	if status := p.state.Status(id); status != "" && status != engine.StatusSkipped {
		return status
	}
	for _, x := range slices.Backward(p.history) {
		if x.Step == id {
			return x.Status
		}
	}
	return ""
}

// runs is how often a node has completed.
func (p *played) runs(id string) (n int) {
	for _, x := range p.history {
		if x.Step == id && x.Status == engine.StatusComplete {
			n++
		}
	}
	return n
}

// whileStart reports whether a node is the start of a while loop: its last look is no run here.
func (p *played) whileStart(id string) bool {
	return strings.Contains(p.flow.Step(id).Config, "while-variable")
}

func (p *played) checkNode(t *testing.T, id string, want nodeResult, run recordedRun) {
	t.Helper()
	status, outputs := p.status(id), p.state.Outputs(id)
	if _, seeded := run.Resume.Seeds.Outputs[id]; seeded && want.Status == "not-run" {
		return // it counts as done, without having run
	}
	words := map[string]string{engine.StatusComplete: "completed", engine.StatusError: "error", engine.StatusCancelled: "interrupted", "": "not-run", engine.StatusSkipped: "not-run"}
	if got := words[status]; got != want.Status {
		t.Errorf("%s is %s, want %s", id, status, want.Status)
	}
	if want.Status != "completed" || want.Result == nil {
		return
	}
	if runs := p.runs(id); want.Runs > 0 && runs != want.Runs && !(runs == want.Runs-1 && p.whileStart(id)) {
		t.Errorf("%s completes %d times, want %d", id, runs, want.Runs)
	}
	var out struct {
		Text    string
		Outputs []struct{ Text string }
	}
	if len(outputs) > 0 {
		_ = json.Unmarshal(outputs[len(outputs)-1], &out)
	}
	if out.Text != *want.Result {
		t.Errorf("%s gives %q, want %q", id, out.Text, *want.Result)
	}
	for i, text := range want.Multi {
		if i >= len(out.Outputs) || out.Outputs[i].Text != text {
			t.Errorf("%s gives %+v, want %q", id, out.Outputs, want.Multi)
		}
	}
}
