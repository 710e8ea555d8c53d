package shell

import (
	"fmt"
	"regexp"

	"github.com/stepgraph/stepgraph/engine/function"
)

// Shells evaluate the value of a variable inside arithmetic as an expression: if x has the
// value a[$(id)], [[ $x -eq 1 ]] runs id. A reference directly inside arithmetic is refused; a
// reference that gets there through a variable is detected here.
var (
	assignedReference = regexp.MustCompile(`(?m)(?:^|[\s;&|(])([A-Za-z_][A-Za-z0-9_]*)\+?=[^\s;]*ref_of_check_`)
	readReference     = regexp.MustCompile(`ref_of_check_[^\n]*\|\s*(?:while\s+)?(?:IFS=\S*\s+)?read\s+(?:-\w+\s+)*([A-Za-z_][A-Za-z0-9_]*)`)
	arithmeticPlace   = regexp.MustCompile(`(?m)\[\[[^\n]*?-(?:eq|ne|lt|le|gt|ge)\b[^\n]*?\]\]|\(\([^\n]*?\)\)|\blet\s[^\n;]*|\$\[[^\]\n]*\]|\[[^\]\n]*\]=`)
	identifier        = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
)

// arithmeticProblems warns about variables that contain a reference and are used in
// arithmetic.
func arithmeticProblems(bound string) (problems []function.Problem) {
	holds := map[string]bool{}
	for _, pattern := range []*regexp.Regexp{assignedReference, readReference} {
		for _, m := range pattern.FindAllStringSubmatch(bound, -1) {
			holds[m[1]] = true
		}
	}
	reported := map[string]bool{}
	for _, place := range arithmeticPlace.FindAllString(bound, -1) {
		for _, name := range identifier.FindAllString(place, -1) {
			if !holds[name] || reported[name] {
				continue
			}
			reported[name] = true
			problems = append(problems, function.Problem{Level: "warning", Code: "shell_arithmetic", Message: fmt.Sprintf(
				"variable %s holds a reference and stands in arithmetic (%s), where the shell runs what its value says; check that it is a number first: case $%s in ''|*[!0-9]*) exit 1;; esac",
				name, place, name)})
		}
	}
	return problems
}
