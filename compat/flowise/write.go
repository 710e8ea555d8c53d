package flowise

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// written is a native reference: what it names, the path below, and the default.
var written = regexp.MustCompile(`@\{SESSION_ID\}\.([\pL\d_-]+)((?:\.[\pL\d_-]+|\[-?\d+\])*)(?:\|(\{\{[^{}]*\}\})?)?`)

// writeReferences is a text with its references as Flowise's variables: the one a reference
// was compiled from where it stands in its default, else that of the value or node it names. An
// answer over HTTP has two spellings.
func writeReferences(w *engine.Workflow, text string) []string {
	spell := func(whole string) string {
		return written.ReplaceAllStringFunc(text, func(ref string) string {
			m := written.FindStringSubmatch(ref)
			name, path, variable := m[1], strings.TrimPrefix(m[2], "."), m[3]
			switch {
			case variable != "":
				return variable
			case name == valueQuestion:
				return "{{question}}"
			case name == valueForm, name == valueWebhook, name == valueVars, name == valueFlow:
				return "{{$" + name + "." + path + "}}"
			case name == valueState:
				return "{{$flow.state." + path + "}}"
			case strings.HasSuffix(name, "-values") && computations[path] != "":
				return "{{" + path + "}}"
			case path == "" || path == "text":
				return "{{" + name + "}}"
			}
			if path = flowisePath(kindIn(w, name), path, whole); path == "" {
				return "{{" + name + "}}"
			}
			return "{{" + name + "." + path + "}}"
		})
	}
	list := []string{spell("output.http.data")}
	if other := spell(""); other != list[0] {
		list = append(list, other)
	}
	return list
}

// theirPaths are the paths into a node's output in Flowise by the paths into a step's.
var theirPaths = map[string][]struct{ ours, theirs string }{
	kindHTTP:      {{"status_code", "output.http.status"}, {"status_text", "output.http.statusText"}, {"headers", "output.http.headers"}, {"response", "output.http.data"}},
	kindIteration: {{"outputs", "output.iterationResults"}},
	kindLLM:       {{"tokens", "output.usageMetadata.total_tokens"}},
	kindAgent:     {{"tokens", "output.usageMetadata.total_tokens"}},
	kindLoop:      {{"target", "output.nodeID"}, {"max", "output.maxLoopCount"}, {"fallback", "output.fallbackMessage"}},
}

// flowisePath is the path of a variable of Flowise that reads what a path reads here, "" for the
// node itself; whole is the one of a whole answer over HTTP.
func flowisePath(kind, path, whole string) string {
	for _, one := range theirPaths[kind] {
		rest, found := strings.CutPrefix(path, one.ours)
		if !found || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if one.ours == "headers" {
			rest = strings.ToLower(rest)
		}
		if one.ours == "response" && rest == "" {
			return whole
		}
		return one.theirs + rest
	}
	if path == "output" || strings.HasPrefix(path, "output.") {
		return path // a key of a structured output
	}
	return "output." + path
}

// computesValues reports whether a step is one that computes what a field of its node reads.
func computesValues(s *engine.Step) bool {
	of, _ := s.Extra[propertyOf].(string)
	return of != "" && s.Extra[propertyGenerated] == true && s.Function == "code" && s.ID == of+"-values"
}

// computedValue is a reference to such a step, and escapedRune a character of a path in its name.
var (
	computedValue = regexp.MustCompile(`@\{SESSION_ID\}\.[\pL\d_-]+-values\.v([A-Za-z\d_]+)`)
	escapedRune   = regexp.MustCompile(`_([0-9a-f]+)_`)
)

// nameValues replaces the references to computed values in an input by references to what they are
// computed from, which fieldOf has made their names of.
func nameValues(input string) string {
	return computedValue.ReplaceAllStringFunc(input, func(ref string) string {
		name := strings.TrimSuffix(computedValue.FindStringSubmatch(ref)[1], "Text")
		return inputs.Ref(escapedRune.ReplaceAllStringFunc(name, func(r string) string {
			code, err := strconv.ParseUint(r[1:len(r)-1], 16, 21)
			if err != nil {
				return r
			}
			return string(rune(code))
		}))
	})
}
