package javascript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ourLines stand above the scripts around a script, so that their lines are told from its
// own, of which there are fewer.
const ourLines = 1 << 17

var frame = regexp.MustCompile(`^(.*?)\(?<eval>:(\d+)(?::(\d+))?\)?$`)

// traceback names the lines of the script that a stack trace goes through, innermost first; it
// leaves out what is not the script's. prefix is what stands before it on its first line.
func traceback(stack string, prefix int) string {
	var out strings.Builder
	for _, line := range strings.Split(stack, "\n") {
		m := frame.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if at >= ourLines {
			continue
		}
		if at == 1 {
			column = max(column-prefix, 1)
		}
		fmt.Fprintf(&out, "%s(line %d, column %d)\n", m[1], at, column)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
