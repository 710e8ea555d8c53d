//go:build !linux

package process

import (
	"errors"
	"os/exec"
)

var errNoNamespaces = errors.New("there are none")

// isolate makes the start fail as it does where namespaces are not allowed.
func isolate(cmd *exec.Cmd) { cmd.Err = errNoNamespaces }

func notAllowed(err error) bool { return errors.Is(err, errNoNamespaces) }

// LimitsHold tells whether Limits are kept on this system.
const LimitsHold = false

func limit(int, Limits) error { return nil }

// sweep finds nobody: there is no way to tell whose child a process was.
func sweep(string) {}
