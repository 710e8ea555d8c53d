// Package regexcost tells how much a regular expression of Go costs, before it is compiled.
//
// Go's expressions never run for ever: the time of a match is at most that of the text's length
// times the size of the program. But both factors can be large: a{1000} is six bytes and a
// thousand instructions, so that a text of 20 KB is a program of 130 MB. Whoever takes an
// expression from a workflow or a model asks for its size first, and counts what it matches.
package regexcost

import (
	"math"
	"regexp/syntax"
)

// Of is about how many instructions the program of an expression has.
func Of(text string) (int, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	return of(parsed), nil
}

func of(e *syntax.Regexp) int {
	size := 1
	if e.Op == syntax.OpLiteral {
		size = len(e.Rune)
	}
	for _, sub := range e.Sub {
		size = plus(size, of(sub))
	}
	if e.Op == syntax.OpRepeat {
		size = times(size, max(e.Min, e.Max, 1))
	}
	return size
}

const most = math.MaxInt32

func plus(a, b int) int { return min(a+b, most) }

func times(a, b int) int {
	if a > most/b {
		return most
	}
	return a * b
}
