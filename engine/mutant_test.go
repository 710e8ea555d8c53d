//go:build mutants

package engine_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutantOfTheTakeBack builds the engine with a runner that keeps what it has decided when
// the store refuses its checkpoint, and wants the tests of refusals to fail on it: tests
// that stay green without the thing they test protect nothing. It compiles all that depends on
// the engine once more, so it is behind a build tag; make verify sets it.
func TestMutantOfTheTakeBack(t *testing.T) {
	t.Parallel()
	const tests = "^(TestParentIsNotified|TestAnswerBeforeAClosedQuestion|TestCancelDuringTheLastCall)$/^memory$"
	overlay := mutate(t, "draft.go",
		"func (r *runner) revert(ctx context.Context) error {\n",
		"func (r *runner) revert(ctx context.Context) error {\n\tif r != nil {\n\t\treturn nil\n\t}\n")
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-timeout=60s", "-overlay", overlay, "-run", tests, ".")
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	switch {
	case err == nil:
		t.Errorf("%s pass on an engine that takes nothing back:\n%s", tests, out.String())
	case !strings.Contains(out.String(), "--- FAIL: ") && !strings.Contains(out.String(), "panic: test timed out"):
		t.Errorf("the mutant was not tested: %v\n%s", err, out.String())
	}
}

// mutate returns an overlay for the go command in which one text of a file is another.
func mutate(t *testing.T, file, old, changed string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(text, []byte(old)) != 1 {
		t.Fatalf("%s does not have %q once", file, old)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	mutant := filepath.Join(t.TempDir(), file)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutant}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{mutant: bytes.Replace(text, []byte(old), []byte(changed), 1), overlay: list} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return overlay
}
