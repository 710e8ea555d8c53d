//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// This system has no process groups to signal; only the process itself is killed.
func ownGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended already

func ending(s *os.ProcessState) (code int, signal string) { return s.ExitCode(), "" }
