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

// Streams of a command, as Chunk names them.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// grace is how long a group that was told to end may take before it is killed. settle is
// how long children of a command that has ended may go on talking.
const (
	grace  = 2 * time.Second
	settle = 300 * time.Millisecond
)

// A Command is what is run.
type Command struct {
	Path  string
	Args  []string
	Env   []string // all of it but the mark: nothing is inherited
	Dir   string
	Stdin string
	// Limit is how many characters of each stream are kept; what follows is dropped.
	Limit int
	// Chunk, if not nil, is told of output as it comes, one call at a time.
	Chunk func(stream, text string)
	// Limits hold before the command can read anything from its input. So they bind a
	// program that comes that way from its first line.
	Limits Limits
	// Isolate starts the command without network, without sight of the engine's process and
	// without the files that Files keeps from it.
	Isolate Isolation
	// Network leaves an isolated command the network, and the numbers of other processes.
	Network bool
	Files   Confinement
	// AtOnce ends the group by force, without a warning first.
	AtOnce bool
}

// Limits are what each process of a command may use; 0 is no limit.
type Limits struct {
	Memory    uint64 // bytes of address space
	CPU       uint64 // seconds
	FileSize  uint64 // bytes of one file
	Files     uint64 // open at a time
	Processes uint64 // of the same user; the system does not count those of root
}

// Isolation says whether a command is kept from the engine: by namespaces of its own, by
// Landlock, or by both. Without namespaces it keeps the network.
type Isolation int

const (
	Shared   Isolation = iota // not at all
	Possible                  // as far as the system allows it
	Required                  // or the command does not run

	filesOnly // by Landlock alone: what is tried where namespaces are not allowed
)

// ErrNotIsolated is why a command with Isolate Required did not run.
var ErrNotIsolated = errors.New("this system does not let a process be isolated")

// A Result is what came of a command that has run.
type Result struct {
	Stdout, Stderr string
	StdoutCut      bool // more came than was kept
	StderrCut      bool
	Code           int    // exit code; -1 when a signal ended it
	Signal         string // that ended it, "" for none
}

// Run runs a command and waits for its end. When ctx ends first, the whole group is told to
// end, then killed, and the error is ctx's cause. Another error means that it did not start.
func Run(ctx context.Context, c Command) (Result, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	r, err := begin(ctx, c)
	if err != nil {
		return Result{}, err
	}
	if r.begun == nil { // else the helper has set them
		if err := limit(r.cmd.Process.Pid, c.Limits); err != nil {
			end(fmt.Errorf("limits: %w", err))
		}
	}
	close(r.ready)
	return r.wait(ctx)
}

// begin starts a command with the most isolation that it may have here.
func begin(ctx context.Context, c Command) (*running, error) {
	required := c.Isolate == Required
	levels := []Isolation{Shared}
	switch {
	case c.Isolate == filesOnly:
		levels = []Isolation{filesOnly}
	case required && !c.Network:
		levels = []Isolation{Required} // Landlock alone leaves it a network
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

// running is a command while it runs. It has pipes of ours, so that the end of the command
// is not held up by children that hold its ends open.
type running struct {
	cmd      *exec.Cmd
	mark     string
	stdin    string
	ready    chan struct{} // closed when its limits hold and it may read
	hard     atomic.Pointer[time.Timer]
	out, err *capture
	begun    func() error   // waits until an isolated command has begun
	theirs   []*os.File     // ends of the pipes, to close once it has begun
	ours     []*os.File     // to close in the end
	reading  sync.WaitGroup // of what it says
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
			_ = r.cmd.Wait() // it has ended with the fault
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
		_, _ = io.WriteString(in, r.stdin) // it need not read all of it
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

// wait waits for the end of the command, a moment for what its children still say, and for
// nobody who is left then: they are ended.
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

// markName is the variable by which children are known that left the group.
const markName = "STEPGRAPH_PROCESS"
