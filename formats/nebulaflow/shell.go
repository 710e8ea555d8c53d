package nebulaflow

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/internal/inputs"
)

// reserved names never come from a flow.
var reserved = map[string]bool{"PATH": true, "HOME": true, "SHELL": true, "USERPROFILE": true, "COMSPEC": true, "SYSTEMROOT": true, "WINDIR": true,
	"APPDATA": true, "LOCALAPPDATA": true, "TMP": true, "TEMP": true, "PWD": true, "OLDPWD": true, "PATHEXT": true}

const modeScript = "script"

// shell fills in the step of a cli node. Values are never pasted into the command: they stand
// in the environment, and the command names them in quotes.
func (c *compiler) shell(s *engine.Step, n *node, values []text) {
	d := &n.Data
	s.Function, s.Approval = "shell", d.Approval
	environment := inputs.Of()
	command := c.command(n, values, func(value text) string {
		name := fmt.Sprintf("NF_%d", len(environment)+1)
		environment = environment.With(name, value.value())
		return quoted(d.Shell, name)
	})
	field := "command"
	if d.Mode == modeScript {
		field = modeScript
	}
	in := inputs.Of(field, inputs.Literal(command))
	if d.Shell != "" {
		in = in.With("shell", d.Shell)
	}
	if d.Mode == modeScript {
		environment = append(environment, c.environment(n, values)...)
		in = c.stdin(in, n, values).With("flags", flagsOf(d.Flags))
	} else if d.SafetyLevel != "advanced" {
		in = in.With("deny", true)
	}
	if len(environment) > 0 {
		in = in.With("env", environment)
	}
	if d.ShouldAbort {
		in = in.With("fail_on_exit", true)
	}
	s.Input = inputs.Encode(in)
}

// command is the content with the name of a variable in the place of each value. A value that
// is known now and needs no quotes stands as it is.
func (c *compiler) command(n *node, values []text, bind func(text) string) string {
	var out strings.Builder
	content, at := n.Data.Content, 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(content, -1) {
		value, known := c.placeholder(content[m[2]:m[3]], values, n)
		if !known {
			continue
		}
		out.WriteString(content[at:m[0]])
		out.WriteString(bind(value))
		at = m[1]
	}
	out.WriteString(content[at:])
	return out.String()
}

// quoted names a variable of the environment in a shell, as one word.
func quoted(shell, name string) string {
	switch shell {
	case "pwsh":
		return "${env:" + name + "}"
	case "cmd":
		return `"%` + name + `%"`
	}
	return `"$` + name + `"`
}

// environment is what a script sees of its inputs, and its static values.
func (c *compiler) environment(n *node, values []text) inputs.Object {
	out := inputs.Of()
	d := n.Data.Env
	if d.ExposeParents {
		for i, value := range values {
			name := fmt.Sprintf("INPUT_%d", i+1)
			if len(d.Names) > 0 {
				if i >= len(d.Names) {
					break
				}
				name = d.Names[i]
			}
			if name != "" && !reserved[strings.ToUpper(name)] {
				out = out.With(name, value.value())
			}
		}
	}
	names := make([]string, 0, len(d.Static))
	for name := range d.Static {
		if !reserved[strings.ToUpper(name)] && name != "" {
			names = append(names, name)
		} else {
			c.note(n, "reserved_name", "the environment variable %q is reserved and left out", name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		out = out.With(name, c.template(d.Static[name], values, n).value())
	}
	return out
}

// stdin of a script. NebulaFlow takes code fences off when it is told to, and when nothing is
// said and there are some.
func (c *compiler) stdin(in inputs.Object, n *node, values []text) inputs.Object {
	d := n.Data.Stdin
	var given text
	switch d.Source {
	case "parents-all":
		given = join("\n", values)
	case "parent-index":
		if k := max(d.ParentIndex, 1); k <= len(values) {
			given = values[k-1]
		}
	case "literal":
		given = c.template(d.Literal, values, n)
	default:
		return in
	}
	in = in.With("stdin", given.value())
	if d.StripCodeFences == nil || *d.StripCodeFences {
		in = in.With("strip_code_fences", true)
	}
	if d.NormalizeCRLF != nil && !*d.NormalizeCRLF {
		return in
	}
	return in.With("normalize_newlines", true)
}

func flagsOf(f flags) inputs.Object {
	out := inputs.Of("exit_on_error", f.ExitOnError, "unset_vars", f.UnsetVars, "pipefail", f.Pipefail,
		"no_profile", f.NoProfile == nil || *f.NoProfile, "non_interactive", f.NonInteractive == nil || *f.NonInteractive)
	if f.PolicyBypass {
		out = out.With("execution_policy_bypass", true)
	}
	return out
}

// workspaceTools are what an llm node of NebulaFlow may call in its workspace. Here the shell
// stands for all of them.
var workspaceTools = []string{"read", "bash", "edit", "write", "ls", "find", "grep"}

const toolParameters = `{"type":"object","properties":{"command":{"type":"string","description":"the command line"}},"required":["command"]}`

// tools gives an agent the shell, unless it is disabled.
func (c *compiler) tools(n *node) {
	off := map[string]bool{}
	for _, name := range n.Data.DisabledTools {
		off[strings.ToLower(name)] = true
	}
	var missing []string
	for _, name := range workspaceTools {
		if name != "bash" && !off[name] {
			missing = append(missing, name)
		}
	}
	if off["bash"] {
		if len(missing) > 0 {
			c.note(n, "tools_missing", "the agent has no tools here: %s work on the files of an editor's workspace", strings.Join(missing, ", "))
		}
		return
	}
	c.note(n, "tools_by_shell", "bash is the agent's one tool, where the shell is allowed; %s are left to it", strings.Join(missing, ", "))
	id := c.helper(n.ID + "-bash")
	c.add(engine.Step{ID: id, Name: "bash of " + n.title(), Function: "shell", Input: `{"command":"true"}`, Extra: generated(),
		Approval: n.Data.Approval && !n.Data.DangerouslyAllowAll})
	c.addPath(engine.Path{Kind: engine.Tool, Source: n.ID, Target: id, Name: "bash", Description: "Runs a shell command in the workspace.",
		Extra: map[string]any{propertyGenerated: true, "parameters": toolParameters}})
}

// images of an llm node that stand at an address; files of a workspace are not read here.
func (c *compiler) images(n *node) []any {
	var out []any
	for _, raw := range n.Data.Attachments {
		var a struct{ Kind, Source, URL, Path string }
		if json.Unmarshal(raw, &a) == nil && a.Source == "url" && a.URL != "" {
			out = append(out, inputs.Literal(a.URL))
		}
	}
	return out
}
