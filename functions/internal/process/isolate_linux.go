package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolate starts a command in its own namespaces. The command keeps its user, and so its
// rights over the files that it sees, but it cannot inspect the engine's process and
// environment, which are in another namespace.
func isolate(cmd *exec.Cmd, c Command) {
	if c.Isolate == filesOnly {
		return
	}
	a := cmd.SysProcAttr
	a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
	if !c.Network {
		a.Cloneflags |= syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // over the new namespaces only, for the helper's mounts
}

// notAllowed reports whether a command did not start because namespaces are not allowed.
func notAllowed(err error) bool {
	if errors.Is(err, errUnconfined) {
		return true
	}
	for _, e := range []error{unix.EPERM, unix.EACCES, unix.EINVAL, unix.ENOSPC, unix.ENOSYS, unix.EUSERS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// LimitsHold reports whether this system enforces Limits.
const LimitsHold = true

// each calls f for every limit that is set.
func (l Limits) each(f func(name int, r unix.Rlimit) error) error {
	for _, r := range []struct {
		name  int
		value uint64
	}{
		{unix.RLIMIT_CPU, l.CPU}, {unix.RLIMIT_FSIZE, l.FileSize}, {unix.RLIMIT_NOFILE, l.Files}, {unix.RLIMIT_NPROC, l.Processes},
		{unix.RLIMIT_AS, l.Memory}, // last: a process that limits itself needs memory until then
	} {
		if r.value == 0 {
			continue
		}
		if err := f(r.name, unix.Rlimit{Cur: r.value, Max: r.value}); err != nil {
			return err
		}
	}
	return nil
}

// limit sets the limits of a process that has just started.
func limit(pid int, l Limits) error {
	return l.each(func(name int, r unix.Rlimit) error {
		err := unix.Prlimit(pid, name, &r, nil)
		if errors.Is(err, unix.ESRCH) { // the process has ended
			return nil
		}
		return err
	})
}
