package source

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of the error text of one file: number of faults, and bytes of one.
const (
	mostFaults  = 100
	mostMessage = 2000
)

// A Fault is one reason for which a file is refused.
type Fault struct {
	Pointer string // JSON pointer of the place; "" for the file as a whole
	Code    string // snake_case and stable
	Message string // what is wrong and what to do, with the ids concerned
	IDs     []string
}

// Faults is the error of a refused file with all its faults.
type Faults struct {
	Name string // of the file
	Src  []byte
	List []Fault
}

// Add adds a fault.
func (f *Faults) Add(pointer, code, format string, args ...any) {
	f.List = append(f.List, Fault{Pointer: pointer, Code: code, Message: oneLine(fmt.Sprintf(format, args...))})
}

// AddFor adds a fault that concerns the steps or paths with these ids.
func (f *Faults) AddFor(ids []string, pointer, code, format string, args ...any) {
	f.Add(pointer, code, format, args...)
	f.List[len(f.List)-1].IDs = ids
}

// Err returns the faults as an error, nil if there are none.
func (f *Faults) Err() error {
	if len(f.List) == 0 {
		return nil
	}
	return f
}

// Error returns a line FILE:LINE:COL: text for each of the first hundred faults; if there are
// more, a last line without a position counts them.
func (f *Faults) Error() string {
	shown := f.List[:min(len(f.List), mostFaults)]
	index := NewIndex(f.Src)
	lines := make([]string, len(shown))
	for i, one := range shown {
		line, column := index.Locate(one.Pointer)
		lines[i] = fmt.Sprintf("%s:%d:%d: %s (%s)", f.Name, line, column, one.Message, one.Code)
	}
	if more := len(f.List) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", f.Name, more))
	}
	return strings.Join(lines, "\n")
}

// oneLine shortens a long text from the file and escapes the line breaks in it, so that neither
// breaks the format of an error.
func oneLine(text string) string {
	if len(text) > mostMessage {
		end := mostMessage
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(text)
}
