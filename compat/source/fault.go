package source

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What is said of one file at most: faults, and bytes of one.
const (
	mostFaults  = 100
	mostMessage = 2000
)

// A Fault is one thing for which a file is refused.
type Fault struct {
	Pointer string // JSON pointer of the place; "" for the file as a whole
	Code    string // snake_case, stable; tests and people look for it
	Message string // what is wrong and what to do, with the ids concerned
	IDs     []string
}

// Faults is the error of a file: everything wrong with it at once.
type Faults struct {
	Name string // of the file
	Src  []byte
	List []Fault
}

// Add notes a fault.
func (f *Faults) Add(pointer, code, format string, args ...any) {
	f.List = append(f.List, Fault{Pointer: pointer, Code: code, Message: oneLine(fmt.Sprintf(format, args...))})
}

// AddFor notes a fault of steps or paths by their ids.
func (f *Faults) AddFor(ids []string, pointer, code, format string, args ...any) {
	f.Add(pointer, code, format, args...)
	f.List[len(f.List)-1].IDs = ids
}

// Err is the faults as an error, nil when there are none.
func (f *Faults) Err() error {
	if len(f.List) == 0 {
		return nil
	}
	return f
}

// Error has a line FILE:LINE:COL: text for each fault, the first hundred that is; a line
// without place then counts the others.
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

// oneLine keeps what a file says of itself, names as long as books or with line ends in them,
// from breaking the form of an error.
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
