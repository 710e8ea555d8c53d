package nebulaflow

import (
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// A tool is one of those an llm node of NebulaFlow works with in its workspace: a command,
// whose arguments are variables ARG_NAME of its environment.
type tool struct {
	name, description, command string
	required, optional         []string
}

var tools = []tool{
	{"read", "Reads a file.", `cat -- "$ARG_path"`, []string{"path"}, nil},
	{"bash", "Runs a shell command.", `eval "$ARG_command"`, []string{"command"}, nil},
	{"edit", "Replaces the first place of a text in a file.", editCommand, []string{"path", "oldText", "newText"}, nil},
	{"write", "Writes a file, over what was in it.", `printf %s "$ARG_content" > "$ARG_path"`, []string{"path", "content"}, nil},
	{"ls", "Lists a folder.", `ls -la -- "${ARG_path:-.}"`, nil, []string{"path"}},
	{"find", "Finds files by a pattern of their names.", `find "${ARG_path:-.}" -name "$ARG_pattern"`, []string{"pattern"}, []string{"path"}},
	{"grep", "Finds lines in files by a regular expression.", `grep -rnE -e "$ARG_pattern" -- "${ARG_path:-.}"`, []string{"pattern"}, []string{"path"}},
}

// editCommand keeps the newlines at the end of the file, which $(…) would take off.
const editCommand = `text=$(cat -- "$ARG_path"; printf x) || exit 1
text=${text%x}
case $text in *"$ARG_oldText"*) ;; *) echo "oldText is not in the file" >&2; exit 1 ;; esac
printf %s "${text%%"$ARG_oldText"*}$ARG_newText${text#*"$ARG_oldText"}" > "$ARG_path"
`

// olderNames of tools that files still disable.
var olderNames = map[string]string{"edit_file": "edit", "create_file": "write", "glob": "find", "list_directory": "ls"}

// tools draws the paths to the tools of an llm node. With needsUserApproval a person is asked
// before each call, unless all tools are allowed.
func (c *compiler) tools(n *node) {
	off := map[string]bool{}
	for _, name := range n.Data.DisabledTools {
		name = strings.ToLower(name)
		if newer := olderNames[name]; newer != "" {
			name = newer
		}
		off[name] = true
	}
	asks := n.Data.Approval && !n.Data.DangerouslyAllowAll
	for i, t := range tools {
		if off[t.name] {
			continue
		}
		order := float64(i)
		c.addPath(engine.Path{Kind: engine.Tool, Source: n.ID, Target: c.tool(t, asks), Name: t.name, Description: t.description, Priority: &order,
			Extra: map[string]any{propertyGenerated: true, "parameters": inputs.Encode(t.parameters())}})
	}
}

// tool is the step of a tool; agents share it.
func (c *compiler) tool(t tool, asks bool) string {
	purpose := "tool-" + t.name
	if asks {
		purpose += "-asked"
	}
	_, known := c.helpers[purpose]
	id := c.helper(purpose)
	if !known {
		c.add(engine.Step{ID: id, Name: t.name, Function: "shell", Approval: asks, Extra: generated(),
			Input: inputs.Encode(inputs.Of("command", t.command, "raise", true))})
	}
	return id
}

func (t tool) parameters() inputs.Object {
	properties, required := inputs.Of(), []any{}
	for _, name := range append(append([]string(nil), t.required...), t.optional...) {
		properties = properties.With(name, inputs.Of("type", "string"))
	}
	for _, name := range t.required {
		required = append(required, name)
	}
	return inputs.Of("type", "object", "properties", properties, "required", required)
}
