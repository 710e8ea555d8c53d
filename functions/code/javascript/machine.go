package javascript

import (
	"context"
	_ "embed" // guard.js and run.js
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"modernc.org/quickjs"
)

//go:embed guard.js
var guardScript string

//go:embed run.js
var runScript string

var limits = fmt.Sprintf(`({"items":%d,"search":%d,"pattern":%d,"json":%d,"printed":%d})`, maxItems, maxSearch, maxPattern, maxJSON, maxPrinted)

var above = strings.Repeat("\n", ourLines)

// A machine is one instance of the interpreter, used by one goroutine for one script.
type machine struct {
	ctx    context.Context
	vm     *quickjs.VM
	runner quickjs.Value
	prefix int         // length of the text before the script on its first line
	asleep func() bool // stops the wait for ctx's end
}

func newMachine(ctx context.Context, memory int) (*machine, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	vm.SetMemoryLimit(uintptr(memory))
	vm.SetMaxStackSize(stack)
	vm.SetCanBlock(false)
	m := &machine{ctx: ctx, vm: vm, runner: quickjs.UndefinedValue}
	m.asleep = context.AfterFunc(ctx, vm.Interrupt)
	around, err := prelude()
	if err == nil {
		if m.runner, err = vm.EvalBytecodeValue(around.run); err == nil {
			_, err = vm.EvalBytecode(around.guard)
		}
	}
	if err != nil {
		m.close()
		return nil, m.fault(err)
	}
	return m, nil
}

type compiled struct{ run, guard []byte }

// prelude compiles guard.js and run.js once.
var prelude = sync.OnceValues(func() (c compiled, err error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return c, err
	}
	defer vm.Close()
	if c.run, err = vm.Compile(above+runScript+limits, quickjs.EvalGlobal); err == nil {
		c.guard, err = vm.Compile(above+guardScript+limits, quickjs.EvalGlobal)
	}
	return c, err
})

func (m *machine) close() {
	m.asleep()
	m.runner.Free()
	_ = m.vm.Close() // the machine is not used any more
}

// wrapped makes a function of a script: an outer function with the variables as parameters,
// and in it one without parameters, so that the script may declare variables of the same
// names. The script begins on the first line.
func (m *machine) wrapped(code string, names []string) string {
	before := "(function (" + strings.Join(names, ", ") + ") { return async () => {"
	m.prefix = len(before)
	return before + code + "\n} })"
}

func (m *machine) start(p Program) error {
	if err := m.ready(); err != nil {
		return err
	}
	make, err := m.vm.EvalValue(m.wrapped(p.Code, p.Names), quickjs.EvalGlobal)
	if err != nil {
		return err
	}
	defer make.Free()
	names, err := json.Marshal(append([]string{}, p.Names...))
	if err != nil {
		return err
	}
	values := "{}"
	if len(p.Values) > 0 {
		values = string(p.Values)
	}
	_, err = m.call("start", make, string(names), values)
	return err
}

// finish runs pending jobs of the script until it has returned.
func (m *machine) finish() error {
	for {
		if err := m.ready(); err != nil {
			return err
		}
		n, err := m.vm.ExecutePendingJobs()
		if err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		over, err := m.call("over")
		if err != nil || over == true {
			return err
		}
		stepped, err := m.call("step")
		if err != nil {
			return err
		}
		if stepped != true {
			return errors.New("Error: the script waits for something that never comes")
		}
	}
}

// call calls a function of run.js.
func (m *machine) call(name string, args ...any) (any, error) {
	if err := m.ready(); err != nil {
		return nil, err
	}
	atom, err := m.vm.NewAtom(name)
	if err != nil {
		return nil, err
	}
	f, err := m.runner.GetPropertyValue(atom)
	if err != nil {
		return nil, err
	}
	defer f.Free()
	return f.Call(quickjs.UndefinedValue, args...)
}

// ready sets the interpreter's time limit to the rest of the script's time. Without it an
// interrupt between two calls would be lost.
func (m *machine) ready() error {
	if m.ctx.Err() != nil {
		return errSlow
	}
	if end, ok := m.ctx.Deadline(); ok {
		return m.vm.SetEvalTimeout(max(time.Until(end), 0) + 50*time.Millisecond) // later than ctx, so that the end of ctx is reported
	}
	return nil
}

// outcome is the result that run.js writes.
type outcome struct {
	Done    bool    `json:"done"`
	Printed string  `json:"printed"`
	Result  *string `json:"result"`
	Error   *string `json:"error"`
	Stack   string  `json:"stack"`
}

func (m *machine) outcome() (outcome, error) {
	var o outcome
	text, err := m.call("state")
	if err != nil {
		return o, err
	}
	written, _ := text.(string)
	return o, json.Unmarshal([]byte(written), &o)
}

func (m *machine) result() (Result, error) {
	o, err := m.outcome()
	if err != nil {
		return Result{}, m.fault(err)
	}
	switch {
	case m.ctx.Err() != nil:
		return Result{}, context.Cause(m.ctx)
	case o.Error != nil:
		return Result{}, &Error{Message: thrownText(*o.Error), Stack: traceback(o.Stack, m.prefix), Printed: o.Printed}
	case o.Result == nil:
		return Result{Value: json.RawMessage("null"), Printed: o.Printed}, nil
	case len(*o.Result) > maxResult:
		return Result{}, &Error{Message: fmt.Sprintf("the result is larger than %d bytes", maxResult), Printed: o.Printed}
	}
	return Result{Value: json.RawMessage(*o.Result), Printed: o.Printed}, nil
}

// thrownText returns the text of an exception. If there is no memory left for an error object,
// the interpreter throws null.
func thrownText(text string) string {
	if text == "null" {
		return "out of memory (or the script has thrown null)"
	}
	return text
}

// fault converts an error of the interpreter to an error of the script, or to the cause of
// ctx's end.
func (m *machine) fault(err error) error {
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	e := &Error{Message: thrownText(err.Error())}
	var thrown *quickjs.Error
	if errors.As(err, &thrown) {
		e.Stack = traceback(thrown.Stack, m.prefix)
		if thrown.LineNumber > 0 {
			e.Stack = fmt.Sprintf("    at (line %d)", thrown.LineNumber)
		}
	}
	return e
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

var reserved = words(`arguments async await break case catch class const continue debugger default delete do else enum eval
	export extends false finally for function if implements import in instanceof interface let new null of package private
	protected public return static super switch this throw true try typeof undefined var void while with yield`)

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(text) {
		all[word] = true
	}
	return all
}
