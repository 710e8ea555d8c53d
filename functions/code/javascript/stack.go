package javascript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ourLines is the first line number of guard.js and run.js. Scripts have fewer lines, so a
// line number tells whose it is.
const ourLines = 1 << 17

var frame = regexp.MustCompile(`^(.*?)\(?<eval>:(\d+)(?::(\d+))?\)?$`)

// traceback returns the lines of the script in a stack trace, innermost first, without those
// of other code. prefix is the length of the text before the script on its first line.
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
