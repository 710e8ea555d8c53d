package references

import (
	"bytes"
	"encoding/json"
)

// A Member is one member of a JSON object. Value is compact JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

// A memberSpan is where the value of a top-level member is in a compiled object. If a name
// occurs twice, the span is that of the last value, in the place of the first.
type memberSpan struct {
	name     string
	from, to position
}

// A position is an offset of the compact text without slots, and the number of slots before it.
type position struct{ slots, offset int }

func (c *compiler) position() position { return position{len(c.input.slots), len(c.out)} }

// beginMember notes where the value of the member with the current key begins.
func (c *compiler) beginMember() {
	if c.places == nil {
		c.places = map[string]int{}
	}
	i, known := c.places[c.key]
	if !known {
		i = len(c.input.members)
		c.places[c.key] = i
		c.input.members = append(c.input.members, memberSpan{name: c.key})
	}
	c.current = i
	c.input.members[i].from = c.position()
}

// endMember notes where that value ends.
func (c *compiler) endMember() {
	if len(c.input.members) > 0 {
		c.input.members[c.current].to = c.position()
	}
}

// cut returns the top-level members of a resolved object. moved has, for each number of slots before,
// by how much the text behind them has moved.
func (in *Input) cut(value []byte, moved []int) []Member {
	members := make([]Member, len(in.members))
	for i, m := range in.members {
		from, to := m.from.offset+moved[m.from.slots], m.to.offset+moved[m.to.slots]
		members[i] = Member{m.name, value[from:to:to]}
		if m.from.slots != m.to.slots {
			members[i].Value = compactValue(members[i].Value)
		}
	}
	return members
}

// compactValue takes the blanks out of a value that a reference may have supplied. A text has
// none outside of its quotes.
func compactValue(value json.RawMessage) json.RawMessage {
	if len(value) == 0 || value[0] == '"' || !bytes.ContainsAny(value, " \t\r\n") {
		return value
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return value
	}
	return b.Bytes()
}
