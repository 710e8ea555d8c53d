package conditions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/expressions"
	"github.com/stepgraph/stepgraph/references"
)

// whenKey is the key of a comparison, and the word a plain one begins with.
const whenKey = "when"

// A comparison is a compiled "when": an expression of package expressions in which each
// reference was replaced by a name of the same length, so that columns stay what they are in
// the text. Values are bound to the names, never pasted: a text that reads like an
// expression stays a text.
type comparison struct {
	text       string // without the word when
	expression *expressions.Expression
	operands   []bound
}

// A bound reference is one operand of a comparison.
type bound struct {
	name     string
	written  string // with the default, as in the text
	text     string // without the default
	fallback any    // the default's value
	defaults bool
}

// plainWhen cuts the word off a plain text that is a comparison.
func plainWhen(text string) (expression string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(text, unicode.IsSpace), whenKey)
	if !ok || rest == "" || !unicode.IsSpace(rune(rest[0])) {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// parseComparison compiles the expression of a "when".
func parseComparison(text string) (*comparison, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("when asks nothing: write a comparison such as @{SESSION_ID}.ask.response == 'red'")
	}
	c := &comparison{text: text}
	program, err := c.bind(text)
	if err != nil {
		return nil, err
	}
	if c.expression, err = expressions.Parse(program); err != nil {
		return nil, c.readable(err)
	}
	return c, c.known()
}

// bind replaces the references of a text by names.
func (c *comparison) bind(text string) (program string, err error) {
	letter := unusedLetter(text)
	var b strings.Builder
	at := 0
	for i, o := range references.Operands(text) {
		o = withoutMethod(text, o)
		b.WriteString(text[at:o.From])
		at = o.To
		written := text[o.From:o.To]
		name := letter + strconv.FormatInt(int64(i), 36)
		name += strings.Repeat("_", max(0, utf8.RuneCountInString(written)-utf8.RuneCountInString(name)))
		b.WriteString(name)
		one := bound{name: name, written: written, text: o.Text, defaults: o.HasDefault}
		if o.HasDefault {
			one.fallback = literal(o.Default)
		}
		c.operands = append(c.operands, one)
		if strings.HasPrefix(text[at:], "(") {
			return "", fmt.Errorf("when: column %d: %s cannot be called; the methods of a value are %s",
				1+utf8.RuneCountInString(text[:o.From]), written, strings.Join(methods(), ", "))
		}
	}
	b.WriteString(text[at:])
	return b.String(), nil
}

// unusedLetter gives a letter that a text does not hold, so that no name is written in it.
func unusedLetter(text string) string {
	letter := 'Ʀ'
	for strings.ContainsRune(text, letter) || !unicode.IsLetter(letter) {
		letter++
	}
	return string(letter)
}

// withoutMethod gives back a method that was read as the last field of a reference:
// "@{SESSION_ID}.ask.response.lower()" calls lower on the response.
func withoutMethod(text string, o references.Operand) references.Operand {
	if o.HasDefault || !strings.HasPrefix(text[o.To:], "(") {
		return o
	}
	dot := strings.LastIndexByte(o.Text, '.')
	if dot < 0 || !slices.Contains(methods(), o.Text[dot+1:]) {
		return o
	}
	o.To -= len(o.Text) - dot
	o.Text = o.Text[:dot]
	return o
}

// methods lists the methods of all types, each once.
var methods = sync.OnceValue(func() []string {
	var all []string
	for _, names := range expressions.Methods() {
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all)
})

// literal reads a default: JSON, None, True, False and a quoted text are what they are
// there, everything else is text.
func literal(written string) any {
	switch trimmed := strings.TrimSpace(written); {
	case trimmed == "None":
		return nil
	case trimmed == "True", trimmed == "False":
		return trimmed == "True"
	case len(trimmed) > 1 && trimmed[0] == '\'' && trimmed[len(trimmed)-1] == '\'':
		return trimmed[1 : len(trimmed)-1]
	case json.Valid([]byte(trimmed)):
		if value, err := decode(json.RawMessage(trimmed)); err == nil {
			return value
		}
	}
	return written
}

// decode reads JSON without loss: numbers stay as they are written.
func decode(text json.RawMessage) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// words are the names of JSON that mean something in a comparison beside Python's.
var words = map[string]any{"true": true, "false": false, "null": nil}

// known refuses names that nothing gives a value to, and references that are only text.
func (c *comparison) known() error {
	names, _ := c.expression.Uses()
	for _, o := range c.operands {
		if !slices.Contains(names, o.name) {
			return fmt.Errorf("when: %s stands inside quotes, where it is only text: write it without them", o.written)
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == o.name })
	}
	functions := expressions.Functions()
	for _, name := range names {
		if _, word := words[name]; !word && !slices.Contains(functions, name) {
			return fmt.Errorf("when: %q is not known here: a text stands in quotes, as '%s'; a value of the session is a reference, as @{SESSION_ID}.ask.response", name, name)
		}
	}
	return nil
}

// readable shows references instead of the names they were replaced by.
func (c *comparison) readable(err error) error {
	text := err.Error()
	var fault *expressions.Error
	if errors.As(err, &fault) {
		text = fmt.Sprintf("column %d: %s", fault.Column, fault.Reason)
	}
	if strings.Contains(text, "does not work between str and") || strings.Contains(text, " and str") {
		text += "; int(…) and float(…) make a number of a text"
	}
	return errors.New("when: " + c.restore(text))
}

func (c *comparison) restore(text string) string {
	for _, o := range c.operands {
		text = strings.ReplaceAll(text, o.name, o.written)
	}
	return text
}

// evaluate binds the values and decides. What it found is put into the clause.
func (c *comparison) evaluate(r Resolver, out *Clause) (holds bool, err error) {
	names := make(map[string]any, len(c.operands)+len(words))
	for word, value := range words {
		names[word] = value
	}
	for _, o := range c.operands {
		value, ok, err := r.Resolve(o.text)
		if err != nil {
			return false, err
		}
		if names[o.name], err = o.value(value, ok); err != nil {
			return false, err
		}
		seen := Value{Reference: o.written}
		if names[o.name] != expressions.Missing {
			seen.Value = quote(names[o.name])
		}
		out.Values = append(out.Values, seen)
	}
	judged, err := c.expression.Judge(names, expressions.Limits{})
	for _, p := range judged.Parts {
		part := Part{Text: c.restore(p.Text), Result: p.Holds, Missing: p.Unknown, Skipped: !p.Reached}
		if p.Err != nil {
			part.Error = c.readable(p.Err).Error()
		}
		out.Parts = append(out.Parts, part)
	}
	if err != nil {
		return false, c.readable(err)
	}
	if !judged.Unknown {
		out.Value = quote(judged.Holds)
	}
	return judged.Holds, nil
}

// value gives what a name stands for. A null counts as missing where there is a default, as
// in every reference.
func (o *bound) value(resolved json.RawMessage, ok bool) (any, error) {
	if ok && !(o.defaults && string(bytes.TrimSpace(resolved)) == "null") {
		return decode(resolved)
	}
	if o.defaults {
		return o.fallback, nil
	}
	return expressions.Missing, nil
}
