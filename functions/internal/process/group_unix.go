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

// endGroup sends SIGTERM to the group.
func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup kills the remaining processes of the group.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // fails if no process is left
}

func ending(s *os.ProcessState) (code int, signal string) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -1, w.Signal().String()
	}
	return s.ExitCode(), ""
}
