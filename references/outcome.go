package references

import (
	"fmt"
	"strconv"
)

// An outcome says how looking up a reference ended. Its words are only put
// together when the reference is reported.
type outcome struct {
	kind outcomeKind
	// at is the field of the path that had no value.
	at int
	// in is what stood there instead of something to go into: the first byte
	// of its JSON text.
	in byte
	// size is the length of the list.
	size int
}

type outcomeKind uint8

const (
	present outcomeKind = iota
	malformed
	noOutput
	noField
	isNullValue
)

func (o outcome) reason(ref *reference) string {
	switch o.kind {
	case malformed:
		return "malformed: " + ref.malformed
	case noOutput:
		if ref.hasIndex {
			return fmt.Sprintf("step %q has no output at index %d", ref.step, ref.index)
		}
		return fmt.Sprintf("step %q has no output", ref.step)
	case noField:
		return o.fieldReason(ref)
	default:
		return "its value is null"
	}
}

func (o outcome) fieldReason(ref *reference) string {
	f := ref.path[o.at]
	where := "the output"
	if o.at > 0 {
		where = strconv.Quote(ref.path[o.at-1].String())
	}
	switch {
	case o.in == '{' && !f.bracket:
		return fmt.Sprintf("%s has no field %q", where, f.name)
	case o.in == '[' && f.numeric:
		return fmt.Sprintf("%s is a list of %d without an item %d", where, o.size, f.index)
	case o.in == '[':
		return fmt.Sprintf("%s is a list, which has no field %q", where, f.name)
	}
	return fmt.Sprintf("%s is %s, which has no %s", where, kindName(o.in), f)
}

// kindName names a JSON value by its first byte.
func kindName(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// distinct is a set of texts, without a map while it is small.
type distinct struct {
	few  []string
	many map[string]struct{}
}

// add says whether text is new to the set.
func (d *distinct) add(text string) bool {
	const small = 16
	if d.many != nil {
		if _, known := d.many[text]; known {
			return false
		}
		d.many[text] = struct{}{}
		return true
	}
	for _, known := range d.few {
		if known == text {
			return false
		}
	}
	d.few = append(d.few, text)
	if len(d.few) > small {
		d.many = make(map[string]struct{}, 2*len(d.few))
		for _, known := range d.few {
			d.many[known] = struct{}{}
		}
	}
	return true
}
