package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolate gives a command namespaces of its own. It keeps its user, and so its rights over
// files, but the engine and its environment are another namespace's: it cannot look at them.
func isolate(cmd *exec.Cmd) {
	a := cmd.SysProcAttr
	a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
}

// notAllowed tells whether a command did not start because of its namespaces.
func notAllowed(err error) bool {
	for _, e := range []error{unix.EPERM, unix.EACCES, unix.EINVAL, unix.ENOSPC, unix.ENOSYS, unix.EUSERS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// LimitsHold tells whether Limits are kept on this system.
const LimitsHold = true

// limit sets the limits of a process that has just begun.
func limit(pid int, l Limits) error {
	for _, r := range []struct {
		name  int
		value uint64
	}{
		{unix.RLIMIT_AS, l.Memory}, {unix.RLIMIT_CPU, l.CPU}, {unix.RLIMIT_FSIZE, l.FileSize},
		{unix.RLIMIT_NOFILE, l.Files}, {unix.RLIMIT_NPROC, l.Processes},
	} {
		if r.value == 0 {
			continue
		}
		err := unix.Prlimit(pid, r.name, &unix.Rlimit{Cur: r.value, Max: r.value}, nil)
		if err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
			return err
		}
	}
	return nil
}
