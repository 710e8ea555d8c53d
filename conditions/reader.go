package conditions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A reader compiles one condition. any is the path's operator: true for OR.
type reader struct {
	any    bool
	leaves int
}

// isOr reads an operator: AND or OR in either case, AND where it is empty.
func isOr(operator string) (bool, error) {
	switch trimmed := strings.TrimSpace(operator); {
	case trimmed == "", strings.EqualFold(trimmed, "AND"):
		return false, nil
	case strings.EqualFold(trimmed, "OR"):
		return true, nil
	}
	return false, fmt.Errorf("unknown operator %q: write AND or OR", operator)
}

// stored reads the property of a path. nil is not a condition.
func (r *reader) stored(value any) (*node, error) {
	switch value := value.(type) {
	case nil:
		return nil, nil
	case string:
		if strings.TrimSpace(value) == "" {
			return nil, nil
		}
		return r.text(value, "", 0)
	case []string:
		return r.list(len(value), "", 0, func(i int, path string) (*node, error) {
			return r.text(value[i], path, 1)
		})
	case []any:
		return r.list(len(value), "", 0, func(i int, path string) (*node, error) {
			if text, ok := value[i].(string); ok {
				return r.text(text, path, 1)
			}
			return r.native(value[i], path, 1)
		})
	}
	return r.native(value, "", 0)
}

// native reads a value that is neither text nor a list of a property.
func (r *reader) native(value any, path string, depth int) (*node, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, at(path, fmt.Errorf("a condition cannot be a %T", value))
	}
	return r.json(text, path, depth)
}

// text reads a whole condition or an item that is text: JSON where it begins
// with a bracket, else an operand.
func (r *reader) text(text, path string, depth int) (*node, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != '[' && trimmed[0] != '{' {
		return r.leaf(operandOf(text), path, true)
	}
	if err := check([]byte(trimmed)); err != nil {
		return nil, at(path, err)
	}
	return r.json([]byte(trimmed), path, depth)
}

// json reads valid JSON text.
func (r *reader) json(text json.RawMessage, path string, depth int) (*node, error) {
	if depth > MaxDepth {
		return nil, at(path, fmt.Errorf("nested deeper than %d levels", MaxDepth))
	}
	switch text[0] {
	case '{':
		return r.object(text, path)
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(text, &items); err != nil {
			return nil, at(path, err)
		}
		return r.list(len(items), path, depth, func(i int, path string) (*node, error) {
			if items[i][0] != '"' {
				return r.json(items[i], path, depth+1)
			}
			item := operandOf(items[i])
			return r.text(item.text, path, depth+1)
		})
	}
	return r.leaf(operandOf(text), path, true)
}

