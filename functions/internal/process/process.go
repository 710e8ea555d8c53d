package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// Names of a command's output streams, as passed to Chunk.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// grace is the time between SIGTERM and SIGKILL. settle is how long the output of children is
// still read after the command has ended.
const (
	grace  = 2 * time.Second
	settle = 300 * time.Millisecond
)

// A Command is a command to run.
type Command struct {
	Path  string
	Args  []string
	Env   []string // the complete environment except for the mark; nothing is inherited
	Dir   string
	Stdin string
	// Limit is how many characters of each stream are kept; the rest is dropped.
	Limit int
	// Chunk, if not nil, is called with output as it arrives, one call at a time.
	Chunk func(stream, text string)
	// Limits take effect before the command can read its standard input, so they apply to a
	// program passed there from its first line.
	Limits Limits
	// Isolate starts the command without network, without access to the engine's process and
	// without the files that Files hides.
	Isolate Isolation
	// Network leaves an isolated command the network and the process namespace of the system.
	Network bool
	Files   Confinement
	// AtOnce kills the group without sending SIGTERM first.
	AtOnce bool
}

// Limits apply to each process of a command; 0 is no limit.
type Limits struct {
	Memory    uint64 // bytes of address space
	CPU       uint64 // seconds
	FileSize  uint64 // bytes of one file
	Files     uint64 // open files
	Processes uint64 // processes of the same user; not enforced for root
}

// Isolation says whether a command is to be isolated from the engine: by its own namespaces,
// by Landlock, or by both. Without namespaces the command keeps the network.
type Isolation int

const (
	Shared   Isolation = iota // not isolated
	Possible                  // as far as the system allows it
	Required                  // or the command does not run

	filesOnly // by Landlock alone, if namespaces are not allowed
)

// ErrNotIsolated is the error of a command with Isolate Required on a system without
// isolation.
var ErrNotIsolated = errors.New("this system does not let a process be isolated")

// A Result is the result of a command that has run.
type Result struct {
	Stdout, Stderr string
	StdoutCut      bool // more output came than was kept
	StderrCut      bool
	Code           int    // exit code; -1 when a signal ended it
	Signal         string // the signal that ended it, "" for none
}

// Run runs a command and waits for its end. If ctx ends first, the whole group gets SIGTERM,
// then SIGKILL, and the error is ctx's cause. Any other error means that the command did not
// start.
func Run(ctx context.Context, c Command) (Result, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	r, err := begin(ctx, c)
	if err != nil {
		return Result{}, err
	}
	if r.begun == nil { // otherwise the helper has set them
		if err := limit(r.cmd.Process.Pid, c.Limits); err != nil {
			end(fmt.Errorf("limits: %w", err))
		}
	}
	close(r.ready)
	return r.wait(ctx)
}

// begin starts a command with the strongest isolation that works here.
func begin(ctx context.Context, c Command) (*running, error) {
	required := c.Isolate == Required
	levels := []Isolation{Shared}
	switch {
	case c.Isolate == filesOnly:
		levels = []Isolation{filesOnly}
	case required && !c.Network:
		levels = []Isolation{Required} // Landlock alone does not remove the network
	case required:
		levels = []Isolation{Required, filesOnly}
	case c.Isolate == Possible:
		levels = []Isolation{Possible, filesOnly, Shared}
	}
	var why error
	for _, level := range levels {
		c.Isolate = level
		r, err := newRunning(ctx, c)
		if err == nil {
			err = r.start()
		}
		if err == nil {
			return r, nil
		}
		if level == Shared || ctx.Err() != nil || !notAllowed(err) {
			return nil, err
		}
		why = err
	}
	return nil, fmt.Errorf("%w: %w", ErrNotIsolated, why)
}

// running is a running command. It uses its own pipes, so that waiting for the command does
// not depend on children that keep the pipes open.
type running struct {
	cmd      *exec.Cmd
	mark     string
	stdin    string
	ready    chan struct{} // closed when the limits are set and the command may read
	hard     atomic.Pointer[time.Timer]
	out, err *capture
	begun    func() error   // waits until an isolated command runs
	theirs   []*os.File     // the command's ends of the pipes, closed once it runs
	ours     []*os.File     // our ends, closed at the end
	reading  sync.WaitGroup // the goroutines that read its output
}

func newRunning(ctx context.Context, c Command) (*running, error) {
	var mu sync.Mutex
	r := &running{
		cmd: exec.CommandContext(ctx, c.Path, c.Args...), mark: markName + "=" + uuid.NewString(), stdin: c.Stdin, ready: make(chan struct{}),
		out: &capture{limit: c.Limit, name: Stdout, chunk: c.Chunk, mu: &mu},
		err: &capture{limit: c.Limit, name: Stderr, chunk: c.Chunk, mu: &mu},
	}
	r.cmd.Env, r.cmd.Dir = append([]string{r.mark}, c.Env...), c.Dir
	ownGroup(r.cmd)
	if c.Isolate != Shared {
		isolate(r.cmd, c)
		var err error
		if r.begun, err = helper(r.cmd, c); err != nil {
			return nil, err
		}
	}
	r.cmd.Cancel = func() error {
		if c.AtOnce {
			killGroup(r.cmd)
			return nil
		}
		r.hard.Store(time.AfterFunc(grace, func() { killGroup(r.cmd) }))
		return endGroup(r.cmd)
	}
	r.cmd.WaitDelay = 2 * grace
	return r, nil
}

func (r *running) start() error {
	err := r.pipes()
	if err == nil {
		err = r.cmd.Start()
	}
	if r.begun != nil {
		if fault := r.begun(); err == nil && fault != nil {
			_ = r.cmd.Wait() // the error is reported already
			err = fault
		}
	}
	for _, f := range r.theirs {
		f.Close()
	}
	if err != nil {
		r.close()
		return err
	}
	in, out, problems := r.ours[0], r.ours[1], r.ours[2]
	go func() {
		<-r.ready
		_, _ = io.WriteString(in, r.stdin) // the command need not read all of it
		in.Close()
	}()
	r.reading.Go(func() { _, _ = io.Copy(r.out, out) })
	r.reading.Go(func() { _, _ = io.Copy(r.err, problems) })
	return nil
}

func (r *running) pipes() error {
	var theirs, ours [3]*os.File
	for i := range theirs {
		read, write, err := os.Pipe()
		if err != nil {
			return err
		}
		theirs[i], ours[i] = write, read
		if i == 0 {
			theirs[i], ours[i] = read, write
		}
		r.theirs, r.ours = append(r.theirs, theirs[i]), append(r.ours, ours[i])
	}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	return nil
}

func (r *running) close() {
	for _, f := range r.ours {
		f.Close()
	}
}

// wait waits for the end of the command, then reads its children's output for a moment, then
// kills the remaining processes.
func (r *running) wait(ctx context.Context) (Result, error) {
	err := r.cmd.Wait()
	if hard := r.hard.Load(); hard != nil {
		hard.Stop()
	}
	silent := make(chan struct{})
	go func() {
		r.reading.Wait()
		close(silent)
	}()
	if ctx.Err() == nil {
		within(silent, settle)
	}
	killGroup(r.cmd)
	sweep(r.mark)
	within(silent, grace)
	r.close()
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Result{}, err
	}
	result := Result{}
	result.Stdout, result.StdoutCut = r.out.end()
	result.Stderr, result.StderrCut = r.err.end()
	result.Code, result.Signal = ending(r.cmd.ProcessState)
	return result, nil
}

func within(done <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// markName is the environment variable that identifies children which left the group.
const markName = "STEPGRAPH_PROCESS"
