package references

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// A Binding is one value that a program text asks for.
type Binding struct {
	// Name is the identifier in the program.
	Name string
	// Template is the reference with its default. It is lone, so it gives a
	// value with its JSON type.
	Template Template
}

// Bind replaces each reference of a program text, with its default, by the identifier that name
// returns for its number, counted from 0. Identical references share one identifier. A default
// is read as in a template: it ends at white space and loses closing punctuation.
//
// Bind does not parse the programming language: a reference inside quotes is replaced too, and
// the program then contains the identifier's name as text. Write references in program texts
// without quotes, as operands.
func Bind(text string, name func(i int) string) (bound string, bindings []Binding) {
	p := scanProgram(text)
	seen := map[string]int{}
	var to []byte
	for _, part := range p.parts {
		to = append(to, part.literal...)
		if part.chain == nil {
			continue
		}
		i, known := seen[part.chain.text]
		if !known {
			i = len(bindings)
			seen[part.chain.text] = i
			bindings = append(bindings, Binding{Name: name(i), Template: Parse(part.chain.text)})
		}
		to = append(to, bindings[i].Name...)
	}
	return string(to), bindings
}

// A program is a program text cut at its references.
type program struct{ parts []programPart }

type programPart struct {
	literal string
	chain   *chain
}

func scanProgram(text string) (p program) {
	at := 0
	for {
		start := nextReference(text, at)
		if start < 0 {
			p.parts = append(p.parts, programPart{literal: text[at:]})
			return p
		}
		c, end := scanChain(text, start)
		p.parts = append(p.parts, programPart{literal: text[at:start], chain: c})
		at = end
	}
}

// A ProgramField names a top-level key of an input whose texts are program text.
type ProgramField struct {
	// Key is the top-level key. All texts below it count, however deep.
	Key string
	// Write returns the program text for an identifier, such as "$"+name in Cypher or
	// "${"+name+"}" in a shell. nil writes the name.
	Write func(name string) string
}

// A Program is what the program text under one key needs to run.
type Program struct {
	// Text is the program text with identifiers, as in the Value of the result. It is empty if
	// the key's value is a list or an object of texts.
	Text string
	// Values is a JSON object of the values by name. It must not be modified.
	Values json.RawMessage
}

// ResolveProgram resolves an input in which some keys hold program text. There, references are
// replaced not by values but by identifiers (ref_0, ref_1, ... in the order of first use, or
// others if the input uses these names). Programs has an entry for each of these fields with a
// reference; a field without a reference is unchanged in Value. As in Resolve, either everything
// is resolved, including the values of programs, or nothing.
func (in *Input) ResolveProgram(scope Scope, fields ...ProgramField) (Result, map[string]Program, error) {
	r := programResolution{in: in, fields: fields, bound: map[string]*boundKey{}}
	r.scope = scope
	result, err := in.resolve(&r.resolution, func(to []byte, s *slot) []byte {
		if f := r.field(s.key); f != nil {
			return r.appendProgram(to, s, f)
		}
		return r.appendSlot(to, s)
	})
	if err != nil || !result.Resolved {
		return result, nil, err
	}
	return result, r.programs(), nil
}

type programResolution struct {
	resolution
	in     *Input
	fields []ProgramField
	bound  map[string]*boundKey
}

// A boundKey gathers the values of the texts under one key.
type boundKey struct {
	text   string
	names  map[string]string
	values []byte
}

func (r *programResolution) field(key string) *ProgramField {
	for i := range r.fields {
		if key != "" && r.fields[i].Key == key {
			return &r.fields[i]
		}
	}
	return nil
}

func (r *programResolution) appendProgram(to []byte, s *slot, f *ProgramField) []byte {
	key := r.bound[s.key]
	if key == nil {
		key = &boundKey{names: map[string]string{}}
		r.bound[s.key] = key
	}
	start := len(to)
	to = r.appendBound(to, s, f, key)
	if s.direct {
		key.text, _ = unquote(to[start:])
	}
	return to
}

// appendBound appends a text as a JSON string with identifiers for references,
// also where @text puts it together.
func (r *programResolution) appendBound(to []byte, s *slot, f *ProgramField, key *boundKey) []byte {
	if s.joined != nil {
		return r.appendJoined(to, s.joined, func(to []byte, s *slot) []byte { return r.appendBound(to, s, f, key) })
	}
	to = append(to, '"')
	for _, part := range s.program().parts {
		to = appendEscaped(to, part.literal)
		if part.chain == nil {
			continue
		}
		name := r.name(key, part.chain)
		if f.Write != nil {
			name = f.Write(name)
		}
		to = appendEscaped(to, name)
	}
	return append(to, '"')
}

// name gives the identifier of a chain, and resolves its value the first time.
func (r *programResolution) name(key *boundKey, c *chain) string {
	if name, known := key.names[c.text]; known {
		return name
	}
	name := r.in.names + strconv.Itoa(len(key.names))
	key.names[c.text] = name
	if len(key.values) > 0 {
		key.values = append(key.values, ',')
	}
	key.values = append(key.values, `"`+name+`":`...)
	key.values = append(key.values, r.typed(c)...)
	return name
}

func (r *programResolution) programs() map[string]Program {
	all := make(map[string]Program, len(r.bound))
	for key, b := range r.bound {
		values := make([]byte, 0, len(b.values)+2)
		values = append(values, '{')
		values = append(values, b.values...)
		all[key] = Program{Text: b.text, Values: append(values, '}')}
	}
	return all
}

// freeName gives a beginning for identifiers that occurs nowhere in text: "ref"
// and one underscore more than ever follow it there.
func freeName(text []byte) string {
	most := 0
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("ref"))
		if i < 0 {
			return "ref" + strings.Repeat("_", most+1)
		}
		at += i + len("ref")
		run := len(text[at:]) - len(bytes.TrimLeft(text[at:], "_"))
		most = max(most, run)
	}
}
