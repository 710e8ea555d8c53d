package shell_test

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
	"github.com/stepgraph/stepgraph/functions/shell"
	"github.com/stepgraph/stepgraph/references"
)

// run resolves a text as the engine does, with value as the output of step v, and runs it.
func run(t *testing.T, dir, in, value string) (shell.Output, error) {
	t.Helper()
	parsed, err := references.ParseInput([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(value)
	scope := references.Scope{Session: "s", Outputs: references.JSONOutputs(`{"v":[` + string(text) + `]}`)}
	resolved, programs, err := parsed.ResolveProgram(scope, references.ProgramField{Key: "command"}, references.ProgramField{Key: "script"})
	if err != nil || !resolved.Resolved {
		t.Fatal(err, resolved.Missing)
	}
	bound := json.RawMessage(`{}`)
	for _, p := range programs {
		if len(p.Values) > 2 {
			bound = p.Values
		}
	}
	spec := shell.Spec(shell.Options{Allow: true, Dir: dir})
	raw, err := spec.Function.Call(function.WithCall(t.Context(), &function.Call{Session: "s", Key: "s/x/1/1", Bindings: bound}), resolved.Value)
	var out shell.Output
	if err == nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out, err
}

const ref = "@{SESSION_ID}.v"

// nasty values are what people and models may say.
var nasty = []string{
	"plain", "two words", "", "*", "~", "$HOME", "a\nb", "'; touch pwned; '", `"; touch pwned; "`, "$(touch pwned)", "`touch pwned`",
	"; touch pwned", "| touch pwned", "&& touch pwned", "\\", "\\\\\" $(touch pwned)", "a[$(touch pwned)]", "'\"'\"'; touch pwned #", "EOF\ntouch pwned\nEOF", "-n", "é ☃",
	"${IFS}touch${IFS}pwned", "\x00touch", "}; touch pwned; {", ") ; touch pwned ; (",
}

// TestValuesAreNeverProgram puts nasty values where authors put references, and looks whether
// they come out as they went in and nothing else has run.
func TestValuesAreNeverProgram(t *testing.T) {
	dir := t.TempDir()
	for place, command := range map[string]string{
		"bare":             "printf %s " + ref,
		"in double quotes": `printf %s "` + ref + `"`,
		"in single quotes": `printf %s '` + ref + `'`,
		"substitution":     `printf %s "$(printf %s ` + ref + `; printf x)"`,
		"backticks":        "printf %s \"`printf %s " + ref + "`x\"",
		"nested":           `printf %s "$(printf %s "` + ref + `"; printf x)"`,
		"assignment":       "a=" + ref + "\nprintf %s \"$a\"",
		"a function":       "f() { printf %s \"$1\"; }; f " + ref,
		"after a comment":  "# it's \"here\n printf %s " + ref,
		"brackets":         "x=[" + ref + "]; x=${x#?}; printf %s \"${x%?}\"",
		"an interpreter":   `bash -c 'printf %s "$1"' _ ` + ref,
		"in substitution":  `printf %s "$(echo 'x' >&2; printf %s '` + ref + `'; printf x)"`,
		"export":           "export A=" + ref + "\nprintf %s \"$A\"",
		"a loop":           "for x in " + ref + "; do printf %s \"$x\"; done",
		"a case":           "case " + ref + " in never) ;; *) printf %s " + ref + ";; esac",
		"a here-string":    "nl=$'\\n'; IFS= read -r -d '' x <<< " + ref + "\nprintf %s \"${x%\"$nl\"}\"",
		"awk by variable":  "V=" + ref + " awk 'BEGIN { printf \"%s\", ENVIRON[\"V\"] }'",
		"after braces":     `printf %s "${UNSET:-its}" ${UNSET:-'it s'} >&2; printf %s '` + ref + `'`,
		"one test":         "if [ " + ref + " = x ]; then printf x; else printf %s " + ref + "; fi",
	} {
		for _, sh := range []string{"bash", "sh"} {
			if sh == "sh" && place == "a here-string" {
				continue // not every sh has them
			}
			text, _ := json.Marshal(command)
			for _, value := range nasty {
				out, err := run(t, dir, `{"shell": "`+sh+`", "command": `+string(text)+`}`, value)
				if err != nil {
					t.Errorf("%s in %s, %q: %v", place, sh, value, err)
					continue
				}
				want := strings.ReplaceAll(value, "\x00", "")
				if got := strings.TrimSuffix(out.Stdout, "x"); got != want && !(place == "backticks" && strings.TrimRight(want, "\n") == got) && want != "x" {
					t.Errorf("%s in %s: %q came out as %q (stderr %q)", place, sh, value, out.Stdout, out.Stderr)
				}
				if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
					t.Fatalf("%s in %s: %q was run", place, sh, value)
				}
			}
		}
	}
}

func TestHereDocuments(t *testing.T) {
	dir := t.TempDir()
	for _, value := range nasty {
		text, _ := json.Marshal("cat <<EOF\n\"quoted\" it's " + ref + "\nEOF\nprintf end")
		out, err := run(t, dir, `{"script": `+string(text)+`}`, value)
		want := "\"quoted\" it's " + strings.ReplaceAll(value, "\x00", "") + "\nend"
		if err != nil || out.Stdout != want {
			t.Errorf("%q: got %q, %v", value, out.Stdout, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Fatalf("%q was run", value)
		}
	}
}

func TestPlacesThatAreRefused(t *testing.T) {
	for _, command := range []string{
		"echo $((" + ref + " + 1))", "((i = " + ref + "))", "echo ${a[" + ref + "]}", "[[ " + ref + " -gt 3 ]]", "echo $'" + ref + "'",
		"cat <<'EOF'\n" + ref + "\nEOF", "echo \"$((" + ref + "))\"", "[[ '" + ref + "' -eq 1 ]]",
	} {
		text, _ := json.Marshal(command)
		if _, err := run(t, t.TempDir(), `{"command": `+string(text)+`}`, "1"); function.KindOf(err) != function.KindBadInput || !strings.Contains(err.Error(), "reference") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestScript(t *testing.T) {
	for name, c := range map[string]struct{ in, value, want string }{
		"stdin":     {`{"script": "cat", "stdin": "a\r\nb"}`, "", `{"stdout":"a\nb","stderr":"","exit_code":0,"text":"a\nb","truncated":false}`},
		"fences":    {`{"script": "cat", "stdin": "` + "```sh\\nx\\n```" + `", "strip_code_fences": true}`, "", `{"stdout":"x","stderr":"","exit_code":0,"text":"x","truncated":false}`},
		"both":      {`{"command": "echo out; echo err >&2; exit 4"}`, "", `{"stdout":"out\n","stderr":"err\n","exit_code":4,"text":"out\n\nerr\n","truncated":false}`},
		"args":      {`{"script": "echo $2", "args": ["a", "b c"]}`, "", `{"stdout":"b c\n","stderr":"","exit_code":0,"text":"b c\n","truncated":false}`},
		"env":       {`{"command": "echo $A $HOME", "env": {"A": 1, "HOME": "/evil"}}`, "", ""},
		"exit":      {`{"script": "false; echo on", "flags": {"exit_on_error": true}}`, "", `{"stdout":"","stderr":"","exit_code":1,"text":"","truncated":false}`},
		"pipefail":  {`{"script": "false | true", "flags": {"pipefail": true}}`, "", `{"stdout":"","stderr":"","exit_code":1,"text":"","truncated":false}`},
		"sh":        {`{"command": "echo ` + ref + `", "shell": "sh"}`, "a  b", `{"stdout":"a  b\n","stderr":"","exit_code":0,"text":"a  b\n","truncated":false}`},
		"large":     {`{"command": "printf %s ` + ref + ` | wc -c"}`, strings.Repeat("é", 200_000), `{"stdout":"400000\n","stderr":"","exit_code":0,"text":"400000\n","truncated":false}`},
		"truncated": {`{"command": "head -c 3000000 /dev/zero | tr '\\0' x"}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, t.TempDir(), c.in, c.value)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(out)
			if c.want != "" && string(text) != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
			if name == "truncated" && (len(text) > 1_000_000 || len(out.Stdout) < 450_000 || !out.Truncated || !strings.HasSuffix(out.Text, "x... (truncated)") || !strings.HasSuffix(out.Stdout, "x... (truncated)")) {
				t.Errorf("kept %d, %t", len(out.Stdout), out.Truncated)
			}
			if name == "env" && (!strings.HasPrefix(out.Stdout, "1 ") || strings.Contains(out.Stdout, "evil")) {
				t.Errorf("got %q", out.Stdout)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for in, kind := range map[string]string{
		`{"command": "exit 3", "raise": true}`: function.KindFailed, `{"command": "kill -9 $$"}`: function.KindFailed,
		`{"command": "true", "shell": "tcsh"}`: function.KindBadInput, `{"command": " "}`: function.KindBadInput,
		`{"command": "true", "cwd": "../.."}`: function.KindBadInput, `{"command": "true", "cwd": "none"}`: function.KindBadInput,
		`{"command": "true", "env": {"A B": "x"}}`: function.KindBadInput, `{"command": "summary; true", "deny": ["rm", "su"]}`: function.KindFailed,
	} {
		if _, err := run(t, t.TempDir(), in, ""); function.KindOf(err) != kind {
			t.Errorf("%s: %v", in, err)
		}
	}
	for _, in := range []string{`{"command": " rm -f none", "deny": ["rm", ""]}`, `{"script": "rm -f none", "deny": ["rm"]}`} {
		if _, err := run(t, t.TempDir(), in, ""); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	if spec := shell.Spec(shell.Options{}); !strings.Contains(spec.Disabled, "--allow-shell") {
		t.Errorf("disabled: %q", spec.Disabled)
	}
	for _, in := range []string{`{"command": "echo @{SESSION_ID}.a.b|x"}`, `{"script": {"@text": ["a"]}, "shell": "@{SESSION_ID}.s"}`} {
		if problems := shell.Spec(shell.Options{}).Check(json.RawMessage(in)); problems != nil {
			t.Errorf("%s: %v", in, problems)
		}
	}
	for _, in := range []string{`{}`, `{"command": "a", "script": "b"}`, `{"command": "a", "shell": "tcsh"}`, `{"command": "eval @{SESSION_ID}.a"}`, `{"script": "x=$((@{SESSION_ID}.a + 1))"}`} {
		if len(shell.Spec(shell.Options{}).Check(json.RawMessage(in))) != 1 {
			t.Errorf("%s passes", in)
		}
	}
}

func TestCancelEndsTheGroupAndOutputStreams(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, why)
	defer cancel()
	var heard function.Recorder
	spec := shell.Spec(shell.Options{Allow: true})
	_, err := spec.Function.Call(function.WithSink(ctx, &heard), json.RawMessage(`{"command": "echo begun; sleep 600", "stream": true}`))
	if !errors.Is(err, why) || strings.Join(heard.Tokens, "") != "begun\n" {
		t.Errorf("got %v, %q", err, heard.Tokens)
	}
}
