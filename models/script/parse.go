package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxDelay is the longest delay_ms that a reply may have.
const maxDelay = 24 * time.Hour

// Parse reads the text of a script file. Every error is a *SyntaxError. Unknown keys are
// errors, because a misspelt key would otherwise show only as a script without replies.
func Parse(data []byte) (File, error) {
	r, root, err := readNode(data)
	if err != nil {
		return File{}, err
	}
	p := parser{r}
	if root.kind() != '{' {
		return File{}, p.fail(root, "a script is an object with steps, match, any, fitting and otherwise")
	}
	var file File
	for _, m := range root.members {
		if err := p.section(&file, m); err != nil {
			return File{}, err
		}
	}
	return file, nil
}

// A parser converts nodes to a File.
type parser struct{ *reader }

func (p parser) fail(n *node, format string, args ...any) error {
	return p.reader.fail(n.offset, n.pointer, fmt.Sprintf(format, args...))
}

func (p parser) section(file *File, m member) (err error) {
	switch m.name {
	case "steps":
		file.Steps, err = p.steps(m.value)
	case "match":
		file.Match, err = p.matches(m.value)
	case "any":
		file.Any, err = p.replies(m.value)
	case "fitting":
		if text := string(m.value.text); text != "true" && text != "false" {
			return p.fail(m.value, "fitting is true or false")
		}
		file.Fitting = string(m.value.text) == "true"
	case "otherwise":
		if m.value.kind() != '"' || m.value.str() != "echo" {
			return p.fail(m.value, `otherwise is "echo", or absent to fail when the script has run out`)
		}
		file.Echo = true
	default:
		return p.fail(m.value, "unknown key %q; a script has steps, match, any, fitting and otherwise", m.name)
	}
	return err
}

func (p parser) steps(n *node) (map[string][]Reply, error) {
	if n.kind() != '{' {
		return nil, p.fail(n, "steps is an object: a list of replies for each step id")
	}
	steps := make(map[string][]Reply, len(n.members))
	for _, m := range n.members {
		replies, err := p.replies(m.value)
		if err != nil {
			return nil, err
		}
		steps[m.name] = replies
	}
	return steps, nil
}

func (p parser) replies(n *node) ([]Reply, error) {
	if n.kind() != '[' {
		return nil, p.fail(n, "is a list of replies")
	}
	replies := make([]Reply, 0, len(n.items))
	for _, item := range n.items {
		reply, err := p.reply(item)
		if err != nil {
			return nil, err
		}
		replies = append(replies, reply)
	}
	return replies, nil
}

func (p parser) matches(n *node) ([]Match, error) {
	if n.kind() != '[' {
		return nil, p.fail(n, `match is a list of {"pattern", "reply"}`)
	}
	var matches []Match
	for _, item := range n.items {
		match, err := p.match(item)
		if err != nil {
			return nil, err
		}
		matches = append(matches, match)
	}
	return matches, nil
}

func (p parser) match(n *node) (Match, error) {
	if n.kind() != '{' || !n.only("pattern", "result", "said", "reply") || n.get("pattern") == nil || n.get("reply") == nil {
		return Match{}, p.fail(n, "a match has a pattern and a reply, perhaps a result or said, and nothing else")
	}
	var match Match
	var err error
	if match.Pattern, err = p.expression(n.get("pattern")); err != nil {
		return Match{}, err
	}
	for name, to := range map[string]**Pattern{"result": &match.Result, "said": &match.Said} {
		if pattern := n.get(name); pattern != nil {
			if *to, err = p.expression(pattern); err != nil {
				return Match{}, err
			}
		}
	}
	match.Reply, err = p.reply(n.get("reply"))
	return match, err
}

