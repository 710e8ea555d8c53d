package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	f.List = append(f.List, Fault{Pointer: pointer, Code: code, Message: fmt.Sprintf(format, args...)})
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

// Error has a line FILE:LINE:COL: text for each fault.
func (f *Faults) Error() string {
	lines := make([]string, len(f.List))
	for i, one := range f.List {
		line, column := Locate(f.Src, one.Pointer)
		lines[i] = fmt.Sprintf("%s:%d:%d: %s (%s)", f.Name, line, column, one.Message, one.Code)
	}
	return strings.Join(lines, "\n")
}

// Decode reads a whole JSON file into a value. Its error carries file, line and column.
func Decode(name string, src []byte, into any) error {
	err := json.Unmarshal(src, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := 0
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
		err = fmt.Errorf("%s: want %s, got %s", kind.Field, kind.Type, kind.Value)
	}
	line, column := position(src, max(at-1, 0))
	return fmt.Errorf("%s:%d:%d: %w", name, line, column, err)
}
