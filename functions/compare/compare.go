package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Type says how both sides of a rule are read.
type Type string

// The types.
const (
	Text    Type = "text"
	Number  Type = "number"
	Boolean Type = "boolean"
)

// An Operator says what must hold between the sides.
type Operator string

// The operators. The last two look at the left side alone; those of order take text as text,
// which is compared by characters, and do not take truth values.
const (
	Contains     Operator = "contains"
	NotContains  Operator = "not_contains"
	StartsWith   Operator = "starts_with"
	EndsWith     Operator = "ends_with"
	Equal        Operator = "equal"
	NotEqual     Operator = "not_equal"
	Matches      Operator = "matches"
	Smaller      Operator = "smaller"
	SmallerEqual Operator = "smaller_equal"
	Larger       Operator = "larger"
	LargerEqual  Operator = "larger_equal"
	IsEmpty      Operator = "is_empty"
	NotEmpty     Operator = "not_empty"
)

// Operators lists the operators that a type has; nil for a type that there is not.
func Operators(t Type) []Operator {
	switch t {
	case Text:
		return []Operator{Contains, NotContains, StartsWith, EndsWith, Equal, NotEqual, Matches, Smaller, SmallerEqual, Larger, LargerEqual, IsEmpty, NotEmpty}
	case Number:
		return []Operator{Equal, NotEqual, Smaller, SmallerEqual, Larger, LargerEqual, IsEmpty, NotEmpty}
	case Boolean:
		return []Operator{Equal, NotEqual, IsEmpty, NotEmpty}
	}
	return nil
}

// Options loosen how values are read. The zero value is strict.
type Options struct {
	// StripMarkup compares texts without their Markdown and HTML, see [Strip].
	StripMarkup bool
	// LenientNumbers takes what is not a number as 0, so that nothing is empty. Of a text
	// the number at its start counts; in the order of texts the whole text must be one.
	LenientNumbers bool
	// LenientPatterns reads a pattern as editors of rich text leave it (brackets and stars
	// escaped, backslashes doubled); one that cannot be read matches nothing.
	LenientPatterns bool
	// Budget bounds the time of all patterns of several rules; nil bounds each pattern alone.
	Budget *Budget
}

// A Rule compares two JSON values; nil is null.
type Rule struct {
	Type     Type
	Left     json.RawMessage
	Operator Operator
	Right    json.RawMessage
}

// Check says what is wrong with a rule whatever its sides are: a type or an operator that
// there is not.
func (r Rule) Check() error {
	known := Operators(r.Type)
	if known == nil {
		return fmt.Errorf("type: want text, number or boolean, not %q", r.Type)
	}
	for _, operator := range known {
		if operator == r.Operator {
			return nil
		}
	}
	return fmt.Errorf("operator: %s has %s, not %q", r.Type, listed(known), r.Operator)
}

func listed(operators []Operator) string {
	names := make([]string, len(operators))
	for i, o := range operators {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}

// Holds tells whether the rule holds. The error says what it cannot be judged on: its type or
// operator, a side that is not a number, a pattern that cannot be read or takes too long.
func (r Rule) Holds(o Options) (bool, error) {
	if err := r.Check(); err != nil {
		return false, err
	}
	switch r.Type {
	case Number:
		return r.numbers(o)
	case Boolean:
		return r.truths(), nil
	}
	return r.texts(o)
}

// truths compares without converting anything: only a truth value equals one.
func (r Rule) truths() bool {
	left, right := trim(r.Left), trim(r.Right)
	switch r.Operator {
	case IsEmpty, NotEmpty:
		return empty(left) == (r.Operator == IsEmpty)
	}
	return bytes.Equal(left, right) == (r.Operator == Equal)
}

func empty(value []byte) bool { return string(value) == "null" || string(value) == `""` }

func trim(value json.RawMessage) []byte {
	if value = bytes.TrimSpace(value); len(value) == 0 {
		return []byte("null")
	}
	return value
}

func (r Rule) texts(o Options) (bool, error) {
	left, right := textOf(r.Left), textOf(r.Right)
	if o.StripMarkup {
		var err error
		if left, err = o.Budget.strip(left); err != nil {
			return false, err
		}
		if right, err = o.Budget.strip(right); err != nil {
			return false, err
		}
	}
	switch r.Operator {
	case Contains:
		return strings.Contains(left, right), nil
	case NotContains:
		return !strings.Contains(left, right), nil
	case StartsWith:
		return strings.HasPrefix(left, right), nil
	case EndsWith:
		return strings.HasSuffix(left, right), nil
	case Equal:
		return left == right, nil
	case NotEqual:
		return left != right, nil
	case IsEmpty:
		return left == "", nil
	case NotEmpty:
		return left != "", nil
	case Matches:
		return o.Budget.matches(left, right, o.LenientPatterns)
	}
	if o.LenientNumbers {
		return r.Operator.orders(compareFloats(wholeNumber(left), wholeNumber(right))), nil
	}
	return r.Operator.orders(strings.Compare(left, right)), nil
}

// orders tells whether an operator of order holds for -1, 0 or 1.
func (o Operator) orders(order int) bool {
	switch o {
	case Smaller:
		return order < 0
	case SmallerEqual:
		return order <= 0
	case Larger:
		return order > 0
	}
	return order >= 0
}

// textOf is what a value reads as: a text as it is, null as none, else compact JSON.
func textOf(value json.RawMessage) string {
	value = trim(value)
	var text string
	switch {
	case string(value) == "null":
		return ""
	case value[0] == '"' && json.Unmarshal(value, &text) == nil:
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
