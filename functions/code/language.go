package code

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A script is a program in any of the languages with its values.
type script struct {
	text      string
	bindings  json.RawMessage // values of the references in the text, by the names that replace them
	variables json.RawMessage // the step's field variables
}

// An outcome is the result of a script; printed is also set when it ended with an error.
type outcome struct {
	result  json.RawMessage
	printed string
}

// A language runs scripts. A *scriptError is an error in the script.
type language func(ctx context.Context, s script) (outcome, error)

const (
	inStarlark   = "starlark"
	inJavaScript = "javascript"
	inPython     = "python"
)

// languageName returns the language of a script. A file's extension gives the default, except
// that a .py file is Starlark unless the step says otherwise, since Python is off by default.
func languageName(given, file string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(given)) {
	case "":
		if strings.HasSuffix(file, ".js") || strings.HasSuffix(file, ".mjs") {
			return inJavaScript, nil
		}
		return inStarlark, nil
	case inStarlark:
		return inStarlark, nil
	case inJavaScript, "js", "ecmascript":
		return inJavaScript, nil
	case inPython, "python3", "py":
		return inPython, nil
	}
	return "", input.Bad("language: scripts are in starlark, javascript or python here, not %q", given)
}

func (f stepFunction) language(name string) language {
	switch name {
	case inJavaScript:
		return f.javaScript
	case inPython:
		return f.python
	}
	return f.starlark
}

func (f stepFunction) starlark(ctx context.Context, s script) (outcome, error) {
	r := run{options: f.options, script: s.text, bindings: s.bindings, variables: s.variables}
	result, err := r.exec(ctx)
	return outcome{result, r.printed.String()}, err
}