func (p parser) expression(n *node) (*Pattern, error) {
	if n.kind() != '"' {
		return nil, p.fail(n, "a pattern is a text")
	}
	pattern, err := newPattern(n.str())
	if err != nil {
		return nil, p.fail(n, "%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return pattern, nil
}

// reply reads one reply, with or without a delay around it.
func (p parser) reply(n *node) (Reply, error) {
	if n.kind() != '{' || !has(n, "reply", "delay_ms") {
		return p.bare(n)
	}
	reply, err := p.bare(n.get("reply"))
	if err != nil {
		return Reply{}, err
	}
	delay := n.get("delay_ms")
	var ms int64
	if json.Unmarshal(delay.text, &ms) != nil || delay.kind() == 'n' || ms < 0 || ms > maxDelay.Milliseconds() {
		return Reply{}, p.fail(delay, "delay_ms is a whole number of milliseconds from 0 to %d", maxDelay.Milliseconds())
	}
	reply.Delay = time.Duration(ms) * time.Millisecond
	return reply, nil
}

func (p parser) bare(n *node) (Reply, error) {
	switch {
	case n.kind() == '"':
		return Reply{Text: n.str()}, nil
	case n.kind() != '{':
		return Reply{}, p.fail(n, "a reply is a text or an object; for another structured output write its JSON as text")
	case has(n, "error") && n.only("error", "transient"):
		return p.failure(n)
	case has(n, "tool_calls") && n.only("tool_calls", "text"):
		return p.toolCalls(n)
	case has(n, "reply") && slices.ContainsFunc(n.members, func(m member) bool { return strings.HasPrefix(m.name, "delay") }):
		return Reply{}, p.fail(n, "a delayed reply has reply and delay_ms, nothing else, and holds no other delayed reply")
	case has(n, "error") && slices.ContainsFunc(n.members, func(m member) bool { return strings.HasPrefix(m.name, "trans") }):
		return Reply{}, p.fail(n, "a scripted error has error and transient, and nothing else")
	}
	object := n.compact()
	return Reply{Text: string(object), Object: object}, nil
}

func (p parser) failure(n *node) (Reply, error) {
	message, transient := n.get("error"), n.get("transient")
	if message.kind() != '"' {
		return Reply{}, p.fail(message, "the error of a reply is a text; write a structured output with this key as its JSON text")
	}
	failure := &Failure{Message: message.str()}
	if transient != nil {
		if transient.kind() != 't' && transient.kind() != 'f' {
			return Reply{}, p.fail(transient, "transient is true or false")
		}
		failure.Transient = transient.kind() == 't'
	}
	return Reply{Error: failure}, nil
}

func (p parser) toolCalls(n *node) (Reply, error) {
	list := n.get("tool_calls")
	if list.kind() != '[' || len(list.items) == 0 {
		return Reply{}, p.fail(list, `tool_calls is a list of {"name", "arguments"} with at least one`)
	}
	var reply Reply
	for _, item := range list.items {
		call, err := p.toolCall(item)
		if err != nil {
			return Reply{}, err
		}
		reply.ToolCalls = append(reply.ToolCalls, call)
	}
	if text := n.get("text"); text != nil {
		if text.kind() != '"' {
			return Reply{}, p.fail(text, "the text beside tool_calls is a text")
		}
		reply.Text = text.str()
	}
	return reply, nil
}

func (p parser) toolCall(n *node) (Call, error) {
	if n.kind() != '{' || !n.only("name", "arguments") || !has(n, "name") {
		return Call{}, p.fail(n, "a tool call has a name and arguments, and nothing else")
	}
	name := n.get("name")
	if name.kind() != '"' || name.str() == "" {
		return Call{}, p.fail(name, "the name of a tool is a text that is not empty")
	}
	call := Call{Name: name.str(), Arguments: json.RawMessage(`{}`)}
	if arguments := n.get("arguments"); arguments != nil {
		call.Arguments = arguments.compact()
	}
	return call, nil
}

// has reports whether all names are members of n.
func has(n *node, names ...string) bool {
	for _, name := range names {
		if n.get(name) == nil {
			return false
		}
	}
	return true
}
