package shell

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/process"
)

// largeValue is the maximal length in bytes of a value in an environment variable; Linux
// allows 128 KB for one. A larger value is read from a file.
const largeValue = 100_000

// command returns the process of a step. cleanUp removes its temporary files; it may always be
// called.
func (f stepFunction) command(in Input, values map[string]string) (c process.Command, cleanUp func(), err error) {
	cleanUp = func() {}
	text, script := string(in.Command), false
	if in.Script != "" {
		text, script = string(in.Script), true
	}
	if strings.TrimSpace(text) == "" {
		return c, cleanUp, input.Bad("command: there is nothing to run")
	}
	if !script && in.denies(text) {
		return c, cleanUp, &function.CallError{Kind: function.KindFailed, Message: "Command cannot be executed"}
	}
	if len(text) > maxText {
		return c, cleanUp, input.Bad("the program text has %d bytes, at most %d are run", len(text), maxText)
	}
	if c.Dir, err = f.folder(string(in.Cwd)); err != nil {
		return c, cleanUp, err
	}
	if c.Env, err = f.environment(in.Env, in.Arguments); err != nil {
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
	if script {
		text = dialect.prologue(in.Flags) + text
	}
	if c.Path, err = exec.LookPath(dialect.program); err != nil {
		return c, cleanUp, input.Bad("shell: %s is not installed here", dialect.program)
	}
	folder := &scratch{}
	loading, err := folder.place(values, &c.Env)
	if err == nil && dialect.file != "" {
		text, err = folder.file(dialect.file, text)
	}
	c.Args = append(append([]string{}, dialect.args...), dialect.load(loading)+text)
	if len(in.Args) > 0 && dialect.file == "" {
		c.Args = append(c.Args, dialect.program)
	}
	for _, a := range in.Args {
		c.Args = append(c.Args, strings.ReplaceAll(string(a), "\x00", ""))
	}
	c.Stdin, c.Limit = stdin(in), maxOutput
	return c, folder.remove, err
}

// denies reports whether a command begins with a denied prefix. Only the text is compared, so
// this is no protection.
func (in Input) denies(command string) bool {
	return slices.ContainsFunc(in.Deny, func(word input.Text) bool {
		return word != "" && strings.HasPrefix(command, string(word))
	})
}

// scratch is a temporary folder, created with its first file.
type scratch struct{ dir string }

func (s *scratch) remove() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// file writes a text to a file and returns its path.
func (s *scratch) file(name, text string) (string, error) {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "stepgraph-shell-")
		if err != nil {
			return "", err
		}
		s.dir = dir
	}
	path := filepath.Join(s.dir, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// place puts values into the environment. Large values are written to files, which the shell
// reads first; loading maps their variables to the files.
func (s *scratch) place(values map[string]string, env *[]string) (loading map[string]string, err error) {
	loading = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) <= largeValue {
			*env = append(*env, name+"="+values[name])
			continue
		}
		if loading[name], err = s.file(name, values[name]); err != nil {
			return nil, err
		}
	}
	return loading, nil
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
