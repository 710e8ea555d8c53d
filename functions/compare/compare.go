package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Type says how both sides of a rule are converted before they are compared.
type Type string

// The types.
const (
	Text    Type = "text"
	Number  Type = "number"
	Boolean Type = "boolean"
)

// An Operator is the comparison of the two sides.
type Operator string

// The operators. The last two test only the left side. The order operators compare texts by
// characters and do not accept truth values.
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

// Operators lists the operators of a type, nil for an unknown type.
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

// Options make the conversion of values more lenient. The zero value is strict.
type Options struct {
	// StripMarkup compares texts without their Markdown and HTML, see [Strip].
	StripMarkup bool
	// LenientNumbers converts what is not a number to 0. A rule of type number uses the number
	// at the start of a text and counts no value as empty; for an order operator of type text
	// the whole text must be a number.
	LenientNumbers bool
	// LenientPatterns accepts a pattern as rich text editors escape it (brackets and stars
	// escaped, backslashes doubled). A pattern that is still invalid matches nothing.
	LenientPatterns bool
	// Budget limits the total time of the patterns of several rules. If nil, each pattern is
	// limited alone.
	Budget *Budget
}

// A Rule compares two JSON values; nil stands for null.
type Rule struct {
	Type     Type
	Left     json.RawMessage
	Operator Operator
	Right    json.RawMessage
}

// Check returns an error if the type or the operator is unknown.
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

// Holds reports whether the rule holds. The error names an unknown type or operator, a side
// that is not a number, or a pattern that is invalid or takes too long.
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

// truths compares without conversion: only a truth value equals a truth value.
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

// orders reports whether an order operator holds for a comparison result of -1, 0 or 1.
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

// textOf returns a value as text: a text as it is, null as "", everything else as compact
// JSON.
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
