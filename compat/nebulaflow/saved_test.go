package nebulaflow_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/sjson"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// withState is a flow with results in it, as the editor saves it.
func withState(t *testing.T, flow []byte, results map[string]nodeResult, decisions map[string]string) []byte {
	t.Helper()
	saved := map[string]any{}
	for id, r := range results {
		entry := map[string]any{"status": r.Status}
		if r.Result != nil {
			entry["output"] = *r.Result
		}
		saved[id] = entry
	}
	flow, err := sjson.SetBytes(flow, "state", map[string]any{"nodeResults": saved, "ifElseDecisions": decisions})
	if err != nil {
		t.Fatal(err)
	}
	return flow
}

// goesOn plays the session that a file with a state becomes.
func goesOn(t *testing.T, run recordedRun, flow []byte, others ...*engine.Workflow) *played {
	t.Helper()
	f, err := nebulaflow.Parse("flow.json", flow)
	if err != nil {
		t.Fatal(err)
	}
	q := engine.StartRequest{Workflow: "flow"}
	if f.Saved != nil {
		q.Outputs, q.Seeds = f.Saved.Outputs, f.Saved.Seeds
	}
	return play(t, run, append([]*engine.Workflow{parse(t, "flow.json", flow)}, others...), q)
}

// TestSavedRunsAreNotRunAgain: each recorded run that ended well, saved at its end, is complete
// at once: no model is asked and no command is run.
func TestSavedRunsAreNotRunAgain(t *testing.T) {
	folder := fixtures.Folder(t, "nebulaflow")
	files, err := filepath.Glob(filepath.Join(folder, "*.expected.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	played := 0
	for _, file := range files {
		var fixture struct{ Runs []recordedRun }
		fixtures.Read(t, file, &fixture)
		name := strings.TrimSuffix(filepath.Base(file), ".expected.json")
		for _, run := range fixture.Runs {
			if !ended(run) || differs[name+"/"+run.Title].why != "" {
				continue
			}
			played++
			t.Run(name+"/"+run.Title, func(t *testing.T) {
				flow := changed(t, fixtures.Text(t, strings.Replace(file, ".expected.", ".workflow.", 1)), run)
				p := goesOn(t, recordedRun{}, withState(t, flow, run.Observed.Final, decisionsOf(run)))
				if p.session.Status != engine.StatusComplete || len(p.prompts) > 0 {
					t.Errorf("the session is %s, agents were asked %q: %+v", p.session.Status, p.prompts, p.session.Error)
				}
				for _, x := range p.history {
					if f := p.flow.Step(x.Step).Function; f == "shell" && p.seeds[x.Step] == nil {
						t.Errorf("%s ran", x.Step)
					}
				}
			})
		}
	}
	if played < 10 {
		t.Errorf("only %d runs", played)
	}
}

// ended reports whether all of a run's nodes completed, or had no reason to run.
func ended(run recordedRun) bool {
	if len(run.Observed.Final) == 0 || run.Resume.FromNodeID != "" || len(run.Resume.Seeds.Outputs) > 0 {
		return false
	}
	for _, r := range run.Observed.Final {
		if r.Status == "not-run" {
			continue
		}
		if r.Status != "completed" || r.Result == nil {
			return false
		}
	}
	return run.Stubs.PauseAfter == "" && run.Stubs.AbortAfter == ""
}

// decisionsOf are the results of nodes that decided: an id whose result is true or false.
func decisionsOf(run recordedRun) map[string]string {
	out := map[string]string{}
	for id, r := range run.Observed.Final {
		if r.Result != nil && (*r.Result == "true" || *r.Result == "false") {
			out[id] = *r.Result
		}
	}
	return out
}

// TestSavedHalfway: a run saved in its middle goes on from there, as after a pause.
func TestSavedHalfway(t *testing.T) {
	folder := fixtures.Folder(t, "nebulaflow")
	var fixture struct{ Runs []recordedRun }
	fixtures.Read(t, filepath.Join(folder, "16-resume-seeds.expected.json"), &fixture)
	flow := fixtures.Text(t, filepath.Join(folder, "16-resume-seeds.workflow.json"))
	for _, run := range fixture.Runs[1:3] {
		results := map[string]nodeResult{}
		for id, text := range run.Resume.Seeds.Outputs {
			results[id] = done(text)
		}
		results["y"] = nodeResult{Status: "interrupted"}
		memo := run.Resume.Seeds.Variables["memo"]
		if yes := run.Observed.Final["y"].Result; yes != nil { // a file keeps a variable as the result of its node
			*yes = strings.Replace(*yes, memo, "go", 1)
			*run.Observed.Final["out"].Result = *yes
		} else {
			*run.Observed.Final["n"].Result = strings.Replace(*run.Observed.Final["n"].Result, memo, "go", 1)
		}
		p := goesOn(t, run, withState(t, flow, results, run.Resume.Seeds.Decisions))
		for id, want := range run.Observed.Final {
			if _, given := results[id]; !given || id == "y" {
				p.checkNode(t, id, want, run)
			}
		}
	}
}

// TestSavedValues: variables and accumulators can be read though their nodes do not run, and a
// loop that had not ended begins anew.
func TestSavedValues(t *testing.T) {
	flow := sketch(`v variable {"variableName":"name","content":"Ada"}`, `L loop-start {"iterations":2}`, `A accumulator {"variableName":"log","content":"${i}"}`, "Z loop-end", "out llm ${name} ${log}",
		"v -> L:main", "L -> A", "A -> Z", "Z -> out")
	finished := map[string]nodeResult{"v": done("Eve"), "L": done("x"), "A": done("\nold"), "Z": done("\nold")}
	p := goesOn(t, recordedRun{}, withState(t, flow, finished, nil))
	if got := fmt.Sprint(p.prompts); got != "[Eve \nold]" {
		t.Errorf("asked %q", got)
	}
	delete(finished, "Z")
	p = goesOn(t, recordedRun{}, withState(t, flow, finished, nil))
	if got := fmt.Sprint(p.prompts); got != "[Eve \n0\n1]" {
		t.Errorf("after a loop that had not ended: asked %q", got)
	}
}

// TestSavedSubflows: a file keeps the outputs of a subflow as one text.
func TestSavedSubflows(t *testing.T) {
	flow := sketch(`S subflow {"subflowId":"gone","outputPortCount":2}`, "x llm [${1}] [${2}]", "S:out-1 -> x:in-0", "S:out-0 -> x:in-1")
	for saved, want := range map[string]string{"one\ntwo": "[[two] [one]]", "one": "[[one] [one]]", "1\n2\n3": "[[1\n2\n3] [1\n2\n3]]"} {
		p := goesOn(t, recordedRun{}, withState(t, flow, map[string]nodeResult{"S": done(saved)}, nil))
		if got := fmt.Sprint(p.prompts); got != want {
			t.Errorf("%q: asked %q, want %q", saved, got, want)
		}
	}
}
