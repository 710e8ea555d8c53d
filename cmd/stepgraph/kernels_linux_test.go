package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/stepgraph/stepgraph/functions/isolation"
)

// kernelProgram is stepgraph on a kernel without what $WITHOUT names: landlock, namespaces, or
// both. A filter of system calls refuses them as such a kernel, or a container, does.
const kernelProgram = "stepgraph-on-kernel"

func init() {
	programs[kernelProgram] = func() {
		if err := refuseCalls(os.Getenv("WITHOUT")); err != nil {
			fmt.Fprintln(os.Stderr, "filter:", err)
			os.Exit(99)
		}
		main()
	}
}

// refuseCalls refuses system calls to this process and to all that it starts.
func refuseCalls(what string) error {
	const (
		number, flags = 0, 16 // where seccomp_data has the number of a call and the low half of its first argument
		refuse        = unix.SECCOMP_RET_ERRNO
	)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	give := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	unless := func(test uint16, k uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jf: skip, K: k}
	}
	var program []unix.SockFilter
	if strings.Contains(what, "landlock") {
		program = append(program, load(number), unless(unix.BPF_JEQ, unix.SYS_LANDLOCK_CREATE_RULESET, 1), give(refuse|uint32(unix.ENOSYS)))
	}
	if strings.Contains(what, "namespaces") {
		program = append(program, load(number), unless(unix.BPF_JEQ, unix.SYS_CLONE, 3), load(flags), unless(unix.BPF_JSET, unix.CLONE_NEWUSER, 1), give(refuse|uint32(unix.EPERM)))
	}
	program = append(program, give(unix.SECCOMP_RET_ALLOW))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, fault := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter))); fault != 0 {
		return fault
	}
	return nil
}

// TestKernelsWithLessIsolation: what a kernel cannot do is said by doctor and at the start, and
// a server that requires isolation runs no program there.
func TestKernelsWithLessIsolation(t *testing.T) {
	if has, _ := isolation.Here(); !strings.HasPrefix(has, "namespaces and Landlock") {
		t.Skipf("this kernel has less itself: %s", has)
	}
	work := t.TempDir()
	dir := filepath.Join(work, ".stepgraph")
	config := write(t, filepath.Join(work, "config.json"), `{"token":"CANARY-of-the-configuration-0123456789"}`)
	file := write(t, filepath.Join(work, "w.cypher"), `CREATE (:STEP {id: 'root', function: 'shell', input: '{"command": "cat `+config+` /proc/$PPID/environ; echo done"}'});`)
	on := func(kernel string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), kernelProgram, append(args, "--allow-shell", "--dir", dir, "--config", config)...)
		cmd.Env = append(os.Environ(), "WITHOUT="+kernel, "KEPT=CANARY-of-the-environment", "STEPGRAPH_STORE=memory")
		text, err := cmd.CombinedOutput() // doctor and failed runs exit with another code than 0
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 99 {
			t.Fatalf("%v: %s", err, text)
		}
		return string(text)
	}
	for _, c := range []struct {
		kernel, reported string
		hides            bool
	}{
		{"", "this system has ", true},
		{"landlock", "this system has namespaces; the kernel has no Landlock", true},
		{"namespaces", "namespaces are not allowed", true},
		{"landlock namespaces", "this system has none: ", false},
	} {
		t.Run("without "+c.kernel, func(t *testing.T) {
			if got := on(c.kernel, "doctor", "--store", "memory"); !strings.Contains(got, c.reported) || strings.Contains(got, "warning  isolation") == c.hides {
				t.Errorf("doctor: %s", got)
			}
			required := on(c.kernel, "run", file, "--isolate", "required", "-o", "json")
			if ran := strings.Contains(required, `done`) && !strings.Contains(required, "does not let a process be isolated"); ran != c.hides || strings.Contains(required, "CANARY") {
				t.Errorf("required: %s", required)
			}
			possible := on(c.kernel, "run", file, "--isolate", "possible", "-o", "json")
			if !strings.Contains(possible, "done") || strings.Contains(possible, "CANARY") == c.hides {
				t.Errorf("possible: %s", possible)
			}
		})
	}
}
