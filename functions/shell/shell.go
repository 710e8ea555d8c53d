package shell

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/process"
	"github.com/stepgraph/stepgraph/functions/isolation"
)

// Limits of a command's output and of its program text.
const (
	maxOutput = 1_000_000 // characters of each stream
	// maxEncoded is the maximal size of an output in bytes, which contains the streams twice:
	// the engine refuses more than 1 MB, and would do so after the command has run.
	maxEncoded = 1_000_000
	maxText    = 100 << 10 // bytes of the program text
	timeout    = 5 * time.Minute
	atOnce     = 8 // concurrent commands of one engine
)

// Options configure the function shell. The zero value refuses every call.
type Options struct {
	Allow bool   // whether steps may run commands at all
	Dir   string // the folder commands run in, and to which cwd is relative; the engine's own by default
	// Env lists variables of the engine's environment that commands inherit in addition to
	// PATH, HOME, LANG and TMPDIR.
	Env []string
	// Getenv reads the engine's environment; os.Getenv by default.
	Getenv func(string) string
	// Isolation isolates commands from the engine's process and files.
	Isolation isolation.Options
}

// Input is the input of shell.
type Input struct {
	Command   input.Text      `json:"command,omitempty" jsonschema:"a command line; a reference in it is bound as a value and quoted"`
	Script    input.Text      `json:"script,omitempty" jsonschema:"a script, instead of command; references as in command"`
	Shell     input.Text      `json:"shell,omitempty" jsonschema:"bash (the default), sh, zsh, pwsh or cmd"`
	Args      []input.Text    `json:"args,omitempty" jsonschema:"positional arguments of a script"`
	Stdin     json.RawMessage `json:"stdin,omitempty" jsonschema:"what it reads: a text; anything else as compact JSON"`
	Env       json.RawMessage `json:"env,omitempty" takes:"object list" jsonschema:"an object of further variables"`
	Arguments json.RawMessage `json:"arguments,omitempty" takes:"object" jsonschema:"an object: the parameters of a tool call, which the command finds in variables ARG_NAME"`
	Cwd       input.Text      `json:"cwd,omitempty" jsonschema:"a folder below the configured one"`
	Flags     Flags           `json:"flags,omitempty" jsonschema:"of a script"`
	Deny      []input.Text    `json:"deny,omitempty" jsonschema:"commands that begin with one of these texts are not run; this prevents mistakes and is not a protection"`
	Raise     input.Bool      `json:"raise,omitempty" jsonschema:"an exit code other than 0 is an error of the step, not an output"`
	Fences    input.Bool      `json:"strip_code_fences,omitempty" jsonschema:"take Markdown fences off stdin"`
	Normalize *input.Bool     `json:"normalize_crlf,omitempty" jsonschema:"make CRLF of stdin LF; true when absent"`
	Stream    input.Bool      `json:"stream,omitempty" jsonschema:"show the output as it comes"`
}

// Flags are options of the shell builtin set.
type Flags struct {
	ExitOnError input.Bool `json:"exit_on_error,omitempty"`
	UnsetVars   input.Bool `json:"unset_vars,omitempty"`
	Pipefail    input.Bool `json:"pipefail,omitempty"`
}

// Output is the output of shell.
type Output struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	ExitCode  int    `json:"exit_code"`
	Text      string `json:"text" jsonschema:"stdout, and below it stderr if there is any"`
	Truncated bool   `json:"truncated" jsonschema:"output was dropped: beyond a million characters of a stream, or more than an output of a megabyte can hold"`
}

// Spec describes shell. A command may run twice if its worker dies before the result is
// durable. The command can detect this by the key of the call in STEPGRAPH_KEY.
func Spec(o Options) function.Spec {
	f := stepFunction{o}
	if f.options.Getenv == nil {
		f.options.Getenv = os.Getenv
	}
	spec := function.Spec{
		Name:        "shell",
		Aliases:     []string{"cli", "utils.shell"},
		Description: "Runs a shell command or script that is part of the workflow.",
		Effects:     true,
		Limit:       atOnce,
		Timeout:     timeout,
		Program:     []string{"command", "script"},
		Arguments:   "arguments",
		Parameters:  json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		Check:       input.Check[Input](check),
		Needs:       function.Needs{OneOf: []string{"command", "script"}},
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Examples: []function.Example{
			{Title: "A command with a bound value", Input: json.RawMessage(`{"command": "echo hello @{SESSION_ID}.ask.response"}`)},
			{Title: "A script that reads its input", Input: json.RawMessage(`{"script": "sort -u | head -n 3", "stdin": "b\na\nb\n", "flags": {"exit_on_error": true}}`)},
		},
		Function: function.ObjectFunc(f.call),
	}
	if !o.Allow {
		spec.Disabled = "shell is off: the operator can allow it with --allow-shell; a workflow cannot"
	}
	return spec
}

