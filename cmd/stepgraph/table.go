package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"github.com/stepgraph/stepgraph/engine"
)

// A long cell is a text that may be cut: to the width of the terminal, else to longestCell.
type long string

// A status cell is coloured at a terminal.
type status string

const (
	longestCell = 80 // of a long cell where there is no terminal
	narrow      = 12 // no column is cut below that
	gap         = 3  // blanks between columns
)

// table writes columns under their headings. At a terminal no line is wider than it is: long
// cells are cut first, then the widest columns. Elsewhere only long cells are cut, so that a
// program reading the lines finds whole names.
func (a *app) table(headings string, rows [][]any) error {
	t := textTable{headings: strings.Split(headings, "\t"), colour: a.colours()}
	for _, row := range rows {
		t.add(row)
	}
	t.fit(a.width())
	_, err := a.out.Write([]byte(t.String()))
	return err
}

// width is how many characters a line of the terminal has, 0 where stdout is not a terminal.
func (a *app) width() int {
	if !isTerminal(a.out) {
		return 0
	}
	if n, err := strconv.Atoi(a.env("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if file, ok := a.out.(*os.File); ok {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// colours reports whether stdout takes them: see https://no-color.org.
func (a *app) colours() bool {
	return isTerminal(a.out) && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}

// A textTable is a table while it is laid out.
type textTable struct {
	headings []string
	rows     [][]string
	status   int // column of statuses, from 1; 0 for none
	long     []bool
	widths   []int
	colour   bool
}

func (t *textTable) add(row []any) {
	if t.long == nil {
		t.long = make([]bool, len(t.headings))
	}
	cells := make([]string, len(row))
	for i, cell := range row {
		switch cell := cell.(type) {
		case long:
			t.long[i] = true
			cells[i] = oneLine(string(cell))
		case status:
			t.status = i + 1
			cells[i] = string(cell)
		default:
			cells[i] = oneLine(fmt.Sprint(cell))
		}
	}
	t.rows = append(t.rows, cells)
}

// fit decides the widths of the columns; most is the width of a line, 0 for any.
func (t *textTable) fit(most int) {
	t.widths = make([]int, len(t.headings))
	for _, row := range append([][]string{t.headings}, t.rows...) {
		for i, cell := range row {
			t.widths[i] = max(t.widths[i], displayWidth(cell))
		}
	}
	if most == 0 {
		for i, isLong := range t.long {
			if isLong {
				t.widths[i] = min(t.widths[i], longestCell)
			}
		}
		return
	}
	over := gap*(len(t.widths)-1) - most
	for _, w := range t.widths {
		over += w
	}
	over = t.shrink(over, func(i int) bool { return i < len(t.long) && t.long[i] })
	t.shrink(over, func(int) bool { return true })
}

// shrink takes from the widest of the chosen columns until nothing is over, and returns what
// still is.
func (t *textTable) shrink(over int, chosen func(int) bool) int {
	for over > 0 {
		widest := -1
		for i, w := range t.widths {
			if chosen(i) && w > narrow && (widest < 0 || w > t.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		t.widths[widest]--
		over--
	}
	return over
}

// String is the table as it is written.
func (t *textTable) String() string {
	var b strings.Builder
	t.line(&b, t.headings, false)
	for _, row := range t.rows {
		t.line(&b, row, t.colour)
	}
	return b.String()
}

func (t *textTable) line(b *strings.Builder, cells []string, colour bool) {
	blanks := 0
	for i, cell := range cells {
		cell = cutTo(cell, t.widths[i])
		if cell != "" {
			b.WriteString(strings.Repeat(" ", blanks))
			blanks = 0
		}
		if colour && i+1 == t.status {
			b.WriteString(coloured(cell))
		} else {
			b.WriteString(cell)
		}
		blanks += t.widths[i] - displayWidth(cell) + gap
	}
	b.WriteByte('\n')
}

// coloured is a status in its colour.
func coloured(s string) string {
	code := map[string]string{
		engine.StatusComplete: "32", engine.StatusError: "31", engine.StatusAwaitingInput: "33", engine.StatusActive: "36",
		engine.StatusPending: "35", engine.StatusPaused: "34", engine.StatusCancelled: "90",
		engine.BatchRunning: "36", engine.BatchStopped: "31",
	}[s]
	if code == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// statusText is a status as it is printed alone.
func (a *app) statusText(s string) string {
	if a.colours() {
		return coloured(s)
	}
	return s
}

// displayWidth is how many columns of a terminal a text takes.
func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cutTo cuts a text to so many columns.
func cutTo(s string, most int) string {
	if displayWidth(s) <= most {
		return s
	}
	n := 1 // the dots
	for i, r := range s {
		if n += runeWidth(r); n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// oneLine puts blanks where a text has line ends and tabs.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || isControl(r) {
			return ' '
		}
		return r
	}, s)
}

// plain is a JSON text without its quotes, other JSON as it is.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}
