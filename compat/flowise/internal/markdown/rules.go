package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// rule is the Markdown of an element that has content.
func rule(n *html.Node, content string) string {
	switch n.DataAtom {
	case atom.P:
		return "\n\n" + content + "\n\n"
	case atom.Br:
		return "  \n"
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return heading(int(n.Data[1]-'0'), content)
	case atom.Blockquote:
		return "\n\n> " + strings.ReplaceAll(strings.Trim(content, "\n"), "\n", "\n> ") + "\n\n"
	case atom.Ul, atom.Ol:
		if n.Parent.DataAtom == atom.Li && lastElement(n.Parent) == n {
			return "\n" + content
		}
		return "\n\n" + content + "\n\n"
	case atom.Li:
		return item(n, content)
	case atom.Pre:
		if c := n.FirstChild; c != nil && c.DataAtom == atom.Code {
			return "\n\n    " + strings.ReplaceAll(textOf(c), "\n", "\n    ") + "\n\n"
		}
	case atom.Hr:
		return "\n\n* * *\n\n"
	case atom.A:
		if href := attribute(n, "href"); href != "" {
			return "[" + content + "](" + parentheses.Replace(href) + title(n, true) + ")"
		}
	case atom.Em, atom.I:
		return marked("_", content)
	case atom.Strong, atom.B:
		return marked("**", content)
	case atom.Code:
		if n.Parent.DataAtom != atom.Pre || n.PrevSibling != nil || n.NextSibling != nil {
			return code(content)
		}
	case atom.Img:
		if src := attribute(n, "src"); src != "" {
			return "![" + lines(attribute(n, "alt")) + "](" + src + title(n, false) + ")"
		}
		return ""
	}
	if blocks[n.DataAtom] {
		return "\n\n" + content + "\n\n"
	}
	return content
}

// heading underlines the first two levels with as many marks as the text has UTF-16 units,
// which is how JavaScript counts.
func heading(level int, content string) string {
	if level < 3 {
		mark := "="
		if level == 2 {
			mark = "-"
		}
		return "\n\n" + content + "\n" + strings.Repeat(mark, len(utf16.Encode([]rune(content)))) + "\n\n"
	}
	return "\n\n" + strings.Repeat("#", level) + " " + content + "\n\n"
}

// item is one of a list; what it holds is moved in by four blanks.
func item(n *html.Node, content string) string {
	content = strings.TrimLeft(content, "\n")
	if trimmed := strings.TrimRight(content, "\n"); trimmed != content {
		content = trimmed + "\n"
	}
	content = strings.ReplaceAll(content, "\n", "\n    ")
	prefix := "*   "
	if n.Parent.DataAtom == atom.Ol {
		number := 1
		if start, err := strconv.Atoi(attribute(n.Parent, "start")); err == nil {
			number = start
		}
		for s := n.PrevSibling; s != nil; s = s.PrevSibling {
			if s.Type == html.ElementNode {
				number++
			}
		}
		prefix = strconv.Itoa(number) + ".  "
	}
	if n.NextSibling != nil && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return prefix + content
}

func marked(mark, content string) string {
	if strings.TrimSpace(content) == "" {
		return ""
	}
	return mark + content + mark
}

var (
	lineBreak   = regexp.MustCompile(`\r?\n|\r`)
	backticks   = regexp.MustCompile("`+")
	needsSpace  = regexp.MustCompile("^`|^ .*?[^ ].* $|`$")
	emptyLines  = regexp.MustCompile(`(\n+\s*)+`)
	parentheses = strings.NewReplacer("(", `\(`, ")", `\)`)
)

// code stands between as many backticks as tell its end from those in it.
func code(content string) string {
	content = lineBreak.ReplaceAllString(content, " ")
	space := ""
	if needsSpace.MatchString(content) {
		space = " "
	}
	fence := "`"
	for runs := backticks.FindAllString(content, -1); contains(runs, fence); {
		fence += "`"
	}
	return fence + space + content + space + fence
}

func contains(list []string, one string) bool {
	for _, s := range list {
		if s == one {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func title(n *html.Node, escape bool) string {
	text := lines(attribute(n, "title"))
	if text == "" {
		return ""
	}
	if escape {
		text = strings.ReplaceAll(text, `"`, `\"`)
	}
	return ` "` + text + `"`
}

// lines takes empty lines out of an attribute.
func lines(text string) string { return emptyLines.ReplaceAllString(text, "\n") }

func lastElement(parent *html.Node) *html.Node {
	for c := parent.LastChild; c != nil; c = c.PrevSibling {
		if c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}
