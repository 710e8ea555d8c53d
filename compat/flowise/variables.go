package flowise

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
)

// Values of a session by name. Those of the runtime of an iteration have names of their own.
const (
	valueQuestion = "question"   // what the person said, a text; empty after a human input
	valueForm     = "form"       // the values of a form
	valueWebhook  = "webhook"    // {body, headers, query}
	valueInput    = "input"      // question, or form as lines: what code sees as $input
	valueSaid     = "said"       // the person's message in the chat for this turn
	valueFlow     = "flow"       // {sessionId, chatId, chatflowId, ...}
	valueState    = "state"      // flow state
	valuePast     = "past"       // messages of the turns before
	valueChat     = "chat"       // messages of this turn
	valueBefore   = "before"     // messages a request brought with it
	valueLoops    = "loop_count" // jumps of the loop node that ran last
	valueVars     = "vars"
	valueFile     = "file_attachment"
	valueAsked    = "asked" // the question without the uploaded texts, where there are some
)

// reserved names cannot be ids of nodes: references would find these values.
var reserved = map[string]bool{valueQuestion: true, valueForm: true, valueWebhook: true, valueInput: true, valueSaid: true, valueFlow: true, valueState: true,
	valuePast: true, valueChat: true, valueBefore: true, valueLoops: true, valueVars: true, valueFile: true, valueAsked: true}

