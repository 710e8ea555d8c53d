package python

import (
	"bytes"
	"context"
	_ "embed" // run.py
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/process"
	"github.com/stepgraph/stepgraph/functions/isolation"
)

//go:embed run.py
var harness string

// Options configure Python. With the zero value it is off.
type Options struct {
	// Path is the interpreter: a path, or a name to look up such as "python3". If empty,
	// Python is off.
	Path string
	// Time of one script; 10 s by default.
	Time time.Duration
	// Memory is the address space of one process in bytes; 512 MB by default. Libraries with
	// many threads need more.
	Memory uint64
	// MustIsolate refuses to run scripts on a system that cannot start a process without
	// network.
	MustIsolate bool
	// Isolation protects the engine's own files from scripts. If the kernel has Landlock, a
	// script can read only the files of its interpreter and write only its own folder.
	Isolation isolation.Options
}

func (o Options) withDefaults() Options {
	if o.Time == 0 {
		o.Time = 10 * time.Second
	}
	if o.Memory == 0 {
		o.Memory = 512 << 20
	}
	return o
}

// Limits of every script. The file limits are low because results are not returned through
// files.
const (
	maxFile      = 16 << 20 // bytes of a file that it writes
	maxFiles     = 64       // open files
	maxProcesses = 64       // processes of the same user, on systems that count them for each namespace
	maxAnswer    = 4 << 20  // characters of the result
)

// places limits how many scripts run at once in this process.
var places = make(chan struct{}, 4)

// A Program is a script and its global variables.
type Program struct {
	Code  string
	Names json.RawMessage // a JSON object with the global variables
}

// A Result is the result of a script that has assigned to result.
type Result struct {
	Value   json.RawMessage
	Printed string
}

// An Error is an error in the script.
type Error struct {
	Message   string // "ZeroDivisionError: division by zero"
	Traceback string // as Python writes it; "" when the process ended
	Printed   string
}

func (e *Error) Error() string { return e.Message }

// Run runs a script. Its error is an *Error when the script is at fault, else the cause of
// ctx's end, or the reason why the interpreter cannot be started.
func Run(ctx context.Context, o Options, p Program) (Result, error) {
	o = o.withDefaults()
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	c, cleanUp, err := o.command(p)
	if err != nil {
		return Result{}, err
	}
	defer cleanUp()
	slow := &Error{Message: fmt.Sprintf("the script was stopped after %s", o.Time)}
	limited, cancel := context.WithTimeoutCause(ctx, o.Time, slow)
	defer cancel()
	r, err := process.Run(limited, c)
	if errors.Is(err, process.ErrNotIsolated) {
		return Result{}, &function.CallError{Kind: function.KindDisabled, Message: isolation.Refusal(err)}
	}
	if err != nil {
		return Result{}, err
	}
	return answer(r)
}

// command returns the process of a script, in an empty folder, and the func that removes the
// folder.
func (o Options) command(p Program) (process.Command, func(), error) {
	path, err := exec.LookPath(o.Path)
	if err != nil {
		return process.Command{}, nil, fmt.Errorf("python: %w", err)
	}
	cpu := uint64(o.Time/time.Second) + 1
	limits := process.Limits{Memory: o.Memory, CPU: cpu, FileSize: maxFile, Files: maxFiles, Processes: maxProcesses}
	own := map[string]uint64{"RLIMIT_CORE": 0}
	if !process.LimitsHold { // then run.py sets them itself, where it can
		own = map[string]uint64{"RLIMIT_CORE": 0, "RLIMIT_AS": o.Memory, "RLIMIT_CPU": cpu, "RLIMIT_FSIZE": maxFile, "RLIMIT_NOFILE": maxFiles}
	}
	names := p.Names
	if len(names) == 0 {
		names = json.RawMessage("{}")
	}
	given, err := json.Marshal(map[string]any{"code": p.Code, "names": names, "limits": own})
	if err != nil {
		return process.Command{}, nil, err
	}
	dir, err := os.MkdirTemp("", "stepgraph-python-")
	if err != nil {
		return process.Command{}, nil, err
	}
	c := process.Command{
		Path: path, Args: []string{"-I", "-B", "-X", "utf8", "-c", harness}, Dir: dir, Stdin: string(given),
		Env: system(dir), Limit: maxAnswer, Limits: limits, AtOnce: true,
	}
	o.Isolation.Apply(&c)
	if o.MustIsolate {
		c.Isolate = process.Required
	}
	if c.Isolate != process.Shared {
		if c.Path, c.Files.Read, err = installed(path); err != nil {
			return c, func() {}, errors.Join(err, os.RemoveAll(dir))
		}
		c.Files.Write = []string{dir}
	}
	return c, func() { os.RemoveAll(dir) }, nil
}

// answer decodes what run.py wrote.
func answer(r process.Result) (Result, error) {
	var a struct {
		Result, Error *string
		Traceback     string
		Printed       string
	}
	if err := json.Unmarshal([]byte(r.Stdout), &a); err != nil {
		return Result{}, &Error{Message: ended(r)}
	}
	if a.Error != nil || a.Result == nil {
		message := ""
		if a.Error != nil {
			message = *a.Error
		}
		return Result{}, &Error{Message: message, Traceback: a.Traceback, Printed: a.Printed}
	}
	var value bytes.Buffer
	if err := json.Compact(&value, []byte(*a.Result)); err != nil {
		return Result{}, &Error{Message: "the result is not JSON: " + err.Error(), Printed: a.Printed}
	}
	return Result{Value: value.Bytes(), Printed: a.Printed}, nil
}

// ended describes the end of a process that returned no result.
func ended(r process.Result) string {
	how := fmt.Sprintf("Python ended with exit code %d and without a result", r.Code)
	if r.Signal != "" {
		how = "Python was ended by the system: " + r.Signal
	}
	if problems := strings.TrimSpace(r.Stderr); problems != "" {
		lines := strings.Split(problems, "\n")
		how += ": " + lines[len(lines)-1]
	}
	return how
}
