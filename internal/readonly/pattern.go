package readonly

import (
	"fmt"
	"strings"
)

// patterns judges what stands behind =~. Neo4j matches with Java's expressions, which try every
// way to match: '(.*a){25}' on 60 characters runs for hours, and neither a timeout nor the end
// of the transaction stops the thread. So the pattern has to be written out, where it can be
// judged, and must be of a form whose time is bounded.
func patterns(tokens []token) error {
	var seen []token
	for _, t := range tokens {
		if t.kind != hidden || strings.HasPrefix(t.text, "'") || strings.HasPrefix(t.text, `"`) {
			seen = append(seen, t)
		}
	}
	for i, t := range seen {
		if t.kind != other || t.text != "~" {
			continue
		}
		if i+1 >= len(seen) || seen[i+1].kind != hidden {
			return fmt.Errorf("query: =~ needs a pattern that is written out, not a parameter or an expression: matching one that comes from outside can run for ever; use CONTAINS, STARTS WITH or ENDS WITH")
		}
		if i+2 < len(seen) && (strings.Contains("+[.", seen[i+2].text) || seen[i+2].text == "|" && i+3 < len(seen) && seen[i+3].text == "|") {
			return fmt.Errorf("query: the pattern of =~ has to be one text, nothing may be added to it")
		}
		if why := slow(seen[i+1].text[1 : len(seen[i+1].text)-1]); why != "" {
			return fmt.Errorf("query: the pattern %s of =~ %s, so that matching it can run for ever on the server", seen[i+1].text, why)
		}
	}
	return nil
}

// Bounds of a pattern. Each part that repeats multiplies the time by the length of the text,
// each choice doubles it.
const (
	maxRepeats = 2
	maxChoices = 12
)

// slow tells what makes a pattern slow, "" for nothing. It sees more danger than there is.
func slow(pattern string) string {
	pattern = strings.ReplaceAll(pattern, `\\`, `\`) // as Cypher reads it
	repeats, choices, group := 0, 0, false
	for i := 0; i < len(pattern); i++ {
		c, rest := pattern[i], pattern[i+1:]
		switch c {
		case '\\':
			if i++; rest != "" && strings.ContainsRune("0123456789kQ", rune(rest[0])) {
				return "refers to a group, or quotes a part"
			}
		case '[':
			end := class(pattern[i:])
			if end < 0 {
				return "has a class within a class"
			}
			i += end
		case '(':
			if !strings.HasPrefix(rest, "?") {
				break
			}
			if rest = rest[1:]; !strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "i)") && !strings.HasPrefix(rest, "s)") && !strings.HasPrefix(rest, "m)") {
				return "has a group with ? that is not (?:, (?i), (?s) or (?m)"
			}
			if i++; rest[0] != ':' {
				i += 2
			}
		case '*', '+', '{':
			if group {
				return "repeats a group"
			}
			repeats++
		case '?', '|':
			choices++
		}
		group = c == ')'
	}
	switch {
	case repeats > maxRepeats:
		return fmt.Sprintf("has more than %d parts that repeat", maxRepeats)
	case choices > maxChoices:
		return fmt.Sprintf("has more than %d choices", maxChoices)
	}
	return ""
}

// class is where the class at the beginning of a pattern ends; -1 when it has another one in it.
func class(pattern string) int {
	for i := 1; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[', '&':
			return -1
		case ']':
			if i > 1 && !(i == 2 && pattern[1] == '^') { // at its beginning it stands for itself
				return i
			}
		}
	}
	return -1
}
