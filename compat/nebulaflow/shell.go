package nebulaflow

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// reserved names never come from a flow.
var reserved = map[string]bool{"PATH": true, "HOME": true, "SHELL": true, "USERPROFILE": true, "COMSPEC": true, "SYSTEMROOT": true, "WINDIR": true,
	"APPDATA": true, "LOCALAPPDATA": true, "TMP": true, "TEMP": true, "PWD": true, "OLDPWD": true, "PATHEXT": true}

const modeScript = "script"

// shell fills in the step of a cli node. Values never become program text: each is bound
// where it stands, and the shell function quotes it for the place.
func (c *compiler) shell(s *engine.Step, n *node, values []text) {
	d := &n.Data
	if word := denied(d); word != "" {
		c.note(n, "denied_command", "a safe command may not begin with %q: the step fails; safetyLevel advanced lets it run", word)
		if !d.Approval { // no approval can change it: it fails before any other command begins
			s.Function = "utils.code.code"
			s.Input = inputs.Encode(inputs.Of("code", "fail(\"Command cannot be executed\")\n", "raise", true))
			return
		}
	}
	s.Function, s.Approval = "shell", d.Approval
	if d.Approval {
		s.Extra[propertyConsent] = inputs.Encode(inputs.Of("prompt", beginning(d.Content)))
	}
	program := c.program(n, values)
	in := inputs.Of("command", program)
	if d.Mode == modeScript {
		in = inputs.Of("script", program)
	} else if d.SafetyLevel != "advanced" && d.Approval { // who approves may change it
		in = in.With("deny", deniedWords)
	}
	if d.Shell != "" {
		in = in.With("shell", d.Shell)
	}
	if d.Mode == modeScript {
		in = c.stdin(in, n, values).With("flags", inputs.Of("exit_on_error", d.Flags.ExitOnError, "unset_vars", d.Flags.UnsetVars, "pipefail", d.Flags.Pipefail))
		if environment := c.environment(n, values); len(environment) > 0 {
			in = in.With("env", environment)
		}
	}
	if d.Flags.PolicyBypass || d.Flags.NoProfile != nil && !*d.Flags.NoProfile || d.Flags.NonInteractive != nil && !*d.Flags.NonInteractive {
		c.note(n, "shell_flags", "noProfile, nonInteractive and executionPolicyBypass change nothing: shells start without profile and nobody is asked")
	}
	if d.ShouldAbort {
		in = in.With("raise", true)
	}
	if d.StreamOutput {
		in = in.With("stream", true)
	}
	s.Input = inputs.Encode(in)
}

// mostPrompt is how much of a command a person is shown who approves it, in bytes.
const mostPrompt = 4000

// beginning is a command as a person is asked about it, with its placeholders.
func beginning(content string) string {
	content = strings.TrimSpace(content)
	if len(content) > mostPrompt {
		content = strings.ToValidUTF8(content[:mostPrompt], "") + "…"
	}
	return content
}

// deniedWords are what a safe command may not begin with. It is a test of the first letters
// and no guard: what is dangerous needs an approval.
var deniedWords = strings.Fields("rm chmod shutdown history user sudo su passwd chown chgrp kill reboot poweroff init " +
	"systemctl journalctl dmesg lsblk lsmod modprobe insmod rmmod lsusb lspci")

func denied(d *data) string {
	if d.Mode == modeScript || d.SafetyLevel == "advanced" {
		return ""
	}
	for _, word := range deniedWords {
		if strings.HasPrefix(d.Content, word) {
			return word
		}
	}
	return ""
}

// program is the content with a reference in the place of each value. A value of several
// parts, one with a default, or one that is known now, is put together by a step in front, so
// that it is bound as one value too: in program text a default would end at a brace.
func (c *compiler) program(n *node, values []text) any {
	var parts []any
	content, at := n.Data.Content, 0
	made := inputs.Of("template", "")
	for _, m := range placeholder.FindAllStringSubmatchIndex(content, -1) {
		value, known := c.placeholder(content[m[2]:m[3]], values, n)
		if !known {
			continue
		}
		if m[0] > at {
			parts = append(parts, inputs.Literal(content[at:m[0]]))
		}
		at = m[1]
		if len(value) == 1 && plain(value[0].ref) {
			parts = append(parts, value[0].ref)
			continue
		}
		name := fmt.Sprintf("value_%d", len(made))
		made = append(made, inputs.Field{Name: name, Value: value.value()})
		parts = append(parts, inputs.Ref(c.helper(n.ID+"-values")+"."+name))
	}
	if len(made) > 1 {
		c.before(n, engine.Step{ID: c.helper(n.ID + "-values"), Name: "Values of " + n.title(), Function: "template", Input: inputs.Encode(made)})
	}
	if parts == nil {
		return inputs.Literal(content)
	}
	if at < len(content) {
		parts = append(parts, inputs.Literal(content[at:]))
	}
	return inputs.Of("@text", parts)
}

// plain reports whether a piece is a reference without a text as default.
func plain(ref string) bool {
	return ref != "" && (strings.HasSuffix(ref, "|") || !strings.Contains(ref, "|"))
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
				out = append(out, inputs.Field{Name: name, Value: c.whole(n, value)})
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
		out = append(out, inputs.Field{Name: name, Value: c.template(string(d.Static[name]), values, n).value()})
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
		given = c.joined(n, values)
	case "parent-index":
		if k := max(int(d.ParentIndex), 1); k <= len(values) {
			given = values[k-1]
		}
	case "literal":
		given = c.template(d.Literal, values, n)
	default:
		return in
	}
	in = in.With("stdin", c.whole(n, given))
	if d.StripCodeFences == nil || *d.StripCodeFences {
		in = in.With("strip_code_fences", true)
	}
	if d.NormalizeCRLF != nil {
		in = in.With("normalize_crlf", *d.NormalizeCRLF)
	}
	return in
}

// images are those of an llm node: addresses, and files of the operator's folder, each read by a step
// in front when the node runs. Loading reads nothing.
func (c *compiler) images(n *node) []any {
	var out []any
	for i, raw := range n.Data.Attachments {
		var a attachment
		if json.Unmarshal(raw, &a) != nil {
			continue
		}
		switch {
		case a.Source == "url" && a.URL != "":
			out = append(out, inputs.Literal(a.URL))
		case a.inFolder():
			id := c.helper(fmt.Sprintf("%s-image-%d", n.ID, i+1))
			c.before(n, engine.Step{ID: id, Name: "Image of " + n.title(), Function: "file.read",
				Input: inputs.Encode(inputs.Of("path", inputs.Literal(a.Path), "encoding", "base64"))})
			out = append(out, inputs.Of("data", inputs.Ref(id+".text"), "media_type", imageTypes[strings.ToLower(filepath.Ext(a.Path))]))
		}
	}
	return out
}

// An attachment is an image of an llm node.
type attachment struct{ Kind, Source, URL, Path string }

// imageTypes are the kinds of image that models take, by the ends of names.
var imageTypes = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}

// inFolder reports whether an attachment is an image of the workspace: here of the operator's folder,
// below which file.read reads and nowhere else.
func (a attachment) inFolder() bool {
	return a.Source == "file" && filepath.IsLocal(a.Path) && imageTypes[strings.ToLower(filepath.Ext(a.Path))] != ""
}
