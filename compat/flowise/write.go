package flowise

import (
	"regexp"
	"strings"
)

// written is a native reference: what it names, the path below, and the default.
var written = regexp.MustCompile(`@\{SESSION_ID\}\.([\pL\d_-]+)((?:\.[\pL\d_-]+|\[-?\d+\])*)(?:\|(\{\{[^{}]*\}\})?)?`)

// writeReferences is a text with its references as Flowise's variables: the one a reference
// was compiled from where it stands in its default, else that of the value or node it names.
func writeReferences(text string) []string {
	return []string{written.ReplaceAllStringFunc(text, func(ref string) string {
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
		case path == "" || path == "text":
			return "{{" + name + "}}"
		}
		return "{{" + name + ".output." + path + "}}"
	})}
}