// variable compiles one {{ variable }}.
func (v *values) variable(n *node, match string) text {
	name := strings.TrimSpace(strings.NewReplacer("{", "", "}", "").Replace(match))
	name = strings.ReplaceAll(name, `\`, "")
	head, path, _ := strings.Cut(name, ".")
	switch name {
	case "question", "$question": // the second is what the seed document calls it
		return text{ref(valueQuestion, "")}
	case "file_attachment":
		return text{ref(valueFile, "")}
	case "chat_history", "$chatHistory":
		return text{piece{ref: v.computed(n, needHistory)}}
	case "runtime_messages_length":
		return text{piece{ref: v.computed(n, needLength)}}
	case "loop_count", "$loopCount":
		if v.updating == n {
			return text{ref(v.earlier(n, v.local(n, valueLoops), "0"), "0")}
		}
		return text{ref(v.local(n, valueLoops), "0")}
	case "current_date_time":
		return text{piece{ref: v.computed(n, needNow)}}
	}
	switch head {
	case "$form":
		return v.value(n, valueForm, path, match)
	case "$webhook":
		return v.value(n, valueWebhook, path, match)
	case "$vars":
		return v.value(n, valueVars, path, match)
	case "$flow":
		return v.flowValue(n, path, match)
	}
	if head == "$iteration" || strings.HasPrefix(name, "$iteration[") {
		if n.parent == nil {
			return lit(match)
		}
		return text{{ref: v.itemValue(n.parent, name, match), typed: true}}
	}
	return v.nodeValue(n, name, match)
}

// value is a path into one of the session's values; the variable stays as it is where there is
// nothing, or null.
func (v *values) value(n *node, name, path, match string) text {
	if path == "" {
		return lit(match)
	}
	if native, ok := nativePath(path); ok && !counts(native) {
		return text{ref(name+native, match)}
	}
	if at, ok := v.found(n, name, path); ok {
		return text{ref(at, match)}
	}
	return lit(match)
}

// counts reports whether a path asks for a length, which references do not know.
func counts(native string) bool { return strings.HasSuffix(native, ".length") }

// flowValue is what a flow knows of itself.
func (v *values) flowValue(n *node, path, match string) text {
	switch {
	case path == "state":
		return text{ref(valueState, match)}
	case strings.HasPrefix(path, "state.") || strings.HasPrefix(path, "state["):
		return v.value(n, valueState, strings.TrimPrefix(path[len("state"):], "."), match)
	case path == "sessionId" || path == "chatId":
		return text{{ref: inputs.Ref(valueFlow+"."+path) + "|@{SESSION_ID}"}}
	case path == "chatHistory":
		return text{piece{ref: v.computed(n, needHistory)}}
	case path == "runtimeChatHistoryLength":
		return text{piece{ref: v.computed(n, needLength)}}
	}
	return v.value(n, valueFlow, path, match)
}

// nodeValue is what a node has put out: what it shows, or a path into its output. Nodes in an
// iteration see only those that stand beside them.
func (v *values) nodeValue(n *node, name, match string) text {
	id, path, whole := name, "", true
	if i := strings.Index(name, ".output."); i > 0 {
		id, path, whole = name[:i], name[i+len(".output."):], false
	}
	from := v.flow.byID[id]
	if from == nil || n.parent != nil && from.parent != n.parent {
		return lit(match)
	}
	at, ok, typed := v.shown(from), true, false
	if !whole {
		at, ok = v.outputPath(from, path)
		typed = v.scalar(from, path)
	}
	switch {
	case !ok || counts(at) || v.mayBeNull(from, path):
		return v.foundOutput(n, from, path, match)
	case v.updating == n && from == n:
		at = v.earlier(n, at, match)
	}
	return text{{ref: inputs.Ref(at) + "|" + match, typed: typed}}
}

// foundOutput is a path into the output of a node that references cannot say.
func (v *values) foundOutput(n, from *node, path, match string) text {
	value, rest := "", ""
	switch {
	case from.kind() == kindHTTP && strings.HasPrefix(path, "http.data."):
		value, rest = from.ID+".response", path[len("http.data."):]
	case from.kind() == kindHTTP && strings.HasPrefix(path, "http.data["):
		value, rest = from.ID+".response", path[len("http.data"):]
	case from.kind() == kindIteration && strings.HasPrefix(path, "iterationResults."):
		value, rest = from.ID+".outputs", path[len("iterationResults."):]
	case len(v.structure(from)) > 0:
		value, rest = from.ID+".output", path
	case strings.HasPrefix(path, "content.") || strings.HasPrefix(path, "content["): // into what the node shows
		value, rest = v.shown(from), strings.TrimPrefix(path[len("content"):], ".")
	default:
		if at, ok := v.recordPath(n, from, path); ok {
			return text{{ref: inputs.Ref(at) + "|" + match}}
		}
		return lit(match)
	}
	parts := lodashPath(rest)
	if parts == nil {
		return lit(match)
	}
	variable := "$" + fieldOf(value)
	found := fmt.Sprintf("find(%s, %s, %s)", variable, inputs.Encode(rest), inputs.Encode(parts))
	field := fieldOf(value + "." + rest)
	alone := v.need(n, field, fmt.Sprintf("(v => v === undefined ? %s : v !== null && typeof v === 'object' ? JSON.stringify(v) : v)(%s)", inputs.Encode(match), found), nil)
	shown := v.need(n, field+"Text", fmt.Sprintf("(v => v === undefined ? %s : v !== null && typeof v === 'object' ? JSON.stringify(v) : String(v))(%s)", inputs.Encode(match), found), nil)
	all := v.needs[n.ID]
	all.finds, all.variables = true, all.variables.Set(variable, inputs.RefOr(value))
	return text{{ref: inputs.Ref(shown), alone: inputs.Ref(alone), typed: true}}
}

// mayBeNull tells of a path into a node's output that null may stand there, which Flowise inserts
// as the word and references take for missing: what a server has answered, and what lies in the
// objects of a list. Keys of a structured answer that are null are left out there.
func (v *values) mayBeNull(n *node, path string) bool {
	if n.kind() == kindHTTP {
		rest, ok := strings.CutPrefix(path, "http.data")
		return ok && rest != ""
	}
	parts := lodashPath(path)
	for _, row := range v.structure(n) {
		if len(parts) > 1 && parts[0] == row.text("key") {
			return row.text("type") == "jsonArray"
		}
	}
	return false
}

// shown is the reference to what a node shows as its result.
func (v *values) shown(n *node) string {
	switch n.kind() {
	case kindHTTP:
		return n.ID + ".response"
	case kindStart, kindCondition: // have no content
		return n.ID + ".content"
	}
	return n.ID + ".text"
}

var pathPart = regexp.MustCompile(`^(?:\.?([\p{L}\p{M}\p{Nd}_-]+)|\[["']?([\p{L}\p{M}\p{Nd}_-]+)["']?\])`)

// fromEnd is a number that references count from the end; lodash does not.
var fromEnd = regexp.MustCompile(`^-\d+$`)

// nativePath is a path of lodash, dots and brackets, as ours; it begins with a dot or a
// bracket. ok is false for what references cannot say.
func nativePath(path string) (native string, ok bool) {
	var b strings.Builder
	for path != "" {
		m := pathPart.FindStringSubmatch(path)
		if m == nil || fromEnd.MatchString(m[1]+m[2]) {
			return "", false
		}
		if m[1] != "" {
			b.WriteString("." + m[1])
		} else if strings.Trim(m[2], "0123456789") == "" {
			b.WriteString("[" + m[2] + "]")
		} else {
			b.WriteString("." + m[2])
		}
		path = path[len(m[0]):]
	}
	return b.String(), true
}
