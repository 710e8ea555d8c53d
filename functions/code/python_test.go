package code_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/code"
	"github.com/stepgraph/stepgraph/functions/code/python"
)

// interpreter is a Python that needs no environment, which the wrappers of version managers do.
func interpreter(t *testing.T) code.Options {
	t.Helper()
	path, err := osexec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("python3 is not installed, so scripts in Python cannot be tested")
	}
	return code.Options{Python: python.Options{Path: strings.TrimSpace(string(path)), Time: 20 * time.Second}}
}

func TestPythonIsOff(t *testing.T) {
	_, err := call(t.Context(), code.Options{}, map[string]any{"language": "python", "code": "result = 1"})
	if function.KindOf(err) != function.KindDisabled || !strings.Contains(err.Error(), `"python": "python3" in the configuration`) {
		t.Errorf("got %v", err)
	}
}

func TestPython(t *testing.T) {
	o := interpreter(t)
	for _, test := range []struct{ name, script, variables, want, fault string }{
		{"value", "import math\nresult = {'n': math.floor(n), 'é': [f'{n}', {1, 1}, (2,), None]}", `{"n":2.5}`, `{"n":2,"é":["2.5",[1],[2],null]}`, ""},
		{"variables", "result = variables['my var'] + [class_]", `{"my var":[1],"class_":2}`, `[1,2]`, ""},
		{"large numbers", "result = n * n", `{"n":9007199254740993}`, `81129638414606699710187514626049`, ""},
		{"functions see variables", "def f():\n  return n\nresult = f()", `{"n":1}`, `1`, ""},
		{"error", "def f():\n  return 1 / 0\nresult = f()", `{}`, "", "ZeroDivisionError: division by zero"},
		{"syntax", "result = = 1", `{}`, "", "SyntaxError"},
		{"exit", "import sys\nsys.exit(3)", `{}`, "", "SystemExit: 3"},
		{"no result", "x = 1", `{}`, "", "has no result"},
		{"no JSON", "result = object()", `{}`, "", "no form for a object"},
		{"no number", "result = float('nan')", `{}`, "", "ValueError"},
		{"too large", "result = 'x' * 2000000", `{}`, "", "larger than 1048576 bytes"},
		{"hard exit", "import os\nos._exit(4)", `{}`, "", "exit code 4"},
		{"signal", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\nos.abort()", `{}`, "", "Python "},
		{"environment", "import os\nresult = [k for k in os.environ if k not in ('HOME', 'TMPDIR', 'LC_CTYPE', 'STEPGRAPH_PROCESS')]", `{}`, `[]`, ""},
		{"empty folder", "import os\nresult = os.listdir('.')", `{}`, `[]`, ""},
		{"path", "import sys\nresult = [p for p in sys.path if p in ('', '.')]", `{}`, `[]`, ""},
		{"input is read", "import sys\nresult = [sys.stdin.read(), 1]", `{}`, `["",1]`, ""},
		{"output is nobody's", "import os\nos.system('echo noise')\nos.write(1, b'noise')\nresult = 1", `{}`, `1`, ""},
		{"memory", "result = len('x' * (1 << 30))", `{}`, "", "MemoryError"},
		{"files", "open('f', 'wb').write(b'x' * (17 << 20))\nresult = 1", `{}`, "", "large"},
		{"threads do not hold it up", "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nresult = 1", `{}`, `1`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if runtime.GOOS != "linux" && (test.name == "memory" || test.name == "files") {
				t.Skip("the system decides how limits are kept")
			}
			out, err := call(t.Context(), o, map[string]any{"language": "python", "code": test.script, "variables": json.RawMessage(test.variables)})
			switch {
			case err != nil:
				t.Error(err)
			case test.fault != "" && (out.Error == nil || !strings.Contains(*out.Error, test.fault)):
				t.Errorf("got %s, %v", out.Result, said(out.Error))
			case test.fault == "" && string(out.Result) != test.want:
				t.Errorf("got %s, %v", out.Result, said(out.Error))
			}
		})
	}
}

func said(s *string) string {
	if s == nil {
		return "no error"
	}
	return *s
}

func TestPythonTraceback(t *testing.T) {
	out, err := call(t.Context(), interpreter(t), map[string]any{"language": "python", "code": "def f():\n  return 1 / 0\nprint('before')\nresult = f()"})
	if err != nil || out.Traceback == nil || out.Printed != "before\n" {
		t.Fatalf("got %+v, %v", out, err)
	}
	if trace := *out.Traceback; !strings.Contains(trace, `File "code", line 2, in f`) || !strings.Contains(trace, "return 1 / 0") || strings.Contains(trace, "exec(") {
		t.Errorf("traceback %s", trace)
	}
}

// TestPythonIsKilled: a script that will not end, and its children, are gone when it is over.
func TestPythonIsKilled(t *testing.T) {
	o := interpreter(t)
	o.Python.Time = 500 * time.Millisecond
	out, err := call(t.Context(), o, map[string]any{"language": "python", "code": "import signal, subprocess, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)"})
	if err != nil || out.Error == nil || !strings.Contains(*out.Error, "stopped after 500ms") {
		t.Errorf("got %+v, %v", out, err)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, why)
	defer cancel()
	o.Python.Time = time.Minute
	if _, err := call(ctx, o, map[string]any{"language": "python", "code": "while True: pass"}); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

// TestPythonIsAlone: no network, no other process, nothing of the engine's environment.
func TestPythonIsAlone(t *testing.T) {
	o := interpreter(t)
	o.Python.MustIsolate = true
	if _, err := call(t.Context(), o, map[string]any{"language": "python", "code": "result = 1"}); err != nil {
		t.Skipf("no namespaces here: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	script := fmt.Sprintf(`
import socket
try:
    socket.create_connection(("127.0.0.1", %d), 2)
    result = "connected"
except OSError as e:
    result = "no network"
try:
    open("/proc/%d/environ").read()
    result += ", environment"
except OSError:
    pass
`, listener.Addr().(*net.TCPAddr).Port, os.Getpid())
	out := exec(t, o, map[string]any{"language": "python", "code": script})
	if string(out.Result) != `"no network"` {
		t.Errorf("got %s, %s", out.Result, said(out.Error))
	}
}
