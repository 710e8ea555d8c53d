package flowise

import (
	"net/textproto"
	"strings"
)

// outputPath maps a path into what Flowise calls a node's output to a reference into ours.
// ok is false where we have nothing there; the variable then stays as it is written.
func (v *values) outputPath(n *node, path string) (string, bool) {
	native, ok := nativePath(path)
	if !ok {
		return "", false
	}
	head, rest := firstOf(native)
	switch n.kind() {
	case kindStart:
		if head == "form" && rest != "" {
			return "", false // the form is a text here
		}
		return n.ID + native, true
	case kindLLM, kindAgent:
		return v.modelPath(n, head, rest)
	case kindHTTP:
		return httpPath(n, native)
	case kindIteration:
		if head == "iterationResults" {
			return n.ID + ".outputs" + rest, true
		}
	case kindLoop:
		switch head {
		case "nodeID":
			return n.ID + ".target", rest == ""
		case "maxLoopCount":
			return n.ID + ".max", rest == ""
		case "fallbackMessage":
			return n.ID + ".fallback", rest == ""
		}
	}
	return n.ID + ".text", head == "content" && rest == ""
}

// firstOf cuts a native path, ".a[0].b", after its first part: "a" and "[0].b".
func firstOf(native string) (head, rest string) {
	native = strings.TrimPrefix(native, ".")
	if i := strings.IndexAny(native, ".["); i >= 0 {
		return native[:i], native[i:]
	}
	return native, ""
}

// modelPath: the keys of a structured output stand beside the content.
func (v *values) modelPath(n *node, head, rest string) (string, bool) {
	for _, row := range v.structure(n) {
		if row.text("key") == head {
			return n.ID + ".output." + head + rest, true
		}
	}
	if head == "usageMetadata" && rest == ".total_tokens" {
		return n.ID + ".tokens", true
	}
	return n.ID + ".text", head == "content" && rest == ""
}

func httpPath(n *node, native string) (string, bool) {
	for _, part := range []struct{ theirs, ours string }{{".http.data", ".response"}, {".http.status", ".status_code"}, {".http.statusText", ".status_text"}} {
		if rest, ok := strings.CutPrefix(native, part.theirs); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return n.ID + part.ours + rest, true
		}
	}
	if name, ok := strings.CutPrefix(native, ".http.headers."); ok {
		return n.ID + ".headers." + textproto.CanonicalMIMEHeaderKey(name), true
	}
	return "", false
}

// scalar reports whether a path gives a number, a truth or a text, which keeps its type where
// the variable stands alone; lists and objects become text. What only shows at run time counts
// as a scalar.
func (v *values) scalar(n *node, path string) bool {
	native, _ := nativePath(path)
	head, rest := firstOf(native)
	switch n.kind() {
	case kindIteration:
		return head != "iterationResults" || rest != ""
	case kindLLM, kindAgent:
		for _, row := range v.structure(n) {
			if kind := row.text("type"); row.text("key") == head && rest == "" {
				return kind != "stringArray" && kind != "jsonArray"
			}
		}
	case kindHTTP:
		return native != ".http.data"
	}
	return true
}

// structure are the rows of a model node's structured output.
func (v *values) structure(n *node) []settings {
	rows, _ := n.Data.Inputs.rows(prefixOf(n) + "StructuredOutput")
	return rows
}

// prefixOf is what the names of a model node's inputs begin with.
func prefixOf(n *node) string {
	switch n.kind() {
	case kindAgent:
		return "agent"
	case kindConditionAgent:
		return "conditionAgent"
	}
	return "llm"
}
