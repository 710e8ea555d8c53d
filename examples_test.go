package stepgraph_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestHelloExample builds examples/hello in its own module, as a program of somebody else
// would be, and runs it.
func TestHelloExample(t *testing.T) {
	c := exec.CommandContext(t.Context(), "go", "run", ".")
	c.Dir = "examples/hello"
	c.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var said strings.Builder
	c.Stderr = &said
	got, err := c.Output()
	if want := "What is your name?\ncomplete \"Hello, Ada!\"\n"; err != nil || string(got) != want {
		t.Fatalf("%v\n%s\ngot  %q\nwant %q", err, said.String(), got, want)
	}
}
