package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/mattn/go-isatty"
)

// statusColours are the escape sequences that this program writes itself. A text that brings its
// own can colour a word with them and nothing else.
var statusColours = regexp.MustCompile("\x1b\\[(?:0|3[1-6]|90)m")

// printable is a text as a terminal may get it. People, models and services write texts that an
// operator looks at: a control character in one could clear the screen, write to the clipboard
// or overwrite a line that was printed before. They are shown as \u001b, which is the same
// text in JSON.
func printable(text string) string {
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	var b strings.Builder
	from := 0
	for _, at := range append(statusColours.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		for _, r := range strings.ReplaceAll(text[from:at[0]], "\r\n", "\n") {
			if isControl(r) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		b.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	return b.String()
}

// isControl reports whether a terminal obeys a character instead of showing it, or turns the
// order of those around it.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// A printableWriter writes texts as a terminal may get them.
type printableWriter struct{ to io.Writer }

// Write writes the legible form of p.
func (w printableWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// isTerminal reports whether w is a terminal.
func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(file.Fd()) || isatty.IsCygwinTerminal(file.Fd()))
}
