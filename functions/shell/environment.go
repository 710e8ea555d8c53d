package shell

import (
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// dropped are variables that a step may not set, and a model that calls the step as a tool
// neither: they say how commands are found, where they keep things, and what else is run.
var dropped = words(`PATH HOME SHELL USERPROFILE COMSPEC SYSTEMROOT WINDIR APPDATA LOCALAPPDATA TMP TEMP TMPDIR PWD OLDPWD PATHEXT
	ENV IFS SHELLOPTS PS4 PROMPT_COMMAND ZDOTDIR GCONV_PATH PAGER EDITOR VISUAL
	GIT_SSH GIT_SSH_COMMAND GIT_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS
	PYTHONPATH PYTHONHOME PYTHONSTARTUP NODE_OPTIONS NODE_PATH PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS`)

func drops(name string) bool {
	name = strings.ToUpper(name)
	for _, family := range []string{"LD_", "DYLD_", "BASH", "STEPGRAPH_"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return dropped[name]
}

// environment is what commands see: what the operator lets through, and what the step sets.
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
		if drops(field.Name) {
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
