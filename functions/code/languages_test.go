package code_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/code"
	"github.com/stepgraph/stepgraph/references"
)

func TestJavaScript(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"value", `{"language":"javascript","code":"return $a + 1","variables":{"$a":1}}`, `{"result":2,"error":null,"traceback":null}`},
		{"printed", `{"language":"js","code":"console.log('x', [1]); return null"}`, `{"result":null,"error":null,"traceback":null,"printed":"x [1]\n"}`},
		{"variables as a whole", `{"language":"javascript","code":"return variables['my var']","variables":{"my var":[1]}}`, `{"result":[1],"error":null,"traceback":null}`},
		{"a reserved name", `{"language":"javascript","code":"return variables.class","variables":{"class":"c"}}`, `{"result":"c","error":null,"traceback":null}`},
		{"thrown", `{"language":"JavaScript","code":"console.log(1)\nthrow new Error('boom')"}`, `{"result":null,"error":"Error: boom","traceback":"    at <anonymous> (line 2, column 16)","printed":"1\n"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := code.Spec(code.Options{}).Function.Call(t.Context(), json.RawMessage(test.in))
			if err != nil || string(out) != test.want {
				t.Errorf("got %s, %v", out, err)
			}
		})
	}
	_, err := call(t.Context(), code.Options{}, map[string]any{"language": "javascript", "code": "throw new Error('boom')", "raise": true})
	if err == nil || err.Error() != "Error: boom" {
		t.Errorf("raised %v", err)
	}
	if out := exec(t, code.Options{Time: 50 * time.Millisecond}, map[string]any{"language": "javascript", "code": "for (;;);"}); out.Error == nil || !strings.Contains(*out.Error, "stopped after 50ms") {
		t.Errorf("got %+v", out)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, why)
	defer cancel()
	if _, err := call(ctx, code.Options{}, map[string]any{"language": "javascript", "code": "for (;;);"}); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

// TestReferencesInJavaScript resolves a script as the engine does: what a reference gives is
// a value, whatever it holds.
func TestReferencesInJavaScript(t *testing.T) {
	value := "'); return 'pwned'; ('`${1}` \u2028 \\"
	quoted, _ := json.Marshal(value)
	parsed, err := references.ParseInput([]byte(`{"language":"javascript","code":"const x = @{SESSION_ID}.v;\nreturn [x, @{SESSION_ID}.v.length, @{SESSION_ID}.o.a]"}`))
	if err != nil {
		t.Fatal(err)
	}
	scope := references.Scope{Session: "s", Outputs: references.JSONOutputs(`{"v":[` + string(quoted) + `],"o":[{"a":{"b":null}}]}`)}
	// @{SESSION_ID}.v.length is the field length of v, which a text has not: it waits.
	if resolved, _, err := parsed.ResolveProgram(scope, references.ProgramField{Key: "code"}); err != nil || resolved.Resolved {
		t.Fatalf("resolved %v, %v", resolved, err)
	}
	parsed, err = references.ParseInput([]byte(`{"language":"javascript","code":"const x = @{SESSION_ID}.v;\nreturn [x, (@{SESSION_ID}.v ).length, @{SESSION_ID}.o.a ]"}`))
	if err != nil {
		t.Fatal(err)
	}
	resolved, programs, err := parsed.ResolveProgram(scope, references.ProgramField{Key: "code"})
	if err != nil || !resolved.Resolved {
		t.Fatal(err, resolved.Missing)
	}
	ctx := function.WithCall(t.Context(), &function.Call{Bindings: programs["code"].Values})
	out, err := code.Spec(code.Options{}).Function.Call(ctx, resolved.Value)
	var got struct{ Result []any }
	if err != nil || json.Unmarshal(out, &got) != nil || len(got.Result) != 3 || got.Result[0] != value {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestScriptFileTellsItsLanguage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.js": "return n * 2", "a.star": "result = n * 3", "a.py": "result = n * 4"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"a.js": "4", "a.star": "6", "a.py": "8"} {
		out := exec(t, code.Options{Dir: dir}, map[string]any{"file_path": name, "variables": map[string]int{"n": 2}})
		if string(out.Result) != want {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

func TestCheckOfLanguages(t *testing.T) {
	for in, want := range map[string]string{
		`{"language":"javascript","code":"return await f(x)"}`:        "",
		`{"language":"javascript","code":"const a = 1\nreturn = 2"}`:  "line 2",
		`{"language":"javascript","code":"return @{SESSION_ID}.a +"}`: "",
		`{"language":"python","code":"import os"}`:                    "",
		`{"language":"perl","code":"print"}`:                          `not "perl"`,
		`{"code":"result = = 1"}`:                                     "want primary expression",
	} {
		problems := code.Spec(code.Options{}).Check(json.RawMessage(in))
		if want == "" && problems != nil || want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, want)) {
			t.Errorf("%s: %v", in, problems)
		}
	}
}
