package callcentre

import (
	"fmt"
	"strings"
)

// nameLength is the maximal length of a tool name in model APIs.
const nameLength = 64

// toolName returns the name of a node as a tool: its purpose and its id, so that nodes with
// the same label differ, and a number if the agent has another tool of that name. A name that
// is too long is shortened in its purpose.
func toolName(n *node, taken names) string {
	base, id := toolBase(n), "_"+cleanID(n.ID)
	plain := cutTo(base, id)
	name, i := plain, max(taken[plain], 2)
	for ; taken[name] > 0; i++ {
		name = cutTo(base, fmt.Sprintf("%s_%d", id, i))
	}
	taken[name] = max(taken[name], 1)
	taken[plain] = i
	return name
}

// names maps the tool names of an agent to the next free number for a duplicate.
type names map[string]int

func cutTo(base, end string) string {
	end = end[max(len(end)-nameLength, 0):]
	return base[:min(len(base), nameLength-len(end))] + end
}

func toolBase(n *node) string {
	if n.kind == kindDepartment {
		return "consult_" + safe(or(n.Data.AgentName, "department"))
	}
	return safe(or(n.Data.FunctionName, n.Data.AgentName, "consult_"+strings.ToLower(or(n.Data.Specialty, "tool"))))
}

func cleanID(id string) string { return keep(id, "", false) }

// safe replaces characters that function names may not contain by _.
func safe(text string) string { return keep(text, "_", true) }

func keep(text, otherwise string, underscore bool) string {
	var b strings.Builder
	for _, c := range utf16Units(text) {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || underscore && c == '_' {
			b.WriteByte(byte(c))
			continue
		}
		b.WriteString(otherwise)
	}
	return b.String()
}

// or is the first text that is not empty.
func or(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
