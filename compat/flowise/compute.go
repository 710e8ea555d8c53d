package flowise

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// What a step in front of a node can compute for it.
const (
	needHistory = "chat_history"
	needLength  = "runtime_messages_length"
	needNow     = "current_date_time"
	needLast    = "last_message"
)

// computations in JavaScript, over past and chat.
var computations = map[string]string{
	needHistory: `past.concat(chat).filter(m => String(m.content).trim() !== '').map(m => ({user: 'Human: ', assistant: 'Assistant: '}[m.role] || '') + m.content).join('\n')`,
	needLength:  `Math.max(chat.length - 1, 0)`,
	needNow:     `new Date().toISOString()`,
	needLast:    `(past.concat(chat).at(-1) || {content: ''}).content`,
}

const talkPrelude = "const past = $past || [], chat = $chat || [];\n"

// findPrelude finds paths as lodash does: a key with the whole path as its name comes first,
// and texts and lists have a length.
const findPrelude = `const own = (o, k) => o !== null && o !== undefined && Object.prototype.hasOwnProperty.call(Object(o), k);
const find = (v, whole, path) => own(v, whole) ? v[whole] : path.reduce((o, k) => own(o, k) ? o[k] : undefined, v);
`

// readPrelude reads a text that is JSON, perhaps as an editor has escaped it.
const readPrelude = `const parsed = text => { try { return JSON.parse(text); } catch { return undefined; } };
const read = v => typeof v !== 'string' || !/^\\?[{[]/.test(v) ? v : parsed(v) ?? parsed(v.replace(/\\(["\\[\]{}])/g, '$1')) ?? v;
`

// needs are what the step in front of a node computes: fields in order, their code and what it
// reads.
type needs struct {
	fields    []string
	code      map[string]string
	variables inputs.Object
	talk      bool // whether the code reads the talk
	finds     bool // whether it looks for paths
	reads     bool // whether it reads texts that are JSON
}

// need adds a field, once.
func (v *values) need(n *node, field, code string, variables inputs.Object) string {
	all := v.needs[n.ID]
	if all == nil {
		all = &needs{code: map[string]string{}}
		v.needs[n.ID] = all
	}
	if all.code[field] == "" {
		all.fields, all.code[field], all.variables = append(all.fields, field), code, append(all.variables, variables...)
	}
	return v.helper(n.ID+"-values") + "." + field
}

// computed is a reference to something that a step in front of a node computes.
func (v *values) computed(n *node, what string) string {
	at := inputs.RefOr(v.need(n, what, computations[what], nil))
	v.needs[n.ID].talk = true
	return at
}

// earlier is the place of a value as it was before the node ran: an update of the state reads
// the node itself as its visit before left it. otherwise is its default.
func (v *values) earlier(n *node, path, otherwise string) string {
	variable := "$" + fieldOf(path)
	return v.need(n, fieldOf(path), variable, inputs.Of(variable, inputs.Ref(path)+"|"+otherwise))
}

// found is the place of what a path of lodash finds in a value, where references cannot say
// it. ok is false for a path that leads nowhere.
func (v *values) found(n *node, value, path string) (at string, ok bool) {
	parts := lodashPath(path)
	if parts == nil {
		return "", false
	}
	variable := "$" + fieldOf(value)
	at = v.need(n, fieldOf(value+"."+path), fmt.Sprintf("find(%s, %s, %s)", variable, inputs.Encode(path), inputs.Encode(parts)), nil)
	all := v.needs[n.ID]
	all.finds, all.variables = true, all.variables.Set(variable, inputs.RefOr(value))
	return at, true
}

// read is the place of a value with variables, of which a text that is JSON is what it says.
func (v *values) read(n *node, name string, value any) string {
	variable := "$" + fieldOf(name)
	at := v.need(n, fieldOf(name), "read("+variable+")", inputs.Of(variable, value))
	v.needs[n.ID].reads = true
	return at
}

// fieldOf makes a name that code and references can use of a path, another one of each.
func fieldOf(path string) string {
	var b strings.Builder
	for _, r := range path {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "_%x_", r)
		}
	}
	return "v" + b.String()
}

// lodashPath reads a path of lodash into its parts, nil for one with empty parts.
func lodashPath(path string) []string {
	var parts []string
	for rest := path; rest != ""; {
		var part string
		switch {
		case rest[0] == '[':
			inner, after, closed := strings.Cut(rest[1:], "]")
			if quote := strings.TrimLeft(inner, `"'`); quote != inner {
				mark := inner[:1]
				inner, after, closed = strings.Cut(rest[2:], mark+"]")
			}
			if !closed {
				return nil
			}
			part, rest = inner, after
		case rest[0] == '.' && len(parts) > 0:
			rest = rest[1:]
			if rest == "" || rest[0] == '.' || rest[0] == '[' {
				return nil
			}
			continue
		default:
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			part, rest = rest[:end], rest[end:]
		}
		if part == "" {
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}

// compute makes the step that computes what a node needs.
func (v *values) compute(n *node) {
	all := v.needs[n.ID]
	if all == nil {
		return
	}
	var fields []string
	for _, field := range all.fields {
		fields = append(fields, field+": "+all.code[field])
	}
	code, variables := "return {"+strings.Join(fields, ", ")+"};", all.variables
	if all.finds {
		code = findPrelude + code
	}
	if all.reads {
		code = readPrelude + code
	}
	if all.talk {
		code = talkPrelude + code
		variables = append(inputs.Of("$past", list(valuePast), "$chat", list(v.local(n, valueChat))), variables...)
	}
	v.before(n, javaScript(v.helper(n.ID+"-values"), "Values for "+n.label(), code, variables))
}

// javaScript is a step of ours that runs JavaScript and gives its result as output.
func javaScript(id, name, code string, variables inputs.Object) engine.Step {
	return engine.Step{ID: id, Name: name, Function: "code",
		Input: inputs.Encode(inputs.Of("language", "javascript", "code", code, "variables", variables, "as_output", true))}
}
