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

// A command is confined by a helper process: this program started again, which drops its own
// rights and then executes the command. The Go runtime has no hook between fork and exec, and
// rights dropped in the engine's own process could not be restored.
const helperName = "stepgraph-confine"

// File descriptors of the helper in addition to its standard streams.
const (
	planFD  = 3 // the helper reads its plan here
	faultFD = 4 // the helper writes here why the command did not start; closed by exec
)

// A plan is what the helper has to do.
type plan struct {
	Path       string
	Args, Env  []string
	Dir        string
	Namespaces bool // the helper runs in its own namespaces
	Hide       []string
	Read       []string
	Write      []string
	Limits     Limits
}

// unconfined is the prefix of the error on a system that cannot hide files.
const unconfined = "unconfined: "

// The helper runs in init, before main of any program that links this package, test programs
// included, so that no program has to call it.
func init() {
	if len(os.Args) == 1 && os.Args[0] == helperName {
		runtime.LockOSThread() // rights belong to a thread; exec keeps those of the calling thread
		err := help()
		faults := os.NewFile(faultFD, "faults")
		_, _ = io.WriteString(faults, err.Error()) // if the write fails, the reader is gone
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
	if p.Path == "" { // Try: there is no command to run
		os.Exit(0)
	}
	if err := os.Chdir(p.Dir); err != nil { // again, because the previous path may be hidden now
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

// hide mounts an empty read-only folder over each folder and an empty file over each file.
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

// dropCapabilities removes all capabilities in the new namespaces, so that the mounts cannot
// be undone.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // old kernels have no ambient capabilities
	for c := range uintptr(64) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			break // the last capability, or no right to drop it, and then no right to mount either
		}
	}
	return nil
}

// set sets the limits of this process and of the program it executes.
func (l Limits) set() error {
	return l.each(func(name int, r unix.Rlimit) error { return unix.Setrlimit(name, &r) })
}

// helper makes cmd start the helper for a command. The returned func sends the helper its plan
// and returns nil once the command runs, else the reason why it does not.
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
		if cmd.Process == nil { // the start failed
			return planIn.Close()
		}
		_, _ = planIn.Write(text) // the helper may have ended; its error is read below
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

// errUnconfined is returned if the helper could not confine itself.
var errUnconfined = errors.New("files cannot be kept from a command here")

// resolved returns the absolute paths, without links, that the patterns match.
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

// Supported tests which isolation works on this system.
var Supported = sync.OnceValue(func() Support {
	s := Support{Landlock: landlockVersion()}
	err := Try(Command{Isolate: Required})
	s.Namespaces = err == nil
	if err != nil {
		s.Why = err.Error()
	}
	return s
})

// Try starts the helper as for a command, but runs no command.
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
