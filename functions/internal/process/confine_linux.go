package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A command is confined by a helper: this program started anew, which takes rights away from
// itself and then becomes the command. The Go runtime has no hook between fork and exec, and
// taking rights from the engine's own process would take them for ever.
const helperName = "stepgraph-confine"

// Descriptors of the helper beside its streams.
const (
	planFD  = 3 // it reads a plan
	faultFD = 4 // it writes why the command did not begin; closed by exec
)

// A plan is what the helper does.
type plan struct {
	Path       string
	Args, Env  []string
	Dir        string
	Namespaces bool // it has some of its own
	Hide       []string
	Read       []string
	Write      []string
	Limits     Limits
}

// unconfined begins the fault of a system that cannot hide files.
const unconfined = "unconfined: "

// The helper's work is done before main of whatever program this package is linked into,
// test programs included, so that nothing need be wired for it.
func init() {
	if len(os.Args) == 1 && os.Args[0] == helperName {
		runtime.LockOSThread() // rights are a thread's; exec keeps those of its caller
		err := help()
		faults := os.NewFile(faultFD, "faults")
		_, _ = io.WriteString(faults, err.Error()) // whoever would read it has gone
		os.Exit(126)
	}
}

func help() error {
	unix.CloseOnExec(planFD)
	unix.CloseOnExec(faultFD)
	var p plan
	if err := json.NewDecoder(os.NewFile(planFD, "plan")).Decode(&p); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if err := p.confine(); err != nil {
		return err
	}
	if p.Path == "" { // only tried
		os.Exit(0)
	}
	if err := os.Chdir(p.Dir); err != nil { // anew: the way here may be hidden now
		return err
	}
	if err := p.Limits.set(); err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	return fmt.Errorf("%s: %w", p.Path, syscall.Exec(p.Path, append([]string{p.Path}, p.Args...), p.Env))
}

func (p plan) confine() error {
	if p.Namespaces {
		if err := hide(p.Hide); err != nil {
			return fmt.Errorf("%s%w", unconfined, err)
		}
	}
	version := landlockVersion()
	if version == 0 && !p.Namespaces {
		return errors.New(unconfined + "the kernel has no Landlock, and namespaces are not allowed")
	}
	if version > 0 {
		if err := p.restrict(version); err != nil {
			return fmt.Errorf("%s%w", unconfined, err)
		}
	}
	return dropCapabilities()
}

// hide puts an empty read-only folder over each folder and an empty file over each file.
func hide(paths []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts: %w", err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			return err
		case info.IsDir():
			err = unix.Mount("none", path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0555")
		default:
			err = unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("hide %s: %w", path, err)
		}
	}
	return nil
}

// dropCapabilities leaves none over the new namespaces, so that what was mounted stays.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // kernels without have none
	for c := range uintptr(64) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			break // beyond the last, or without the right to, which then is no right to mount either
		}
	}
	return nil
}

// set takes effect for this process and what it becomes.
func (l Limits) set() error {
	return l.each(func(name int, r unix.Rlimit) error { return unix.Setrlimit(name, &r) })
}

// helper makes cmd start the helper for a command. The returned func gives the helper its
// plan and returns once the command has begun, or why it has not.
func helper(cmd *exec.Cmd, c Command) (begun func() error, err error) {
	planOut, planIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	faultOut, faultIn, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, planOut.Close(), planIn.Close())
	}
	if c.Dir == "" {
		if c.Dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(plan{Path: cmd.Path, Args: c.Args, Env: cmd.Env, Dir: c.Dir, Namespaces: c.Isolate != filesOnly,
		Hide: resolved(c.Files.Hide), Read: c.Files.Read, Write: c.Files.Write, Limits: c.Limits})
	if err != nil {
		return nil, err
	}
	cmd.Path, cmd.Args, cmd.Env = "/proc/self/exe", []string{helperName}, cmd.Env[:1]
	cmd.ExtraFiles = []*os.File{planOut, faultIn}
	return func() error {
		planOut.Close()
		faultIn.Close()
		defer faultOut.Close()
		if cmd.Process == nil { // it did not start
			return planIn.Close()
		}
		_, _ = planIn.Write(text) // the helper may have ended: then it says why
		planIn.Close()
		fault, err := io.ReadAll(faultOut)
		if why, is := strings.CutPrefix(string(fault), unconfined); is {
			return fmt.Errorf("%w: %s", errUnconfined, why)
		}
		if len(fault) > 0 {
			return errors.New(string(fault))
		}
		return err
	}, nil
}

// errUnconfined is the fault of a helper that could not take its rights away.
var errUnconfined = errors.New("files cannot be kept from a command here")

// resolved are the paths that patterns name, absolute and without links.
func resolved(patterns []string) (paths []string) {
	for _, pattern := range patterns {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			matches = []string{pattern}
		}
		for _, m := range matches {
			if path, err := filepath.EvalSymlinks(m); err == nil {
				if path, err = filepath.Abs(path); err == nil {
					paths = append(paths, path)
				}
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Supported tries what commands can have here.
var Supported = sync.OnceValue(func() Support {
	s := Support{Landlock: landlockVersion()}
	err := Try(Command{Isolate: Required})
	s.Namespaces = err == nil
	if err != nil {
		s.Why = err.Error()
	}
	return s
})

// Try starts the helper as for a command, without one.
func Try(c Command) error {
	dir, err := os.MkdirTemp("", "stepgraph-isolation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c.Files.Hide = append(c.Files.Hide, dir)
	cmd := exec.Command("")
	cmd.Path, cmd.Err = "", nil
	cmd.Env = []string{markName + "=try"}
	ownGroup(cmd)
	isolate(cmd, c)
	begun, err := helper(cmd, c)
	if err != nil {
		return err
	}
	err = errors.Join(cmd.Start(), begun())
	if err != nil {
		return err
	}
	return cmd.Wait()
}
