package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is how deep elements may be nested; what lies deeper is read as plain text.
const maxDepth = 500

// FromHTML is the Markdown of an HTML fragment. Every text is some fragment, so there are no
// errors: what is not closed is closed where HTML says so.
func FromHTML(text string) string {
	root := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragment(strings.NewReader(text), root)
	if err != nil { // only reading fails, and a string does not
		return text
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	if depth(root) > maxDepth {
		return text
	}
	collapse(root)
	out := children(root)
	return strings.TrimRight(strings.TrimLeft(out, "\t\r\n"), "\t\r\n \u00a0")
}

// depth is how deep the tree is, found without recursion.
func depth(root *html.Node) int {
	deepest, level := 0, 0
	for n := root; n != nil; {
		deepest = max(deepest, level)
		if n.FirstChild != nil {
			n, level = n.FirstChild, level+1
			continue
		}
		for n != root && n.NextSibling == nil {
			n, level = n.Parent, level-1
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	return deepest
}

// children is the Markdown of what an element holds. Between two pieces stand as many line
// breaks as the one that wants more has, at most two.
func children(parent *html.Node) string {
	var out string
	for n := parent.FirstChild; n != nil; n = n.NextSibling {
		switch n.Type {
		case html.TextNode:
			out = join(out, n.Data)
		case html.ElementNode:
			out = join(out, element(n))
		}
	}
	return out
}

func join(before, after string) string {
	left, right := strings.TrimRight(before, "\n"), strings.TrimLeft(after, "\n")
	breaks := max(len(before)-len(left), len(after)-len(right))
	return left + strings.Repeat("\n", min(breaks, 2)) + right
}

// element is the Markdown of one element. Blanks at the ends of its text stand outside of its
// markers.
func element(n *html.Node) string {
	if blank(n) {
		if blocks[n.DataAtom] {
			return "\n\n"
		}
		leading, trailing := outerBlanks(n)
		return leading + trailing
	}
	content := children(n)
	leading, trailing := outerBlanks(n)
	if leading != "" || trailing != "" {
		content = strings.TrimSpace(content)
	}
	return leading + rule(n, content) + trailing
}

// outerBlanks returns the blanks at the ends of an inline element's text, unless its neighbour
// has one there already.
func outerBlanks(n *html.Node) (leading, trailing string) {
	if blocks[n.DataAtom] {
		return "", ""
	}
	text := textOf(n)
	inner := strings.TrimSpace(text)
	leading = text[:len(text)-len(strings.TrimLeft(text, " \t\r\n\u00a0"))]
	if inner == "" {
		trailing = ""
	} else {
		trailing = text[len(strings.TrimRight(text, " \t\r\n\u00a0")):]
	}
	if isASCII(leading) && endsBlank(n.PrevSibling) {
		leading = ""
	}
	if isASCII(trailing) && beginsBlank(n.NextSibling) {
		trailing = ""
	}
	return leading, trailing
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 127 }) < 0 }

func endsBlank(n *html.Node) bool { return strings.HasSuffix(inlineText(n), " ") }

func beginsBlank(n *html.Node) bool { return strings.HasPrefix(inlineText(n), " ") }

// inlineText is the text of a node, "" of a block.
func inlineText(n *html.Node) string {
	switch {
	case n == nil || n.Type == html.ElementNode && blocks[n.DataAtom]:
		return ""
	case n.Type == html.TextNode:
		return n.Data
	}
	return textOf(n)
}

// textOf is all text in a node.
func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// blank reports whether an element has nothing to show.
func blank(n *html.Node) bool {
	if voids[n.DataAtom] || meaningful[n.DataAtom] || strings.TrimSpace(textOf(n)) != "" {
		return false
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && !blank(c) {
			return false
		}
	}
	return true
}