type stepFunction struct{ options Options }

func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[Input](fields)
	if err != nil {
		return nil, err
	}
	call := function.CallOf(ctx)
	values, err := bindings(call.Bindings)
	if err != nil {
		return nil, err
	}
	c, cleanUp, err := f.command(in, values)
	defer cleanUp()
	if err != nil {
		return nil, err
	}
	f.options.Isolation.Apply(&c)
	c.Network = true
	c.Env = append(c.Env, "STEPGRAPH_KEY="+call.Key, "STEPGRAPH_SESSION="+call.Session)
	if in.Stream {
		c.Chunk = func(_, chunk string) { function.CallOf(ctx).Token(chunk) }
	}
	r, err := process.Run(ctx, c)
	if errors.Is(err, process.ErrNotIsolated) {
		return nil, &function.CallError{Kind: function.KindDisabled, Message: isolation.Refusal(err)}
	}
	if err != nil {
		var known *function.CallError
		if errors.As(err, &known) || ctx.Err() != nil {
			return nil, err
		}
		return nil, input.Bad("the shell cannot be started: %v", err)
	}
	return result(r, bool(in.Raise))
}

func result(r process.Result, raise bool) (json.RawMessage, error) {
	if r.Signal != "" {
		return nil, &function.CallError{Kind: function.KindFailed, Message: "the command was ended by signal: " + r.Signal}
	}
	encoded := encode(r)
	for len(encoded) > maxEncoded {
		r.Stdout, r.StdoutCut = shortened(r.Stdout, r.StdoutCut, len(encoded))
		r.Stderr, r.StderrCut = shortened(r.Stderr, r.StderrCut, len(encoded))
		encoded = encode(r)
	}
	if raise && r.Code != 0 {
		return nil, &function.CallError{Kind: function.KindFailed, Message: "exit code " + string(input.Encode(r.Code)) + ": " + abridged(strings.TrimSpace(text(r)))}
	}
	return encoded, nil
}

func encode(r process.Result) json.RawMessage {
	return input.Encode(Output{Stdout: marked(r.Stdout, r.StdoutCut), Stderr: marked(r.Stderr, r.StderrCut), ExitCode: r.Code,
		Truncated: r.StdoutCut || r.StderrCut, Text: text(r)})
}

// text returns stdout followed by stderr, if there is any.
func text(r process.Result) string {
	out := marked(r.Stdout, r.StdoutCut)
	if r.Stderr != "" {
		out += "\n" + marked(r.Stderr, r.StderrCut)
	}
	return out
}

// marked adds a note if part of a stream was dropped.
func marked(stream string, cut bool) string {
	if cut {
		return stream + "... (truncated)"
	}
	return stream
}

// shortened cuts a stream of at least 1,000 bytes in the proportion in which the whole output,
// of size bytes, is too long.
func shortened(stream string, cut bool, size int) (string, bool) {
	if len(stream) < 1000 {
		return stream, cut
	}
	keep := int(float64(len(stream)) * maxEncoded / float64(size) * 0.98)
	for keep > 0 && !utf8.RuneStart(stream[keep]) {
		keep--
	}
	return stream[:keep], true
}

func abridged(s string) string {
	if r := []rune(s); len(r) > 500 {
		return "…" + string(r[len(r)-500:])
	}
	return s
}

// bindings returns the values of references in the program text by identifier.
func bindings(given json.RawMessage) (map[string]string, error) {
	values := map[string]string{}
	if len(given) == 0 {
		return values, nil
	}
	fields, err := input.Parse(given)
	if err != nil {
		return nil, err
	}
	for _, field := range fields {
		values[field.Name] = strings.ReplaceAll(input.TextOf(field.Value), "\x00", "")
	}
	return values, nil
}

// folder returns the folder in which the command runs.
func (f stepFunction) folder(cwd string) (string, error) {
	base := f.options.Dir
	if base == "" {
		var err error
		if base, err = os.Getwd(); err != nil {
			return "", err
		}
	}
	if cwd == "" {
		return base, nil
	}
	if !filepath.IsLocal(cwd) {
		return "", input.Bad("cwd: want a folder below the configured one, not %q", cwd)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return "", input.Bad("cwd: %v", err)
	}
	defer root.Close()
	if info, err := root.Stat(cwd); err != nil || !info.IsDir() {
		return "", input.Bad("cwd: there is no folder %q below the configured one", cwd)
	}
	return filepath.Join(base, cwd), nil
}