func (r *reader) list(n int, path string, depth int, item func(i int, path string) (*node, error)) (*node, error) {
	if depth > MaxDepth {
		return nil, at(path, fmt.Errorf("nested deeper than %d levels", MaxDepth))
	}
	group := &node{any: r.any, children: make([]*node, 0, n)}
	for i := range n {
		child, err := item(i, path+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		group.children = append(group.children, child)
	}
	return group, nil
}

// object reads {"operator", "true", "false", "when"}. Clauses keep their order.
func (r *reader) object(text json.RawMessage, path string) (*node, error) {
	group := &node{}
	seen := map[string]bool{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return nil, at(path, err)
	}
	for decoder.More() {
		key, value, err := member(decoder)
		if err != nil {
			return nil, at(path, err)
		}
		if seen[key] {
			return nil, at(path, fmt.Errorf("key %q stands twice", key))
		}
		seen[key] = true
		switch key {
		case "true", "false", whenKey:
			child, err := r.member(key, value, keyPath(path, key))
			if err != nil {
				return nil, err
			}
			group.children = append(group.children, child)
		case "operator":
			if group.any, err = objectOperator(value); err != nil {
				return nil, at(path, err)
			}
		default:
			return nil, at(path, fmt.Errorf("unknown key %q: an object has true, false, when and operator", key))
		}
	}
	if len(group.children) == 0 {
		return nil, at(path, errors.New(`an object with neither "true" nor "false" nor "when" asks nothing`))
	}
	return group, nil
}

func member(decoder *json.Decoder) (key string, value json.RawMessage, err error) {
	token, err := decoder.Token()
	if err != nil {
		return "", nil, err
	}
	key, _ = token.(string)
	err = decoder.Decode(&value)
	return key, value, err
}

// objectOperator reads the operator of an object; null is as good as absent.
func objectOperator(value json.RawMessage) (bool, error) {
	var operator *string
	if err := json.Unmarshal(value, &operator); err != nil {
		return false, fmt.Errorf("unknown operator %s: write AND or OR", value)
	}
	if operator == nil {
		return false, nil
	}
	return isOr(*operator)
}

func keyPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// operand is an operand as written, and its text where it is text.
type operand struct {
	written json.RawMessage
	text    string
	isText  bool
}

// operandOf takes an operand from a Go text or from JSON text.
func operandOf[T string | json.RawMessage](from T) operand {
	if text, ok := any(from).(string); ok {
		return operand{written: quote(text), text: text, isText: true}
	}
	o := operand{written: json.RawMessage(from)}
	o.isText = json.Unmarshal(o.written, &o.text) == nil && o.written[0] == '"'
	return o
}

// member reads one clause of an object.
func (r *reader) member(key string, value json.RawMessage, path string) (*node, error) {
	o := operandOf(value)
	if key == whenKey {
		return r.when(o, path, true)
	}
	if value[0] == '{' {
		var inner map[string]json.RawMessage
		if err := json.Unmarshal(value, &inner); err != nil {
			return nil, at(path, err)
		}
		if text, ok := inner[whenKey]; ok {
			if len(inner) > 1 {
				return nil, at(path, errors.New(`a comparison is {"when": "…"} and has no other keys here`))
			}
			return r.when(operandOf(text), keyPath(path, whenKey), key == "true")
		}
	}
	return r.leaf(o, path, key == "true")
}

// when reads a comparison.
func (r *reader) when(o operand, path string, want bool) (*node, error) {
	if !o.isText {
		return nil, at(path, fmt.Errorf("when is a text such as \"@{SESSION_ID}.ask.response == 'red'\", not %s", shorten(string(o.written))))
	}
	expression, plain := plainWhen(o.text)
	if !plain {
		expression = o.text
	}
	return r.comparison(o, expression, path, want)
}

func (r *reader) comparison(o operand, expression, path string, want bool) (*node, error) {
	compared, err := parseComparison(expression)
	if err != nil {
		if path == whenKey || strings.HasSuffix(path, "."+whenKey) { // the path says it already
			err = errors.New(strings.TrimPrefix(err.Error(), whenKey+": "))
		}
		return nil, at(path, err)
	}
	r.leaves++
	return &node{clause: &clause{path: path, operand: o.written, text: o.text, isText: true, want: want, when: compared}}, nil
}

// leaf reads an operand; a text that begins with the word when is a comparison.
func (r *reader) leaf(o operand, path string, want bool) (*node, error) {
	if expression, ok := plainWhen(o.text); ok && o.isText {
		return r.comparison(o, expression, path, want)
	}
	r.leaves++
	return &node{clause: &clause{path: path, operand: o.written, text: o.text, isText: o.isText, want: want}}, nil
}

// quote writes a value as JSON without the escapes that only HTML needs; nil where it has no form in
// JSON.
func quote(value any) json.RawMessage {
	var to bytes.Buffer
	encoder := json.NewEncoder(&to)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return nil
	}
	return bytes.TrimSuffix(to.Bytes(), []byte("\n"))
}

// at says where in the condition an error is.
func at(path string, err error) error {
	if path == "" {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// check says where text stops being JSON.
func check(text []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(text, &whole)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	here := max(0, min(int(syntax.Offset)-1, len(text)))
	hint := ""
	if here < len(text) && text[here] == '@' {
		hint = ": a reference stands in quotes"
	}
	return fmt.Errorf("not JSON at character %d: %w%s", 1+len([]rune(string(text[:here]))), err, hint)
}
