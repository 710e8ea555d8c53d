package shell

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/references"
)

// check validates a step when its workflow is loaded: it must have exactly one program in a
// known shell, with references only in allowed positions.
func check(text json.RawMessage) []function.Problem {
	o, err := input.Parse(text)
	if err != nil {
		return nil
	}
	command, script := o.Get("command"), o.Get("script")
	switch {
	case command == nil && script == nil:
		return problem("give command or script")
	case command != nil && script != nil:
		return problem("give command or script, not both")
	case command == nil:
		command = script
	}
	shell := input.TextOf(o.Get("shell"))
	if strings.Contains(shell, "@{") || command[0] != '"' {
		return nil // known only when the step runs
	}
	d, err := dialectOf(shell)
	if err != nil {
		return problem(err.Error())
	}
	names := map[string]bool{}
	bound, _ := references.Bind(input.TextOf(command), func(i int) string {
		name := "ref_of_check_" + strconv.Itoa(i)
		names[name] = true
		return name
	})
	if _, err := d.bind(bound, names); err != nil {
		return problem(err.Error())
	}
	return arithmeticProblems(bound)
}

func problem(message string) []function.Problem {
	return []function.Problem{{Level: "error", Code: "bad_input", Message: message}}
}
