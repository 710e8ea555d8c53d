package compare

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// Strip removes the markup of Markdown and HTML from a text: "**yes**" becomes "yes",
// "[t](http://x)" becomes "t", "<p>ok</p>" becomes "ok". It uses patterns, not a grammar: what
// looks like markup is removed ("1 < 2 > 1" loses "< 2 >"), and a single star between spaces
// is kept. Entities such as &amp; stay.
func Strip(text string) string {
	for _, mark := range blockMarks {
		text = mark.form.ReplaceAllString(text, mark.keep)
	}
	text = fence.ReplaceAllStringFunc(text, func(block string) string {
		return strings.TrimFunc(fence.FindStringSubmatch(block)[1], isBlank)
	})
	for _, mark := range inlineMarks {
		text = mark.form.ReplaceAllString(text, mark.keep)
	}
	for _, mark := range pairedMarks {
		text = mark.strip(text)
	}
	for _, mark := range singleMarks {
		text = mark.form.ReplaceAllString(text, mark.keep)
	}
	return text
}

// A mark is removed wherever its pattern matches, except for the groups in keep.
type mark struct {
	form *regexp.Regexp
	keep string
}

// blank matches JavaScript's white space. The rules below come from JavaScript.
const blank = `[\s\v\p{Z}\x{feff}]`

// inLine matches any character except JavaScript's line terminators.
const inLine = `[^\n\r\x{2028}\x{2029}]`

// asInJavaScript converts JavaScript's classes to Go's. The first pair that matches is used.
var asInJavaScript = strings.NewReplacer("␣", blank, `\.`, `\.`, `(?s:.*?)`, `(?s:.*?)`, ".", inLine)

func marked(form, keep string) mark {
	return mark{regexp.MustCompile(asInJavaScript.Replace(form)), keep}
}

// blockMarks match at the beginnings of lines. A horizontal rule comes before the list item
// that it could be taken for.
var blockMarks = []mark{
	marked(`(?m)^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})(?:\n+|$)`, ""), // a horizontal rule
	marked(`(?m)^(␣*)(?:[-+*]|\d+\.)␣+`, "$1"),                                             // an item of a list
	marked(`\n={2,}`, "\n"), // the line under a heading
	marked(`~~~.*\n`, ""),   // the fence of a block of code
	marked(`~~`, ""),
}

// fence is a block of code with its fences of backticks.
var fence = regexp.MustCompile("(?s)```" + inLine + "*\n(.*?)```")

var inlineMarks = []mark{
	marked(`<[^>]*>`, ""),
	marked(`\A[-=]{2,}␣*\z`, ""),
	marked(`\[\^.+?\](?:: .*?\z)?`, ""),                  // a footnote
	marked(`␣{0,2}\[.*?\]: .*?\z`, ""),                   // the definition of a reference link
	marked(`!\[(.*?)\][\[(].*?[\])]`, "$1"),              // an image leaves its text
	marked(`\[((?s:.*?))\]␣*[\[(].*?[\])]`, "$1"),        // a link too
	marked(`(?m)^(\n)?␣{0,3}>␣?`, "$1"),                  // a quotation
	marked(`\A␣{1,2}\[.*?\]: [^\s]+(?: ".*?")?␣*\z`, ""), // the definition of a link, alone
	marked(`(?m)^(\n)?␣*#{1,6}␣*(?: (.+))? +#+$|^(\n)?␣*#{1,6}␣*(?: (.+))?$`, "$1$2$3$4"),
}

// singleMarks are pairs of one character.
var singleMarks = []mark{
	marked("`(.+?)`", "$1"),
	marked(`~(.*?)~`, "$1"),
}

// A pairedMark ends with as many characters as it begins with, which needs a back-reference;
// such a pattern has a time limit.
type pairedMark struct {
	form *regexp2.Regexp
	keep []int // groups that are kept
}

var pairedMarks = []pairedMark{
	{paired(`(\*+)(\S)(.*?\S)??\1`), []int{2, 3}},
	{paired(`(^|\W)(_+)(\S)(.*?\S)??\2($|\W)`), []int{1, 3, 4, 5}}, // not within a word
	{paired("(`{3,})(.*?)\\1"), []int{2}},
}

func paired(form string) *regexp2.Regexp {
	compiled := regexp2.MustCompile(form, regexp2.ECMAScript)
	compiled.MatchTimeout = matchTimeout
	return compiled
}

// strip takes the mark out, everywhere or, when that takes too long, nowhere.
func (p pairedMark) strip(text string) string {
	end := time.Now().Add(matchTimeout)
	runes := []rune(text)
	var kept []rune
	at := 0
	m, err := p.form.FindRunesMatch(runes)
	for ; m != nil && err == nil; m, err = p.form.FindNextMatch(m) {
		if time.Now().After(end) {
			return text
		}
		kept = append(kept, runes[at:m.Index]...)
		for _, n := range p.keep {
			kept = append(kept, m.GroupByNumber(n).Runes()...)
		}
		at = m.Index + m.Length
	}
	if err != nil {
		return text
	}
	return string(append(kept, runes[at:]...))
}
