package shell

import (
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// dropped lists variables that a step may not set: they determine where commands are found,
// where they store files, and what else is run. Such a list is never complete, since any
// program may have variables that make it run something; therefore arguments from a model go
// into variables with a prefix.
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

// argument is the prefix of the variables that hold the arguments of a tool call.
const argument = "ARG_"

// environment returns the environment of commands: the variables that the operator passes on,
// those that the step sets, and the prefixed arguments of a tool call.
func (f stepFunction) environment(given, arguments []byte) ([]string, error) {
	var env []string
	for _, name := range append([]string{"PATH", "HOME", "LANG", "TMPDIR"}, f.options.Env...) {
		if value := f.options.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	set, err := variables("env", "", given)
	if err != nil {
		return nil, err
	}
	args, err := variables("arguments", argument, arguments)
	return slices.Concat(env, args, set), err // of duplicates the last counts: the step's variables
}

func variables(name, prefix string, given []byte) (env []string, err error) {
	if given == nil {
		return nil, nil
	}
	fields, err := input.Parse(given)
	if err != nil {
		return nil, input.Bad("%s: want an object of texts", name)
	}
	for _, field := range fields {
		if !variableName(prefix + field.Name) {
			return nil, input.Bad("%s: %q cannot be the name of a variable", name, field.Name)
		}
		if drops(prefix + field.Name) {
			continue
		}
		env = append(env, prefix+field.Name+"="+strings.ReplaceAll(input.TextOf(field.Value), "\x00", ""))
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
