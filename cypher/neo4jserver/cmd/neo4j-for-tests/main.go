// Command neo4j-for-tests runs a command with a Neo4j that it can use:
//
//	neo4j-for-tests [-print-browser] -- COMMAND ARGS...
//
// When $NEO4J_URI is unset it starts a server first and stops it afterwards.
// COMMAND finds it in NEO4J_URI, NEO4J_USERNAME, NEO4J_PASSWORD,
// NEO4J_DATABASE and NEO4J_BROWSER_URL. One line on stderr has the address.
// COMMAND gets the signals and gives the exit code; the code is 1 when there
// is no server, 2 for wrong usage and 127 when COMMAND cannot be started.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
)

const (
	exitFailed     = 1
	exitUsage      = 2
	exitNotStarted = 127
	exitSignal     = 128 // plus the signal's number
)

// errStarted ends the wait for signals during the start.
var errStarted = errors.New("started")

func main() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	os.Exit(run(os.Args[1:], signals, os.Stderr))
}

// run does everything but exit, and returns the exit code.
func run(arguments []string, signals <-chan os.Signal, stderr io.Writer) int {
	flags := flag.NewFlagSet("neo4j-for-tests", flag.ContinueOnError)
	flags.SetOutput(stderr)
	printBrowser := flags.Bool("print-browser", false, "print the address of Neo4j Browser instead of the Bolt address")
	if err := flags.Parse(arguments); err != nil {
		return exitUsage
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(stderr, "usage: neo4j-for-tests [-print-browser] -- COMMAND ARGS...")
		return exitUsage
	}
	server, err := start(signals, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "neo4j-for-tests:", err)
		return exitFailed
	}
	address := server.URI
	if *printBrowser {
		address = server.BrowserURL
	}
	fmt.Fprintln(stderr, "neo4j-for-tests:", address)
	code := runCommand(flags.Args(), server.Environ(), signals, stderr)
	if err := server.Stop(context.Background()); err != nil {
		fmt.Fprintln(stderr, "neo4j-for-tests:", err)
		code = max(code, exitFailed)
	}
	return code
}

// start gives a server; a signal that arrives meanwhile ends the attempt.
func start(signals <-chan os.Signal, stderr io.Writer) (*neo4jserver.Server, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	listened := make(chan struct{})
	go func() {
		defer close(listened)
		select {
		case s := <-signals:
			cancel(fmt.Errorf("stopped by signal: %s", s))
		case <-ctx.Done():
		}
	}()
	log := slog.New(slog.NewTextHandler(stderr, nil))
	// A server that starts beside compilers and other tests takes longer than the default allows.
	server, err := neo4jserver.Start(ctx, neo4jserver.Options{Log: log, StartWithin: 5 * time.Minute})
	cancel(errStarted)
	<-listened
	// The signal may have come just too late to end the attempt; it must not
	// get lost: it is not sent twice.
	if cause := context.Cause(ctx); err == nil && cause != errStarted {
		return nil, errors.Join(cause, server.Stop(context.Background()))
	}
	return server, err
}

// runCommand runs the command to its end, passing signals on to it, and
// returns the exit code that a shell would.
func runCommand(arguments, environ []string, signals <-chan os.Signal, stderr io.Writer) int {
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Env = append(os.Environ(), environ...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, stderr
	if err := command.Start(); err != nil {
		fmt.Fprintln(stderr, "neo4j-for-tests:", err)
		return exitNotStarted
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case s := <-signals:
			command.Process.Signal(s) // it may have ended just now, which is fine
		case err := <-ended:
			return exitCode(err)
		}
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return exitFailed
		}
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal())
	}
	return exit.ExitCode()
}
