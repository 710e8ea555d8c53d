package neo4jserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"
)

// stopWithin is how long a server may take to shut down cleanly.
const stopWithin = 30 * time.Second

// errStopped is returned when a server that was stopped is to be used again.
var errStopped = errors.New("neo4j: this server was stopped: start a new one")

// An instance is a server that was started here, over all its restarts.
type instance struct {
	home    *home
	command func() *exec.Cmd     // makes the command of one launch
	crash   func(*process) error // ends a launch at once
	server  *Server              // where and how it answers
	within  time.Duration        // from launch to the first answer
	log     *slog.Logger

	mu      sync.Mutex
	process *process
	stopped bool
}

// begin launches a new instance. When that fails its home is given up.
func (i *instance) begin(ctx context.Context) error {
	if err := i.launch(ctx); err != nil {
		return errors.Join(err, i.home.leave())
	}
	return nil
}

// launch starts the process and returns when the server answers, or has none
// running and says what its log says.
func (i *instance) launch(ctx context.Context) error {
	name := i.home.path("logs", "console.log")
	console, err := openConsole(name)
	if err != nil {
		return fmt.Errorf("neo4j log: %w", err)
	}
	defer console.Close()
	command := i.command()
	command.Stdout, command.Stderr = console.file, console.file
	command.ExtraFiles = i.home.inherited()
	began := time.Now()
	p, err := launch(command)
	if err != nil {
		return fmt.Errorf("neo4j: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, i.within, fmt.Errorf("no answer within %s of its start", i.within))
	defer cancel()
	if err := awaitAnswer(ctx, i.server, p.done); err != nil {
		err = errors.Join(err, i.crash(p))
		return fmt.Errorf("neo4j %s: %w; log %s ends:\n%s", i.server.URI, err, name, console.tail())
	}
	i.process = p
	i.log.Debug("neo4j answers", "uri", i.server.URI, "kind", i.server.Kind, "pid", p.command.Process.Pid,
		"home", i.home.dir, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

func (i *instance) pid() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.process == nil || i.process.ended() {
		return 0
	}
	return i.process.command.Process.Pid
}

func (i *instance) stop(ctx context.Context) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return nil
	}
	if err := i.end(ctx); err != nil {
		return err
	}
	i.stopped = true
	return i.home.close()
}

func (i *instance) kill() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.process == nil {
		return nil
	}
	if err := i.crash(i.process); err != nil {
		return fmt.Errorf("kill neo4j: %w", err)
	}
	i.process = nil
	return nil
}

func (i *instance) restart(ctx context.Context) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return errStopped
	}
	if err := i.end(ctx); err != nil {
		return err
	}
	return i.launch(ctx)
}

// end shuts the process down, by force when it takes too long. Force costs
// nothing but a recovery at the next start.
func (i *instance) end(ctx context.Context) error {
	if i.process == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stopWithin, fmt.Errorf("no shutdown within %s", stopWithin))
	defer cancel()
	if err := i.process.terminate(ctx); err != nil {
		i.log.Warn("neo4j is killed", "pid", i.process.command.Process.Pid, "error", err)
		if err := i.crash(i.process); err != nil {
			return fmt.Errorf("stop neo4j: %w", err)
		}
	}
	i.process = nil
	return nil
}

// A console is the file that collects what one launch prints.
type console struct {
	file  *os.File
	began int64 // where this launch's part begins
}

func openConsole(name string) (*console, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &console{file: file, began: info.Size()}, nil
}

func (c *console) Close() error { return c.file.Close() }
