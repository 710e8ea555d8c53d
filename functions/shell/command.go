package shell

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/process"
)

// largeValue is how long a value may be as a variable of the environment: the system has a
// bound of 128 KB for one. A larger one is read from a file.
const largeValue = 100_000

// command makes the process of a step. cleanUp removes what it needs beside; it may always
// be called.
func (f function) command(in Input, values map[string]string) (c process.Command, cleanUp func(), err error) {
	cleanUp = func() {}
	text, script := string(in.Command), false
	if in.Script != "" {
		text, script = string(in.Script), true
	}
	if strings.TrimSpace(text) == "" {
		return c, cleanUp, input.Bad("command: there is nothing to run")
	}
	if len(text) > maxText {
		return c, cleanUp, input.Bad("the program text has %d bytes, at most %d are run", len(text), maxText)
	}
	if c.Dir, err = f.folder(string(in.Cwd)); err != nil {
		return c, cleanUp, err
	}
	if c.Env, err = f.environment(in.Env); err != nil {
		return c, cleanUp, err
	}
	names := map[string]bool{}
	for name := range values {
		names[name] = true
	}
	dialect, err := dialectOf(string(in.Shell))
	if err != nil {
		return c, cleanUp, err
	}
	if text, err = dialect.bind(text, names); err != nil {
		return c, cleanUp, input.Bad("%v", err)
	}
	loading, cleanUp, err := placeValues(values, &c.Env)
	if err != nil {
		return c, cleanUp, err
	}
	if script {
		text = dialect.prologue(in.Flags) + text
	}
	if c.Path, err = exec.LookPath(dialect.program); err != nil {
		return c, cleanUp, input.Bad("shell: %s is not installed here", dialect.program)
	}
	c.Args = append(append([]string{}, dialect.args...), dialect.load(loading)+text)
	if len(in.Args) > 0 {
		c.Args = append(c.Args, dialect.program)
		for _, a := range in.Args {
			c.Args = append(c.Args, string(a))
		}
	}
	c.Stdin, c.Limit = stdin(in), maxOutput
	return c, cleanUp, nil
}

// placeValues puts values into the environment, large ones into files that the shell reads
// first: loading names them.
func placeValues(values map[string]string, env *[]string) (loading map[string]string, cleanUp func(), err error) {
	cleanUp = func() {}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	dir := ""
	for _, name := range names {
		if len(values[name]) <= largeValue {
			*env = append(*env, name+"="+values[name])
			continue
		}
		if dir == "" {
			if dir, err = os.MkdirTemp("", "stepgraph-shell-"); err != nil {
				return nil, cleanUp, err
			}
			cleanUp = func() { os.RemoveAll(dir) }
			loading = map[string]string{}
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(values[name]), 0o600); err != nil {
			return nil, cleanUp, err
		}
		loading[name] = file
	}
	return loading, cleanUp, nil
}

// dropped are variables a step may not set: they say how the command itself is found and
// where it keeps things.
const dropped = " PATH HOME SHELL USERPROFILE COMSPEC SYSTEMROOT WINDIR APPDATA LOCALAPPDATA TMP TEMP PWD OLDPWD PATHEXT LD_PRELOAD LD_LIBRARY_PATH BASH_ENV ENV IFS "

func (f function) environment(given []byte) ([]string, error) {
	var env []string
	for _, name := range append([]string{"PATH", "HOME", "LANG", "TMPDIR"}, f.options.Env...) {
		if value := f.options.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if given == nil {
		return env, nil
	}
	fields, err := input.Parse(given)
	if err != nil {
		return nil, input.Bad("env: want an object of texts")
	}
	for _, field := range fields {
		if !variableName(field.Name) {
			return nil, input.Bad("env: %q is no name of a variable", field.Name)
		}
		if strings.Contains(dropped, " "+strings.ToUpper(field.Name)+" ") {
			continue
		}
		env = append(env, field.Name+"="+strings.ReplaceAll(input.TextOf(field.Value), "\x00", ""))
	}
	return env, nil
}

func variableName(name string) bool {
	for i := range len(name) {
		if !wordByte(name[i]) || i == 0 && name[0] >= '0' && name[0] <= '9' {
			return false
		}
	}
	return name != ""
}

func stdin(in Input) string {
	if in.Stdin == nil {
		return ""
	}
	text := input.TextOf(in.Stdin)
	if in.Normalize == nil || bool(*in.Normalize) {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if !in.Fences {
		return text
	}
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "```") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// A dialect is how one shell is started and quoted.
type dialect struct {
	program string
	args    []string
	bind    func(text string, names map[string]bool) (string, error)
	posix   bool
}

func dialectOf(name string) (dialect, error) {
	switch name {
	case "", "bash":
		return dialect{program: "bash", args: []string{"--noprofile", "--norc", "-c"}, bind: bind, posix: true}, nil
	case "sh", "zsh":
		return dialect{program: name, args: []string{"-c"}, bind: bind, posix: true}, nil
	case "pwsh":
		return dialect{program: "pwsh", args: []string{"-NoProfile", "-NonInteractive", "-Command"}, bind: bindPowerShell}, nil
	}
	return dialect{}, input.Bad("shell: want bash, sh, zsh or pwsh, not %q", name)
}

func (d dialect) prologue(f Flags) string {
	if !d.posix {
		if f.ExitOnError {
			return "$ErrorActionPreference = 'Stop'\n"
		}
		return ""
	}
	text := ""
	if f.ExitOnError {
		text += "set -e\n"
	}
	if f.UnsetVars {
		text += "set -u\n"
	}
	if f.Pipefail {
		text += "set -o pipefail\n"
	}
	return text
}

// load reads large values from their files.
func (d dialect) load(files map[string]string) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	text := ""
	for _, name := range names {
		if d.posix { // the x keeps newlines at the end
			text += fmt.Sprintf("%s=$(cat '%s'; printf x); %s=${%s%%x}\n", name, files[name], name, name)
			continue
		}
		text += fmt.Sprintf("$env:%s = [IO.File]::ReadAllText('%s')\n", name, files[name])
	}
	return text
}

// bindPowerShell replaces identifiers by variables of the environment, which PowerShell
// never reads as program text.
func bindPowerShell(text string, names map[string]bool) (string, error) {
	b := binder{text: text, names: names, stack: []place{bare}}
	quote := byte(0)
	for b.at < len(b.text) {
		if name := b.identifier(); name != "" {
			switch quote {
			case '\'':
				b.out.WriteString("'+${env:" + name + "}+'")
			default:
				b.out.WriteString("${env:" + name + "}")
			}
			b.at += len(name)
			continue
		}
		c := b.text[b.at]
		switch {
		case c == '`':
			b.take(1)
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
		b.take(1)
	}
	return b.out.String(), nil
}
