package hostile

import (
	"fmt"
	"os"
	"testing"
)

// Environment of the child: what it does, the file it begins with, and how far it is from each
// file to its next.
const (
	envMode  = "STEPGRAPH_HOSTILE_CHILD"
	envFrom  = "STEPGRAPH_HOSTILE_FROM"
	envEvery = "STEPGRAPH_HOSTILE_EVERY"
)

// TestMain is the test, or the child that a test has started of its own binary.
func TestMain(m *testing.M) {
	mode := os.Getenv(envMode)
	if mode == "" {
		os.Exit(m.Run())
	}
	if err := child(mode); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child loads files, or tries out one thing that loading must not do.
func child(mode string) error {
	if mode == modeLoad {
		return loadAll()
	}
	return probe(mode)
}
