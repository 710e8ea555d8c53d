package conditions

import (
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/references"
)

// Meant reports whether an operand mixes a reference with other text, and gives the
// comparison that its writer most likely meant. Such a text is never empty, so it is true
// whatever the reference gives. Two ways lead there: text around a reference, and a
// comparison that reads as the default of one.
func Meant(operand string) (when string, always bool) {
	if _, compares := plainWhen(operand); compares {
		return "", false
	}
	template := references.Parse(operand)
	switch {
	case !template.HasReference():
		return "", false
	case template.Lone():
		if !comparesInDefault(operand) {
			return "", false
		}
	case !textAround(operand):
		return "", false
	}
	return "when " + corrected(operand), true
}

// textAround reports whether anything but blanks stands between and around references.
func textAround(text string) bool {
	at := 0
	for _, o := range references.Operands(text) {
		if strings.TrimSpace(text[at:o.From]) != "" {
			return true
		}
		at = o.To
	}
	return strings.TrimSpace(text[at:]) != ""
}

var comparing = regexp.MustCompile(`[^\s<>=!|]\s*(===?|!==?|<=|>=|<|>)|\s(and|or|in|is|not in)\s|&&|\|\|`)

// comparesInDefault reports whether a lone reference has a default with an operator in it,
// as "@{SESSION_ID}.score.value|0 >= 3" has.
func comparesInDefault(text string) bool {
	found := references.Operands(text)
	if len(found) == 0 {
		return false
	}
	last := found[len(found)-1]
	return last.HasDefault && comparing.MatchString("x"+text[last.To:])
}

// A foreignForm is a spelling that other languages have, and ours for it.
type foreignForm struct {
	from *regexp.Regexp
	to   string
}

var foreignForms = []foreignForm{
	{regexp.MustCompile(`(["'])(@\{[^"'{}]*\}[^"'\s]*)(["'])`), "$2"}, // a reference in quotes
	{regexp.MustCompile(`!==`), "!="},
	{regexp.MustCompile(`===`), "=="},
	{regexp.MustCompile(`<>`), "!="},
	{regexp.MustCompile(`([^=!<>])=([^=])`), "$1==$2"},
	{regexp.MustCompile(`\s*&&\s*`), " and "},
	{regexp.MustCompile(`\s*\|\|\s*`), " or "},
	{regexp.MustCompile(`!\s*@\{`), "not @{"},
	{regexp.MustCompile(`\bAND\b`), "and"},
	{regexp.MustCompile(`\bOR\b`), "or"},
	{regexp.MustCompile(`\bNOT\b`), "not"},
}

// withoutWord finds words that other languages begin a condition with, and this one's in another case.
var withoutWord = regexp.MustCompile(`^(?i:when|if|where)(?:\s*:)?\s+`)

// bareWord is a word on the right of an operator that wants quotes.
var bareWord = regexp.MustCompile(`(==|!=|\bin)\s*([\p{L}_][\p{L}\p{N}_]*(?:\s+[\p{L}_][\p{L}\p{N}_]*)*?)\s*($|\)|\band\b|\bor\b)`)

// corrected turns a text into a comparison that can be read, in the words it has.
func corrected(text string) string {
	text = withoutWord.ReplaceAllString(strings.TrimSpace(text), "")
	for _, try := range []func(string) string{
		func(s string) string { return s },
		replaceForeign,
		func(s string) string { return quoted(replaceForeign(s)) },
	} {
		if made := try(text); readable(made) {
			return made
		}
	}
	found := references.Operands(text)
	return text[found[0].From:found[0].To] + " == '…'"
}

func readable(text string) bool {
	_, err := parseComparison(text)
	return err == nil
}

// replaceForeign rewrites forms of other languages in this one.
func replaceForeign(text string) string {
	for _, h := range foreignForms {
		text = h.from.ReplaceAllString(text, h.to)
	}
	return text
}

func quoted(text string) string {
	return bareWord.ReplaceAllStringFunc(text, func(found string) string {
		parts := bareWord.FindStringSubmatch(found)
		switch parts[2] {
		case "true", "false", "null", "None", "True", "False":
			return found
		}
		after := parts[3]
		if after != "" && after != ")" {
			after = " " + after
		}
		return parts[1] + " '" + parts[2] + "'" + after
	})
}
