//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// There are no process groups to signal here: the process alone is ended.
func ownGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended

func ending(s *os.ProcessState) (code int, signal string) { return s.ExitCode(), "" }
