//go:build mutants

package engine_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A mutant is one fault in the text of the engine or of the memory store, and tests of which
// one has to fail on it.
type mutant struct {
	name         string
	file         string // from this folder
	old, changed string
	tests        string // -run
	in           string // package, . by default
}

var mutants = []mutant{
	{name: "nothing is taken back", file: "internal/session/revert.go", tests: "^(TestParentIsNotified|TestAnswerBeforeAClosedQuestion|TestCancelDuringTheLastCall)$/^memory$",
		old:     "func (r *Runner) revert(ctx context.Context) error {\n",
		changed: "func (r *Runner) revert(ctx context.Context) error {\n\tif r != nil {\n\t\treturn nil\n\t}\n"},
	{name: "no closing guard", file: "../memory/checkpoint.go", tests: "^(TestInjectFound|TestAnswersAroundTheDueTime|TestCancelDuringTheLastCall|TestAnswerBeforeAClosedQuestion)$",
		old: "case c.Closing && ", changed: "case false && "},
	{name: "no lease token", file: "../memory/checkpoint.go", tests: "Store", in: "../memory",
		old: "case c.Lease == \"\" || x.record.Lease != c.Lease || ", changed: "case "},
	{name: "inbox backwards", file: "internal/session/inbox.go", tests: "^TestScenarios$",
		old: "\tfor i := range r.unapplied {\n\t\tr.requests.apply(", changed: "\tfor i := len(r.unapplied) - 1; i >= 0; i-- {\n\t\tr.requests.apply("},
	{name: "acceptance does not look at requests in front", file: "deliver.go", tests: "^(TestAnswersBesideAReask|TestAnswerBehindAReask)$/^memory$",
		old: "closes(q, asked) {", changed: "closes(q, asked) && q == nil {"},
	{name: "a parent is notified once, whatever the store says", file: "internal/session/children.go", tests: "^TestParentIsNotified$//^memory$",
		old:     "\tp := r.state.Parent()\n\tif p == nil {\n\t\treturn nil\n\t}\n\tif p.Told > 0",
		changed: "\tp := r.state.Parent()\n\tif p == nil {\n\t\treturn nil\n\t}\n\tif _, told := notified.LoadOrStore(r, true); told || p.Told > 0"},
	{name: "the end of a child is not noted", file: "state/suspended.go", tests: "^TestScenarios$/^children",
		old: "\tdelete(k.Live, key)\n", changed: ""},
	{name: "notices to children are sent again after a refusal", file: "internal/session/revert.go", tests: "^TestNoticesAreSentOnce$/^memory$",
		old: "\tif notified {\n", changed: "\tif notified && results == nil && r == nil {\n"},
	{name: "an end that keeps the lease passes over requests", file: "internal/session/checkpointing.go", tests: "^TestInjectFound$",
		old: "Closing: r.closes() || store.Ended(status), ", changed: "Closing: r.closes() || release && store.Ended(status), "},
	{name: "a step under way as a tool takes a path for its own", file: "internal/session/visits.go", tests: "^TestScenarios$/^again_tool$",
		old: " || r.starting(id) || r.state.RunsAsTool(id) {", changed: " || r.starting(id) {"},
	{name: "what runs once more is forgotten where no paths are followed", file: "internal/session/joins.go", tests: "^TestScenarios$/^again",
		old: "range r.state.ToRunAgain() {\n", changed: "range r.state.ToRunAgain()[:0] {\n"},
	{name: "a step that a move closes runs again later", file: "internal/session/visits.go", tests: "^TestScenarios$/^again_moved$",
		old: "\tif !r.state.RunsAsTool(id) {\n", changed: "\tif false {\n"},
	{name: "a cancelled session stays paused", file: "state/session.go", tests: "^TestInjectFound$",
		old: "\ts.control.paused = nil\n", changed: ""},
	{name: "a batch item has no key", file: "internal/batch/job.go", tests: "^TestBatchSignalsKilledAnywhere$",
		old: "{ return fmt.Sprintf(\"%s/%d\", j.Batch.ID, j.Item.N) }", changed: "{ return fmt.Sprintf(\"%p\", j) }"},
}

// TestMutants builds the engine with one fault at a time and wants the tests that are there for
// it to fail: tests that stay green without the thing they test protect nothing. It compiles all
// that depends on the engine once more for each, so it is behind a build tag; make verify sets it.
func TestMutants(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-timeout=120s", "-overlay", m.overlay(t), "-run", m.tests, cmp.Or(m.in, "."))
			cmd.Stdout, cmd.Stderr = &out, &out
			err := cmd.Run()
			switch {
			case err == nil:
				t.Errorf("%s pass on it:\n%s", m.tests, out.String())
			case !strings.Contains(out.String(), "--- FAIL: ") && !strings.Contains(out.String(), "panic: test timed out"):
				t.Errorf("the mutant was not tested: %v\n%s", err, out.String())
			}
		})
	}
}

// overlay is an overlay for the go command in which the mutant's text stands in its file.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(m.file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(text, []byte(m.old)) != 1 {
		t.Fatalf("%s does not have %q once", m.file, m.old)
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(m.old), []byte(m.changed), 1)
	if strings.Contains(m.changed, "notified.") {
		text = append(bytes.Replace(text, []byte("import ("), []byte("import (\n\t\"sync\""), 1), "\nvar notified sync.Map\n"...)
	}
	mutant := filepath.Join(t.TempDir(), filepath.Base(m.file))
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutant}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{mutant: text, overlay: list} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return overlay
}
