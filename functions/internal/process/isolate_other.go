//go:build !linux

package process

import (
	"errors"
	"os/exec"
)

var errNoNamespaces = errors.New("there are none")

// isolate makes the start fail as it does where namespaces are not allowed.
func isolate(cmd *exec.Cmd, _ Command) { cmd.Err = errNoNamespaces }

func helper(*exec.Cmd, Command) (begun func() error, err error) {
	return func() error { return nil }, nil
}

func notAllowed(err error) bool { return errors.Is(err, errNoNamespaces) }

// LimitsHold reports whether Limits are kept on this system.
const LimitsHold = false

func limit(int, Limits) error { return nil }

// sweep finds nobody: there is no way to find out whose child a process was.
func sweep(string) {}

// Supported is nothing here.
func Supported() Support {
	return Support{Why: "isolation of commands needs Linux"}
}
