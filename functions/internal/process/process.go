// Package process runs a command in a process group of its own and never leaves one of its
// children behind. Output is bounded, so that a command cannot fill the memory.
package process

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Streams of a command, as Chunk names them.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// grace is how long a group that was told to end may take before it is killed, and how long
// output is waited for that a child left behind still holds open.
const grace = 2 * time.Second

// A Command is what is run.
type Command struct {
	Path  string
	Args  []string
	Env   []string // all of it: nothing is inherited
	Dir   string
	Stdin string
	// Limit is how many characters of each stream are kept; what follows is dropped.
	Limit int
	// Chunk, if not nil, is told of output as it comes, one call at a time.
	Chunk func(stream, text string)
	// Prepare, if not nil, changes how the process is started.
	Prepare func(*exec.Cmd)
}

// A Result is what came of a command that has run.
type Result struct {
	Stdout, Stderr string
	Truncated      bool   // of either stream
	Code           int    // exit code; -1 when a signal ended it
	Signal         string // that ended it, "" for none
}

// Run runs a command and waits for its end. When ctx ends first, the whole group is told to
// end, then killed, and the error is ctx's cause. Another error means that it did not start.
func Run(ctx context.Context, c Command) (Result, error) {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env, cmd.Dir = append([]string{}, c.Env...), c.Dir
	cmd.Stdin = strings.NewReader(c.Stdin)
	var mu sync.Mutex
	out := &capture{limit: c.Limit, name: Stdout, chunk: c.Chunk, mu: &mu}
	problems := &capture{limit: c.Limit, name: Stderr, chunk: c.Chunk, mu: &mu}
	cmd.Stdout, cmd.Stderr = out, problems
	ownGroup(cmd)
	if c.Prepare != nil {
		c.Prepare(cmd)
	}
	var hard *time.Timer
	cmd.Cancel = func() error {
		hard = time.AfterFunc(grace, func() { killGroup(cmd) })
		return endGroup(cmd)
	}
	cmd.WaitDelay = 2 * grace
	if err := cmd.Start(); err != nil {
		return Result{}, err
	}
	err := cmd.Wait()
	killGroup(cmd) // whoever is left of it
	if hard != nil {
		hard.Stop()
	}
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Result{}, err
	}
	r := Result{Stdout: out.text(), Stderr: problems.text(), Truncated: out.cut || problems.cut}
	r.Code, r.Signal = ending(cmd.ProcessState)
	return r, nil
}

// capture keeps the beginning of a stream.
type capture struct {
	mu    *sync.Mutex
	name  string
	kept  strings.Builder
	count int
	limit int
	cut   bool
	chunk func(stream, text string)
	rest  []byte // the beginning of a character that has not come whole
}

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data := append(c.rest, p...)
	whole := len(data)
	for i := max(0, whole-utf8.UTFMax); i < whole; i++ {
		if utf8.RuneStart(data[i]) && !utf8.FullRune(data[i:]) {
			whole = i
			break
		}
	}
	c.rest = append([]byte(nil), data[whole:]...)
	c.keep(strings.ToValidUTF8(string(data[:whole]), "\uFFFD"))
	return len(p), nil
}

func (c *capture) keep(text string) {
	if text == "" || c.cut {
		return
	}
	if n := utf8.RuneCountInString(text); c.limit > 0 && c.count+n > c.limit {
		runes := []rune(text)
		text, c.cut = string(runes[:c.limit-c.count]), true
	}
	c.count += utf8.RuneCountInString(text)
	c.kept.WriteString(text)
	if c.chunk != nil && text != "" {
		c.chunk(c.name, text)
	}
}

// text is what was kept, once the command has ended.
func (c *capture) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rest) > 0 {
		c.rest = nil
		c.keep("\uFFFD")
	}
	return c.kept.String()
}
