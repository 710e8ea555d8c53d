package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the program itself when a script or a kill test starts
// it as stepgraph.
// programs are the programs that tests start by name; files for one system add theirs.
var programs = map[string]func(){"stepgraph": main}

func TestMain(m *testing.M) {
	testscript.Main(m, programs)
}

// TestScripts plays testdata/script: what a user types, and what comes back.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("NEO4J_URI", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "json": jsonHas, "take": take},
	})
}

// exits CODE COMMAND... runs a command that must end with an exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		code = string(rune('0' + exit.ExitCode()))
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// json PATH VALUE looks into the JSON on stdout: a.b.0.c.
func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	got, err := lookup([]byte(ts.ReadFile("stdout")), args[0])
	if err != nil {
		ts.Fatalf("%v", err)
	}
	if (got == args[1]) == neg {
		ts.Fatalf("%s is %s", args[0], got)
	}
}

// take NAME PATH makes what stands there in the JSON on stdout an environment variable.
func take(ts *testscript.TestScript, _ bool, args []string) {
	got, err := lookup([]byte(ts.ReadFile("stdout")), args[1])
	if err != nil || got == "null" {
		ts.Fatalf("%s is %s, %v", args[1], got, err)
	}
	ts.Setenv(args[0], got)
}

// lookup returns what stands at a place of a JSON text: text as is, else as JSON.
func lookup(text []byte, place string) (string, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(place, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i := int(name[0] - '0')
			if len(name) != 1 || i < 0 || i >= len(in) {
				return "", errors.New(place + ": no " + name)
			}
			v = in[i]
		}
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSpace(b.String()), err
}

// A result is what one invocation gave.
type result struct {
	code     int
	out, err string
}

// invoke runs Main in this process with an environment of its own.
func invoke(t *testing.T, stdin string, env map[string]string, args ...string) result {
	t.Helper()
	var out, talk bytes.Buffer
	code := Main(t.Context(), args, strings.NewReader(stdin), &out, &talk, func(name string) string { return env[name] })
	return result{code, out.String(), talk.String()}
}

func write(t *testing.T, file string, v any) string {
	t.Helper()
	text, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatalf("%s, %s: %v", a, b, err)
	}
	return reflect.DeepEqual(x, y)
}
