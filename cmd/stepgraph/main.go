// Command stepgraph runs workflows that are graphs. It serves the API and runs sessions (dev,
// serve), manages workflows (load, export, validate, list, show), starts and controls sessions
// (run, session) and evaluates references and conditions (eval).
//
// Results go to stdout, messages to stderr. The exit code is 0 for success, 1 for a failure,
// 2 for wrong usage, 3 when something is not found, 4 for a conflict and 5 when a session
// waits for input.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/stepgraph/stepgraph/internal/heap"
)

// heapRoom is how much memory the program may fill between two collections: with Go's default a
// fifth of the processor time of 1,000 small sessions went into collections.
const heapRoom = 48 << 20

func main() {
	if os.Getenv("GOGC") == "" {
		heap.Grow(heapRoom)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	os.Exit(code)
}

// Main runs one command and returns its exit code. It is what main and the end-to-end
// tests start; it touches nothing global but the working directory. A cancelled ctx is
// how a signal arrives: servers then stop cleanly.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) int {
	a := &app{env: env, in: stdin, out: stdout, err: stderr}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return a.finish(root.ExecuteContext(ctx))
}

// finish says what went wrong and returns the exit code.
func (a *app) finish(err error) int {
	if err == nil {
		return exitOK
	}
	switch text := err.Error(); {
	case text == "": // all has been said
	case errors.Is(err, context.Canceled):
		a.printErr("stepgraph: interrupted")
	default:
		a.printErr("stepgraph: %s", text)
	}
	return codeOf(err)
}
