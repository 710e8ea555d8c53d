package markdown

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var blankRun = regexp.MustCompile(`[ \r\n\t]+`)

// collapse makes one blank of each run of blanks, and none at the ends of a block, as a
// browser shows it. Texts in pre are left as they are.
func collapse(root *html.Node) {
	var last *html.Node // the newest text of this line
	keep := false       // a blank may follow what is not text
	var previous *html.Node
	for n := following(nil, root); n != root; {
		switch {
		case n.Type == html.TextNode:
			text := blankRun.ReplaceAllString(n.Data, " ")
			if (last == nil || strings.HasSuffix(last.Data, " ")) && !keep {
				text = strings.TrimPrefix(text, " ")
			}
			if text == "" {
				n = remove(n)
				continue
			}
			n.Data, last = text, n
		case n.Type != html.ElementNode:
			n = remove(n)
			continue
		case blocks[n.DataAtom] || n.DataAtom == atom.Br:
			if last != nil {
				last.Data = strings.TrimSuffix(last.Data, " ")
			}
			last, keep = nil, false
		case voids[n.DataAtom] || n.DataAtom == atom.Pre:
			last, keep = nil, true
		case last != nil:
			keep = false
		}
		next := following(previous, n)
		previous, n = n, next
	}
	if last != nil {
		if last.Data = strings.TrimSuffix(last.Data, " "); last.Data == "" {
			remove(last)
		}
	}
}

// following walks through a tree: into an element, and past it once more when all that is in
// it has been seen.
func following(previous, n *html.Node) *html.Node {
	if previous != nil && previous.Parent == n || n.DataAtom == atom.Pre {
		return after(n)
	}
	if n.FirstChild != nil {
		return n.FirstChild
	}
	return after(n)
}

func after(n *html.Node) *html.Node {
	if n.NextSibling != nil {
		return n.NextSibling
	}
	return n.Parent
}

func remove(n *html.Node) (next *html.Node) {
	next = after(n)
	n.Parent.RemoveChild(n)
	return next
}
