//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// endGroup asks all of the group to end.
func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup ends whoever is left of the group.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nobody left is what we want
}

func ending(s *os.ProcessState) (code int, signal string) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -1, w.Signal().String()
	}
	return s.ExitCode(), ""
}
