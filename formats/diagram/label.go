package diagram

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/stepgraph/stepgraph/engine"
)

// How much of a text is shown, in characters.
const (
	maxName      = 60
	maxFunction  = 40
	maxCondition = 60
)

// title is what stands above the drawing.
func title(w *engine.Workflow) string {
	if w.Name == "" {
		return shown(w.ID, maxName)
	}
	return shown(w.Name, maxName)
}

// stepLabel is a step's name, or its id, its function, and what is special about it.
func stepLabel(s *engine.Step) []string {
	name := shown(s.Name, maxName)
	if name == "" {
		name = shown(s.ID, maxName)
	}
	label := []string{name}
	if s.Function != "" {
		label = append(label, shown(s.Function, maxFunction))
	}
	var marks []string
	for _, mark := range []struct {
		on   bool
		text string
	}{{s.Approval, "approval"}, {s.Join == engine.JoinAll, "join all"}, {s.Join == engine.JoinRequired, "join required"}, {s.Bypass, "bypass"}, {s.Inactive, "inactive"}} {
		if mark.on {
			marks = append(marks, mark.text)
		}
	}
	if len(marks) > 0 {
		label = append(label, "("+strings.Join(marks, ", ")+")")
	}
	return label
}

// pathLabel says when a path is taken, or what tool it is. A path that is always taken says
// nothing.
func pathLabel(p *engine.Path) []string {
	var label []string
	add := func(before, text string, most int) {
		if text = shown(text, most); text != "" {
			label = append(label, before+text)
		}
	}
	switch p.Kind {
	case engine.Tool:
		add("", "tool "+p.Name, maxName)
	case engine.Contains:
		add("", "contains", maxName)
	}
	add("", p.Label, maxName)
	add("if ", conditionText(p), maxCondition)
	if p.Kind == engine.Next && p.Priority != nil {
		add("priority ", strconv.FormatFloat(*p.Priority, 'g', -1, 64), maxName)
	}
	if len(p.Group) > 0 {
		add("group ", strings.Join(p.Group, ", "), maxName)
	}
	if p.Back {
		add("", "back", maxName)
	}
	return label
}

// shown is a text as a line of a label: blanks and ends of lines are one blank each, what
// cannot be seen is made visible, and what is too long is cut.
func shown(text string, most int) string {
	text = strings.TrimSpace(text)
	if len(text) > 64*most {
		text = text[:64*most] // enough for any character; the rest is cut anyway
	}
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, string(unseen))), " "))
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	for i, c := range runes {
		runes[i] = visible(c)
	}
	return string(runes)
}

// unseen stands for what has no shape of its own.
const unseen = '□'

// visible replaces characters that have no shape, or turn the text around them.
func visible(c rune) rune {
	switch {
	case c < ' ':
		return 0x2400 + c // pictures of control characters
	case c == 0x7f:
		return 0x2421
	case c == unicode.ReplacementChar: // some readers of DOT take it for broken UTF-8
		return unseen
	case c != 0x200D && c != 0x200C && unicode.In(c, unicode.Cf, unicode.Cc, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp):
		return unseen
	}
	return c
}
