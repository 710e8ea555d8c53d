//go:build linux && (amd64 || arm64)

package hostile

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// confined says how a process that did what it must not do comes to its end.
const confined = "SIGSYS: bad system call"

// whyNot says why processes cannot be confined here, "" where they can.
func whyNot() string { return "" }

// forbidden are the system calls by which a process starts programs, reaches others, or
// reads, makes and changes files. What it has open already, its output, stays open.
var forbidden = append([]uint32{
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_PTRACE, unix.SYS_KILL, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_RECVFROM, unix.SYS_RECVMSG, unix.SYS_RECVMMSG,
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_MEMFD_CREATE, unix.SYS_MKNODAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
	unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE, unix.SYS_SPLICE,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_SETUP, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN, unix.SYS_REBOOT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME,
}, older...)

// Places in the data a filter sees.
const (
	atNumber   = 0
	atArch     = 4
	atFirstArg = 16 // its lower half
)

// confine puts a filter on all threads of this process, for good: a forbidden call ends it
// with the stack of whoever called.
func confine() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("confine: no new privileges: %w", err)
	}
	program := filter()
	whole := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	bad, _, fault := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&whole)))
	if fault != 0 || bad != 0 {
		return fmt.Errorf("confine: install the filter: %w (thread %d)", fault, bad)
	}
	return nil
}

func filter() []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	end := func(what uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what} }
	jump := func(how uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | how, Jt: yes, Jf: no, K: k}
	}
	program := []unix.SockFilter{
		load(atArch), jump(unix.BPF_JEQ, arch, 1, 0), end(unix.SECCOMP_RET_TRAP),
		load(atNumber), jump(unix.BPF_JGE, otherNumbers, 0, 1), end(unix.SECCOMP_RET_TRAP),
		// The flags of clone3 are out of a filter's sight; without it, clone is used.
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), end(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)),
		// A new thread is no new process.
		jump(unix.BPF_JEQ, unix.SYS_CLONE, 0, 4), load(atFirstArg), jump(unix.BPF_JSET, unix.CLONE_THREAD, 0, 1), end(unix.SECCOMP_RET_ALLOW), end(unix.SECCOMP_RET_TRAP),
	}
	for _, number := range forbidden {
		program = append(program, jump(unix.BPF_JEQ, number, 0, 1), end(unix.SECCOMP_RET_TRAP))
	}
	return append(program, end(unix.SECCOMP_RET_ALLOW))
}

// bound keeps the process from taking more memory than that, in bytes.
func bound(bytes uint64) error {
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes})
}

// processorTime is what this process has used of processors.
func processorTime() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
