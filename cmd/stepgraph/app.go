package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// An app is one invocation: its streams, its environment and what the flags of every command
// say. Each group of commands embeds it; see commands.go for the groups.
type app struct {
	env      func(string) string
	in       io.Reader
	out, err io.Writer

	output  string // -o
	dir     string // where dev keeps its things
	file    string // --config
	verbose bool
	config  config
	log     *slog.Logger
}

const (
	outputText = "text"
	outputJSON = "json"
)

// prepare runs before every command.
func (a *app) prepare() error {
	if a.output != outputText && a.output != outputJSON {
		return usagef("--output %s: want text or json", a.output)
	}
	if a.dir == "" {
		a.dir = a.env("STEPGRAPH_DIR")
	}
	if a.dir == "" {
		a.dir = ".stepgraph"
	}
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	a.log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
	if a.file == "" {
		a.file = a.env("STEPGRAPH_CONFIG")
	}
	var err error
	a.config, err = readConfig(a.file)
	return err
}

// printErr writes a line to stderr.
func (a *app) printErr(format string, args ...any) {
	fmt.Fprintf(printableWriter{a.err}, format+"\n", args...)
}

// json reports whether the data is wanted as JSON.
func (a *app) json() bool { return a.output == outputJSON }

// readFile reads a file, or stdin for "-".
func (a *app) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return []byte(strings.TrimPrefix(string(text), "\uFEFF")), nil
}
