package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// ReadYAML reads the document of Read written in YAML: the same keys, checks and errors. The
// YAML is limited to what JSON can hold: keys are texts, each once; numbers are decimal; there
// are no merge keys and no tags of one's own. Aliases are read, within mostAliased.
func ReadYAML(name string, src []byte) (*engine.Workflow, Lines, error) {
	f := &file{name: name, src: src}
	root, _, err := f.parseYAML()
	if err != nil {
		return nil, newLines(), err
	}
	w, at, err := readWorkflow(root)
	return w, at.lines(), err
}

// mostAliased is how many values all aliases of a file may stand for together. An alias costs a
// few bytes and may stand for a list of other aliases, so that a file of one page could
// otherwise become larger than the machine.
const mostAliased = 10_000

// parseYAML reads the file into the tree that JSON gives too, and into YAML's own.
func (f *file) parseYAML() (*value, *yaml.Node, error) {
	if !utf8.Valid(f.src) {
		return nil, nil, f.fail(0, "", notUTF8)
	}
	var node, second yaml.Node
	loader, err := yaml.NewLoader(bytes.NewReader(f.src))
	if err == nil {
		err = loader.Load(&node)
	}
	if errors.Is(err, io.EOF) || err == nil && len(node.Content) == 0 {
		return nil, nil, f.fail(len(f.src), "", "the document is empty; a workflow begins with the lines `format: stepgraph` and `version: 1`")
	}
	if err == nil {
		switch err = loader.Load(&second); {
		case err == nil:
			return nil, nil, f.failAt(second.Line, second.Column, "", "a second document begins here; write each workflow into a file of its own")
		case errors.Is(err, io.EOF):
			err = nil
		}
	}
	if err != nil {
		return nil, nil, f.yamlError(err)
	}
	r := &yamlReader{file: f}
	root, err := r.value(node.Content[0], "", 0)
	return root, &node, err
}

// yamlError gives an error of the YAML library the form of ours.
func (f *file) yamlError(err error) error {
	var at *yaml.LoadError
	if !errors.As(err, &at) {
		return f.fail(0, "", "invalid YAML: "+clipped(err.Error()))
	}
	text := at.Message
	if at.ContextMsg != "" {
		text = fmt.Sprintf("%s (%s from line %d)", text, at.ContextMsg, at.ContextMark.Line)
	}
	from := f.offset(at.Mark.Line, at.Mark.Column)
	switch {
	case from < len(f.src) && f.src[from] == '@':
		text = "a text that begins with @ must be in quotes"
	case f.indentedByTab(from):
		text = "a tab stands at the beginning of the line; YAML is indented with blanks only"
	case f.colonInText(from):
		text += "; a text that contains \": \" must be in quotes"
	}
	return f.fail(from, "", "invalid YAML: "+clipped(text))
}

// indentedByTab reports whether the line of a byte begins with blanks among which is a tab.
func (f *file) indentedByTab(at int) bool {
	line := f.src[bytes.LastIndexByte(f.src[:at], '\n')+1:]
	blanks := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	return bytes.IndexByte(blanks, '\t') >= 0
}

