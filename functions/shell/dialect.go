package shell

import (
	"fmt"
	"sort"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A dialect describes how one shell is started and quoted.
type dialect struct {
	program string
	args    []string
	bind    func(text string, names map[string]bool) (string, error)
	posix   bool
	file    string // the name of the file for the program text, "" to pass it as an argument
}

func dialectOf(name string) (dialect, error) {
	switch name {
	case "", "bash":
		return dialect{program: "bash", args: []string{"--noprofile", "--norc", "-c"}, bind: bind, posix: true}, nil
	case "sh", "zsh":
		return dialect{program: name, args: []string{"-c"}, bind: bind, posix: true}, nil
	case "pwsh":
		return dialect{program: "pwsh", args: []string{"-NoProfile", "-NonInteractive", "-Command"}, bind: bindPowerShell}, nil
	case "cmd":
		return dialect{program: "cmd", args: []string{"/D", "/C"}, bind: refuseInCmd, file: "script.cmd"}, nil
	}
	return dialect{}, input.Bad("shell: want bash, sh, zsh, pwsh or cmd, not %q", name)
}

func (d dialect) prologue(f Flags) string {
	if !d.posix {
		if f.ExitOnError && d.file == "" {
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

// load returns shell text that reads large values from their files.
func (d dialect) load(files map[string]string) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	text := ""
	for _, name := range names {
		if d.posix { // the x preserves trailing newlines
			text += fmt.Sprintf("%s=$(cat '%s'; printf x); %s=${%s%%x}\n", name, files[name], name, name)
			continue
		}
		text += fmt.Sprintf("$env:%s = [IO.File]::ReadAllText('%s')\n", name, files[name])
	}
	return text
}
