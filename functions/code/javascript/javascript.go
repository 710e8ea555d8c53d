package javascript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"modernc.org/quickjs"
)

// Limits of every script.
const (
	maxPrinted = 10 << 10  // characters kept of what a script prints
	maxResult  = 1 << 20   // bytes of its result as JSON
	maxItems   = 1_000_000 // elements of an array that a built-in function goes through
	maxSearch  = 1 << 30   // product of the lengths of a text and of the text searched for in it
	maxPattern = 1 << 28   // product of the lengths of a text and a pattern, whose search is slower
	maxJSON    = 2 << 20   // characters that JSON.parse reads
	stack      = 400       // approximate depth of nested calls
)

// stopTimeout is how long a script may take to stop after it was interrupted. The longest single
// instruction that remains, a division of numbers of a million bits, takes about a second.
const stopTimeout = 2 * time.Second

// A Program is a script and its variables.
type Program struct {
	Code   string          // the body of an async function
	Names  []string        // of the variables it sees; identifiers
	Values json.RawMessage // a JSON object with the value of each name
	Time   time.Duration   // time limit
	Memory int             // limit of memory in bytes
}

// A Result is the result of a script that has returned.
type Result struct {
	Value   json.RawMessage // null if it returned nothing
	Printed string
}

// An Error is an error in the script.
type Error struct {
	Message string // as JavaScript writes the error: "TypeError: …"
	Stack   string // one line for each call; "" if it is not known
	Printed string // printed before the error
}

func (e *Error) Error() string { return e.Message }

func fault(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

// places limits how many scripts run at once in this process. A script that cannot be stopped
// keeps its slot.
var places = make(chan struct{}, 8)

// Run runs a script. Its error is an *Error when the script is at fault, else the cause of
// ctx's end.
func Run(ctx context.Context, p Program) (Result, error) {
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	slow := fault("the script was stopped after %s", p.Time)
	limited, cancel := context.WithTimeoutCause(ctx, p.Time, slow)
	defer cancel()
	type outcome struct {
		result Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := attempt(limited, p)
		<-places
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-limited.Done():
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(stopTimeout):
		return Result{}, context.Cause(limited)
	}
}

// attempt runs a script in a machine of its own. A panic of the interpreter is returned as an
// error of this script.
func attempt(ctx context.Context, p Program) (r Result, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fell := recover(); fell != nil {
			r, err = Result{}, fault("the script broke the engine: %v", fell)
		}
	}()
	m, err := newMachine(ctx, p.Memory)
	if err != nil {
		return Result{}, err
	}
	defer m.close()
	if err := m.start(p); err != nil {
		return Result{}, m.fault(err)
	}
	if err := m.finish(); err != nil {
		return Result{}, m.fault(err)
	}
	return m.result()
}

// Check compiles a script without running it. It returns nil or an *Error with the line.
func Check(code string, names []string) error {
	m, err := newMachine(context.Background(), 64<<20)
	if err != nil {
		return err
	}
	defer m.close()
	if _, err := m.vm.Compile(m.wrapped(code, names), quickjs.EvalGlobal); err != nil {
		return m.fault(err)
	}
	return nil
}

// Identifier reports whether a script can have a variable of this name.
func Identifier(name string) bool { return identifier.MatchString(name) && !reserved[name] }

var errSlow = errors.New("the time is up")
