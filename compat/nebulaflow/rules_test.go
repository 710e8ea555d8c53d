package nebulaflow_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/shell"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// A rule is a flow, drawn as sketch has it, with runs and what comes of them: for each node its
// text, "-" where it does not run, "!" an error, "~" an interruption, [count, text] where it
// completes more than once, and the list of texts where it has several outputs.
type rule struct {
	Name     string
	Flow     []string
	Subflows []struct {
		ID              string
		Inputs, Outputs []string
		Lines           []string
	}
	Runs []struct {
		recordedRun
		Want    map[string]json.RawMessage
		Prompts []string
	}
}

// TestRules plays the cases of testdata/rules.json as recorded ones are: each rule of how
// NebulaFlow runs a flow has one, and so has each decision to run it differently.
func TestRules(t *testing.T) {
	var rules []rule
	fixtures.Read(t, filepath.Join("testdata", "rules.json"), &rules)
	for _, r := range rules {
		for _, run := range r.Runs {
			t.Run(r.Name+"/"+run.Title, func(t *testing.T) {
				t.Parallel()
				flows := []*engine.Workflow{parse(t, "flow.json", changed(t, sketch(r.Flow...), run.recordedRun))}
				for _, s := range r.Subflows {
					flows = append(flows, parse(t, s.ID, subflowOf(s.ID, s.Inputs, s.Outputs, s.Lines)))
				}
				q, err := run.Resume.Request(flows[0])
				if err != nil {
					t.Fatal(err)
				}
				run.Observed.Final = map[string]nodeResult{}
				for id, want := range run.Want {
					run.Observed.Final[id] = wanted(t, want)
				}
				p := play(t, run.recordedRun, flows, q)
				p.check(t, run.recordedRun, nil)
				sort.Strings(p.prompts)
				slices.Sort(run.Prompts)
				if run.Prompts != nil && !slices.Equal(p.prompts, run.Prompts) {
					t.Errorf("agents were asked %q, want %q", p.prompts, run.Prompts)
				}
			})
		}
	}
}

// subflowOf writes the file of a subflow whose ports have their ids as names.
func subflowOf(id string, inputs, outputs, lines []string) []byte {
	ports := func(ids []string) []any {
		var out []any
		for i, id := range ids {
			out = append(out, map[string]any{"id": id, "name": id, "index": i})
		}
		return out
	}
	text, _ := json.Marshal(map[string]any{"id": id, "title": id, "version": "1.0.0", "inputs": ports(inputs), "outputs": ports(outputs),
		"graph": json.RawMessage(sketch(lines...))})
	return text
}

func wanted(t *testing.T, text json.RawMessage) nodeResult {
	t.Helper()
	var one string
	if json.Unmarshal(text, &one) == nil {
		if status, ok := map[string]string{"-": "not-run", "!": "error", "~": "interrupted"}[one]; ok {
			return nodeResult{Status: status}
		}
		want := done(one)
		want.Runs = 1
		return want
	}
	var list []any
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		t.Fatalf("want %s: %v", text, err)
	}
	if count, ok := list[0].(float64); ok {
		want := done(list[1].(string))
		want.Runs = int(count)
		return want
	}
	var multi []string
	for _, text := range list {
		multi = append(multi, fmt.Sprint(text))
	}
	want := done(strings.Join(multi, "\n"))
	want.Multi = multi
	return want
}

// TestRulesAreWrittenBack: each flow is valid, and its file can be written again from what was
// made of it.
func TestRulesAreWrittenBack(t *testing.T) {
	var rules []rule
	fixtures.Read(t, filepath.Join("testdata", "rules.json"), &rules)
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{Models: enginetest.Models{}, Shell: shell.Options{Allow: true}})
	for _, r := range rules {
		flow := sketch(r.Flow...)
		w := parse(t, "flow.json", flow)
		for _, p := range engine.Validate(w, registry) {
			t.Errorf("%s: %+v", r.Name, p)
		}
		text, problems, err := nebulaflow.Export(w)
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v %v", r.Name, problems, err)
			continue
		}
		if again := parse(t, "again.json", text); !nebulaflow.Same(again, w) {
			t.Errorf("%s is another flow when written back", r.Name)
		}
	}
}
