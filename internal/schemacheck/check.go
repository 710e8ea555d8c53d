package schemacheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

const (
	maxFaults   = 20  // as many as a person or a model can use
	maxExponent = 400 // of a number; beyond float64, and 1e999999999 would be computed in full
	maxDigits   = 1000
)

// A Fault is one place where a value does not fit.
type Fault struct {
	Pointer string `json:"pointer"` // RFC 6901, "" for the whole value
	Message string `json:"message"`
}

// String shows the fault as "/pointer: message".
func (f Fault) String() string {
	if f.Pointer == "" {
		return f.Message
	}
	return f.Pointer + ": " + f.Message
}

// Check returns where value, a JSON text, does not fit the schema; nil when it fits. At
// most twenty faults are returned. A value that is not valid JSON has one fault, and so has one
// whose check would take too long.
func (s *Schema) Check(value []byte) (found []Fault) {
	decoded, err := decode(value)
	if err != nil {
		return []Fault{{Message: err.Error()}}
	}
	f, _ := s.pool.Get().(*form)
	if f == nil {
		if f, err = s.compile(); err != nil {
			return []Fault{{Message: err.Error()}}
		}
	}
	defer func() {
		switch fault := recover(); fault {
		case nil:
			s.pool.Put(f)
		case errTooMuchWork:
			found = []Fault{{Message: "checking this value takes too long, the schema must be simpler"}}
		default:
			found = []Fault{{Message: fmt.Sprintf("cannot be checked: %v", fault)}}
		}
	}()
	f.left = MaxWork
	err = f.schema.Validate(decoded)
	var why *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &why):
		return faults(why)
	}
	return []Fault{{Message: err.Error()}}
}

// faults returns the leaves of an error, which say what is wrong; what stands above them
// only says that something below is.
func faults(err *jsonschema.ValidationError) []Fault {
	printer := message.NewPrinter(language.English)
	var found []Fault
	reported := map[Fault]bool{}
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(found) == maxFaults {
			return
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
		_, reference := e.ErrorKind.(*kind.Reference)
		if len(e.Causes) > 0 || reference {
			return
		}
		f := Fault{pointer(e.InstanceLocation), e.ErrorKind.LocalizedString(printer)}
		if !reported[f] && len(found) < maxFaults {
			reported[f] = true
			found = append(found, f)
		}
	}
	walk(err)
	if found == nil {
		found = []Fault{{pointer(err.InstanceLocation), "does not fit the schema"}}
	}
	return found
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteString("/" + jsontext.EscapeToken(token))
	}
	return b.String()
}

// decode reads one JSON value and refuses numbers that are out of range.
func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("not JSON: something follows the value")
	}
	return v, numbers(v)
}

func numbers(v any) error {
	switch v := v.(type) {
	case json.Number:
		return number(string(v))
	case []any:
		for _, e := range v {
			if err := numbers(e); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, e := range v {
			if err := numbers(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func number(text string) error {
	digits, exponent, found := strings.Cut(strings.ToLower(text), "e")
	if len(digits) > maxDigits {
		return fmt.Errorf("number of %d digits is too long", len(digits))
	}
	if !found {
		return nil
	}
	if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
		return fmt.Errorf("number with exponent %s is out of range", exponent)
	}
	return nil
}
