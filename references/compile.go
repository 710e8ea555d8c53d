package references

import (
	"bytes"
	"sync"
)

// compile cuts valid JSON text into slots.
func compile(text []byte, object bool) (*Input, error) {
	c := compiler{text: text, object: object, input: &Input{}}
	if mayHoldForm(text) {
		c.ends = blockEnds(text)
	}
	c.compile(span{0, len(text)})
	if c.fault != nil {
		return nil, c.fault
	}
	if len(c.input.slots) > 0 {
		c.input.names = freeName(text)
	}
	return c.input, nil
}

type compiler struct {
	text   []byte
	object bool // the outermost object is not a form
	// ends is set where the text may hold a form; see blockEnds.
	ends  map[int]int
	input *Input
	fault *InputError
	// out is the compact text without the texts that became slots; what
	// follows cut belongs to the next slot.
	out       []byte
	cut       int
	depth     int
	textDepth int
	key       string
	current   int            // the member of the object whose value is read
	places    map[string]int // of the object's members, by name
}

func (c *compiler) compile(s span) {
	c.out = make([]byte, 0, s.to-s.from)
	for at := s.from; at < s.to && c.fault == nil; {
		at = c.token(at)
	}
	in := c.input
	in.tail = c.out[c.cut:len(c.out):len(c.out)]
	in.size = len(c.out)
}

// token takes over one token and gives the offset behind it.
func (c *compiler) token(at int) int {
	switch b := c.text[at]; {
	case isSpace(b):
		return at + 1
	case b == '"':
		return c.string(at)
	case b == '{' && c.ends != nil && !(c.object && c.depth == 0):
		if end, ok := c.takeForm(at); ok {
			return end
		}
		c.depth++
	case b == '{' || b == '[':
		c.depth++
	case b == ',' && c.depth == 1:
		c.endMember()
	case b == '}' || b == ']':
		if c.depth--; c.depth == 0 {
			c.endMember()
		}
	case b == ':' && c.object && c.depth == 1:
		c.out = append(c.out, b)
		c.beginMember()
		return at + 1
	}
	c.out = append(c.out, c.text[at])
	return at + 1
}

func (c *compiler) string(at int) int {
	end := stringEnd(c.text, at)
	raw := c.text[at:end]
	if next := skipSpace(c.text, end); next < len(c.text) && c.text[next] == ':' {
		if c.depth == 1 {
			c.key, _ = unquote(raw)
		}
		c.out = append(c.out, raw...)
		return end
	}
	if !mayRefer(raw) {
		c.out = append(c.out, raw...)
		return end
	}
	text, _ := unquote(raw)
	template := Parse(text)
	if !template.HasReference() {
		c.out = append(c.out, raw...)
		return end
	}
	c.add(slot{
		template: template,
		program:  sync.OnceValue(func() program { return scanProgram(template.text) }),
	})
	c.input.foreign = append(c.input.foreign, template.foreign...)
	return end
}

// mayRefer says whether the JSON string can hold "@{", as such or escaped.
func mayRefer(raw []byte) bool {
	return bytes.Contains(raw, []byte(opening)) || bytes.Contains(raw, []byte(`\u00`))
}

func (c *compiler) add(s slot) {
	s.before = c.out[c.cut:len(c.out):len(c.out)]
	s.key, s.direct = c.key, c.depth == 1
	c.input.slots = append(c.input.slots, s)
	c.cut = len(c.out)
}
