package references

import "strconv"

// Token is the literal inside @{...} that means the session's own id.
const Token = "SESSION_ID"

// A Reference is one reference of a text, for tools that check workflows. It is not needed for
// resolving.
type Reference struct {
	// Text is the reference as written, without its default.
	Text string
	// Session is the text between the braces: [Token] or an id.
	Session string
	// Step is the step named, empty for a bare @{SESSION_ID}.
	Step string
	// Index is the output asked for: from 0 at the oldest kept, from -1 at the
	// newest backwards. It is -1 when the reference has no index.
	Index    int
	HasIndex bool
	// Fields is the way from the output to the value: names, and "[n]" for an
	// index below the output.
	Fields []string
	// HasDefault is true when "|" follows, be it with text, with nothing or
	// with another reference.
	HasDefault bool
	// Malformed is the error in the brackets of the reference. Such a reference is always
	// missing, whatever its default. Empty if it is well formed.
	Malformed string
}

// reference is the compiled form.
type reference struct {
	text      string
	session   string
	step      string
	index     int
	hasIndex  bool
	path      []field
	malformed string
}

// newest is the index of a reference that gives none.
const newest = -1

// A field is one part of the way into a value.
type field struct {
	name string
	// index is the number of "[n]", or of a name that is a number.
	index int
	// numeric is true when index can be used on a list.
	numeric bool
	// bracket is true for "[n]", which fits lists only.
	bracket bool
}

func (f field) String() string {
	if f.bracket {
		return "[" + strconv.Itoa(f.index) + "]"
	}
	return f.name
}

func (r *reference) export(hasDefault bool) Reference {
	var fields []string
	for _, f := range r.path {
		fields = append(fields, f.String())
	}
	return Reference{
		Text: r.text, Session: r.session, Step: r.step, Index: r.index, HasIndex: r.hasIndex,
		Fields: fields, HasDefault: hasDefault, Malformed: r.malformed,
	}
}

// A chain is a reference, the references it falls back to in turn, and the
// plain text at the end, if any. It is flat so that a text of thousands of
// them needs no stack.
type chain struct {
	text       string
	refs       []reference
	hasDefault bool
	// fallback is the default's text as the inside of a JSON string.
	fallback []byte
}

func (c *chain) setDefault(text string) {
	c.hasDefault = true
	c.fallback = appendEscaped(nil, text)
}

func (c *chain) appendReferences(to []Reference) []Reference {
	for i := range c.refs {
		last := i == len(c.refs)-1
		to = append(to, c.refs[i].export(!last || c.hasDefault))
	}
	return to
}
