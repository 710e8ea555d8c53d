package callcentre

import (
	"fmt"
	"strings"
)

// nameLength is what model APIs take at most.
const nameLength = 64

// toolName is the name an agent calls a node by: what it does, and its id, so that two nodes
// of one name stay apart; with a number where the agent has another tool of that name. What
// is too long is cut from what it does.
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

// names are those an agent's tools have, each with the number that one more of that name may
// be the first to get.
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

// safe puts _ for everything that no name of a function may hold.
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
