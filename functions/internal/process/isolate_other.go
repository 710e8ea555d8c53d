//go:build !linux

package process

import (
	"errors"
	"os/exec"
)

var errNoNamespaces = errors.New("there are none")

// isolate makes the start fail with the error for missing namespaces.
func isolate(cmd *exec.Cmd, _ Command) { cmd.Err = errNoNamespaces }

func helper(*exec.Cmd, Command) (begun func() error, err error) {
	return func() error { return nil }, nil
}

func notAllowed(err error) bool { return errors.Is(err, errNoNamespaces) }

// LimitsHold reports whether this system enforces Limits.
const LimitsHold = false

func limit(int, Limits) error { return nil }

// sweep does nothing: this system cannot tell whose child a process was.
func sweep(string) {}

// Supported reports that nothing is supported.
func Supported() Support {
	return Support{Why: "isolation of commands needs Linux"}
}
