// Package regexcost estimates the cost of a regular expression before it is compiled.
//
// A match of a Go expression always ends: its time is at most proportional to the length of the text
// times the size of the compiled program. But both factors can be large: a{1000} is seven bytes and
// a thousand instructions, so an expression of 20 KB can be a program of 130 MB. Code that takes an
// expression from a workflow or a model checks its size first and bounds the text that it matches.
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
