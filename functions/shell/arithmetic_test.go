package shell

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

func TestArithmeticOnReferencesIsWarnedOf(t *testing.T) {
	for text, warned := range map[string]bool{
		"x=@{SESSION_ID}.a.b; [[ $x -eq 1 ]]":                                true,
		"x=@{SESSION_ID}.a.b\nif (( x > 1 )); then echo y; fi":               true,
		"x=@{SESSION_ID}.a.b; echo $((x + 1))":                               true,
		"x=@{SESSION_ID}.a.b; let y=x+1":                                     true,
		"printf %s @{SESSION_ID}.a.b | while read line; do (( line )); done": true,
		"x=@{SESSION_ID}.a.b; [[ $x == 1 ]]":                                 false,
		"x=@{SESSION_ID}.a.b; [ \"$x\" -eq 1 ]":                              false, // which takes numbers alone
		"y=1; [[ $y -eq 1 ]]; echo @{SESSION_ID}.a.b":                        false,
	} {
		problems := check(json.RawMessage(`{"command":` + string(input.Encode(text)) + `}`))
		if found := len(problems) == 1 && problems[0].Code == "shell_arithmetic" && problems[0].Level == "warning"; found != warned {
			t.Errorf("%s: %+v", text, problems)
		}
	}
}
