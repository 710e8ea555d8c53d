package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// wrapDepth is how many objects and lists may stand around a workflow: {"data": {"flow": …}} is two.
const wrapDepth = 3

// A wrapped workflow stands inside a larger JSON document: the body of a request that saved
// it, a database row, an export of several.
type wrapped struct {
	format  Format
	pointer string
	text    []byte // the workflow; blanks in front of it keep lines and columns those of the file
}

// unwrap finds the workflow in a JSON document that no format recognises. It returns nil
// where there is none. Two or more are an error that names them, because a file is one
// workflow and takes its name from the file.
func unwrap(name string, src []byte) (*wrapped, error) {
	if !json.Valid(src) {
		return nil, nil
	}
	found := wrappedIn(name, src, "", wrapDepth)
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) == 1:
		one := found[0]
		if one.text == nil {
			one.text = blankedTo(src, one.pointer)
		}
		return &one, nil
	}
	line, column := source.Locate(src, found[1].pointer)
	var places []string
	for _, one := range found[:min(len(found), 5)] {
		places = append(places, one.pointer)
	}
	return nil, fmt.Errorf("%s:%d:%d: the file holds %d workflows (%s); save each in a file of its own", name, line, column, len(found), strings.Join(places, ", "))
}

// wrappedIn finds the outermost workflows in the members of an object or a list.
func wrappedIn(name string, src []byte, pointer string, depth int) []wrapped {
	if depth == 0 {
		return nil
	}
	var found []wrapped
	for _, m := range membersOf(src) {
		at := pointer + "/" + m.key
		inner, embedded := m.value, []byte(nil)
		var text string
		if json.Unmarshal(m.value, &text) == nil {
			if !json.Valid([]byte(text)) {
				continue
			}
			inner, embedded = []byte(text), []byte(text)
		}
		if !isJSON(inner) {
			continue
		}
		if f := recognised(name, inner); f != nil {
			found = append(found, wrapped{format: f, pointer: at, text: embedded})
		} else if embedded == nil {
			found = append(found, wrappedIn(name, inner, at, depth-1)...)
		}
	}
	return found
}

type member struct {
	key   string
	value json.RawMessage
}

// membersOf are the values in an object, in the order of their keys, or in a list.
func membersOf(src []byte) []member {
	var list []json.RawMessage
	if json.Unmarshal(src, &list) == nil {
		all := make([]member, len(list))
		for i, value := range list {
			all[i] = member{fmt.Sprint(i), value}
		}
		return all
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(src, &object) != nil {
		return nil
	}
	all := make([]member, 0, len(object))
	for key, value := range object {
		all = append(all, member{jsontext.EscapeToken(key), value})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].key < all[j].key })
	return all
}

func recognised(name string, src []byte) Format {
	for _, f := range All() {
		if f.Recognise(name, src) {
			return f
		}
	}
	return nil
}

// blankedTo is the value at a pointer, with everything in front of it replaced by blanks.
func blankedTo(src []byte, pointer string) []byte {
	line, column := source.Locate(src, pointer)
	at := 0
	for ; line > 1; line-- {
		at += bytes.IndexByte(src[at:], '\n') + 1
	}
	for ; column > 1; column-- {
		_, size := utf8.DecodeRune(src[at:])
		at += size
	}
	var out bytes.Buffer
	for _, r := range string(src[:at]) {
		if r != '\n' {
			r = ' '
		}
		out.WriteRune(r)
	}
	var value json.RawMessage
	if json.NewDecoder(bytes.NewReader(src[at:])).Decode(&value) != nil {
		return nil
	}
	out.Write(value)
	return out.Bytes()
}