// colonInText reports whether the line of a byte has two ": ", as texts with a colon have.
func (f *file) colonInText(at int) bool {
	line := f.src[bytes.LastIndexByte(f.src[:at], '\n')+1:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return bytes.Count(line, []byte(": ")) > 1
}

// clipped is what of a file's own text a message repeats.
func clipped(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func (f *file) failAt(line, column int, pointer, text string) error {
	return f.fail(f.offset(line, column), pointer, text)
}

// offset is the byte of a line and column as YAML counts them: from 1, columns in characters,
// and with more kinds of line ends than an editor knows.
func (f *file) offset(line, column int) int {
	if f.yamlLines == nil {
		f.yamlLines = []int{0}
		for i, r := range string(f.src) {
			switch {
			case r == '\r' && i+1 < len(f.src) && f.src[i+1] == '\n':
			case r == '\n', r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
				f.yamlLines = append(f.yamlLines, i+utf8.RuneLen(r))
			}
		}
	}
	if line < 1 {
		return 0
	}
	if line > len(f.yamlLines) {
		return len(f.src)
	}
	at := f.yamlLines[line-1]
	for ; column > 1 && at < len(f.src); column-- {
		_, size := utf8.DecodeRune(f.src[at:])
		at += size
	}
	return at
}

// A yamlReader makes values of nodes.
type yamlReader struct {
	file    *file
	aliased int          // values made for aliases so far
	open    []*yaml.Node // aliases in which the reader is
}

func (r *yamlReader) value(n *yaml.Node, pointer string, depth int) (*value, error) {
	v := &value{file: r.file, pointer: pointer, yaml: true, row: n.Line, column: n.Column}
	if depth > maxDepth {
		return nil, v.fail("nested more than " + strconv.Itoa(maxDepth) + " levels deep")
	}
	if len(r.open) > 0 {
		if r.aliased++; r.aliased > mostAliased {
			return nil, r.file.failAt(r.open[0].Line, r.open[0].Column, pointer,
				fmt.Sprintf("the aliases of this file stand for more than %d values; write them out", mostAliased))
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		v.isObject = true
		return v, r.entries(v, n, depth)
	case yaml.SequenceNode:
		v.isList = true
		return v, r.list(v, n, depth)
	case yaml.AliasNode:
		return r.alias(v, n, depth)
	case yaml.ScalarNode:
		return v, r.scalar(v, n)
	}
	return nil, v.fail("this kind of YAML value is not supported")
}

func (r *yamlReader) alias(v *value, n *yaml.Node, depth int) (*value, error) {
	for _, open := range r.open {
		if open.Alias == n.Alias {
			return nil, v.fail("the alias *" + clipped(n.Value) + " stands inside of what it stands for")
		}
	}
	r.open = append(r.open, n)
	defer func() { r.open = r.open[:len(r.open)-1] }()
	got, err := r.value(n.Alias, v.pointer, depth+1)
	if got != nil {
		got.row, got.column = v.row, v.column
	}
	return got, err
}

func (r *yamlReader) entries(v *value, n *yaml.Node, depth int) error {
	if err := r.checkTag(v, n, "!!map"); err != nil {
		return err
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch {
		case k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge":
			return r.file.failAt(k.Line, k.Column, v.pointer, "merge keys (<<) are not supported; write the keys out")
		case k.Kind != yaml.ScalarNode || k.ShortTag() != "!!str":
			return r.file.failAt(k.Line, k.Column, v.pointer, "a key must be a text; put numbers, dates, true, false and null in quotes")
		}
		pointer := v.pointer + "/" + jsontext.EscapeToken(k.Value)
		if seen[k.Value] {
			return r.file.failAt(k.Line, k.Column, pointer, "this key is there twice")
		}
		seen[k.Value] = true
		item, err := r.value(n.Content[i+1], pointer, depth+1)
		if err != nil {
			return err
		}
		v.keys = append(v.keys, k.Value)
		v.items = append(v.items, item)
	}
	return nil
}

func (r *yamlReader) list(v *value, n *yaml.Node, depth int) error {
	if err := r.checkTag(v, n, "!!seq"); err != nil {
		return err
	}
	for i, c := range n.Content {
		item, err := r.value(c, v.pointer+"/"+strconv.Itoa(i), depth+1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	return nil
}

func (r *yamlReader) checkTag(v *value, n *yaml.Node, want string) error {
	if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != want {
		return v.fail("the tag " + clipped(n.Tag) + " is not supported")
	}
	return nil
}

// jsonNumber is how JSON writes a number.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// mostDigits bounds the text of a number: what is longer is not a quantity of anything.
const mostDigits = 400

// scalar reads a text, a number, true, false or null. What YAML reads in more than one way
// over its versions (octal numbers, 1_000, .inf) is refused rather than guessed; a date is text.
func (r *yamlReader) scalar(v *value, n *yaml.Node) error {
	plain := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
	tag := n.ShortTag()
	if plain && jsonNumber.MatchString(n.Value) {
		tag = "!!float" // also where it is too large for a float
	}
	switch tag {
	case "!!str":
		v.scalar = n.Value
	case "!!timestamp":
		if !plain {
			return v.fail("the tag " + clipped(n.Tag) + " is not supported")
		}
		v.scalar = n.Value
	case "!!null":
	case "!!bool":
		v.scalar = strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if !jsonNumber.MatchString(n.Value) {
			return v.fail(fmt.Sprintf("%.40s: write a number with decimal digits only, or put a text in quotes", n.Value))
		}
		if _, err := strconv.ParseFloat(n.Value, 64); err != nil || len(n.Value) > mostDigits {
			return v.fail(fmt.Sprintf("%.40s: the number is too large; put it in quotes if it is a text", n.Value))
		}
		v.scalar = json.Number(n.Value)
	default:
		return v.fail("the tag " + clipped(n.Tag) + " is not supported")
	}
	return nil
}

// appendJSON adds the compact JSON of a value.
func (v *value) appendJSON(b []byte) []byte {
	switch {
	case v.isObject:
		b = append(b, '{')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, v.keys[i]), ':')
			b = item.appendJSON(b)
		}
		return append(b, '}')
	case v.isList:
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	}
	switch s := v.scalar.(type) {
	case string:
		return appendText(b, s)
	case json.Number:
		return append(b, s...)
	case bool:
		return strconv.AppendBool(b, s)
	}
	return append(b, "null"...)
}

// appendText writes a text in quotes. It escapes line separators, at which YAML would break the line.
func appendText(b []byte, s string) []byte {
	text, _ := jsontext.Marshal(s) // a text can always be encoded
	return append(b, text...)
}

// RecogniseYAML reports whether a file looks like a document of this format in YAML, also when
// it is not valid: what is wrong with it is then ReadYAML's to say.
func RecogniseYAML(src []byte) bool { return yamlMark.Match(src) }

var yamlMark = regexp.MustCompile(`(?m)^["']?format["']?[ \t]*:[ \t]*["']?` + Format + `["']?[ \t]*(#.*)?\r?$`)
