package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A tree is JSON in which everything can be said that files say wrongly: keys twice, in any
// order, and texts that are no JSON at all.
type tree struct {
	kind  byte // '{', '[', or 0 for a value that is text
	text  string
	keys  []string // JSON texts, of an object
	items []*tree
}

func leaf(text string) *tree { return &tree{text: text} }

// parseTree reads JSON.
func parseTree(src []byte) (*tree, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	return readTree(d)
}

func readTree(d *json.Decoder) (*tree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return leaf(jsonText(token)), nil
	}
	t := &tree{kind: byte(open)}
	for d.More() {
		if t.kind == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			t.keys = append(t.keys, jsonText(key))
		}
		item, err := readTree(d)
		if err != nil {
			return nil, err
		}
		t.items = append(t.items, item)
	}
	_, err = d.Token()
	return t, err
}

// jsonText is a value that has a JSON form.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("hostile: %v", err))
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

func (t *tree) write(b *bytes.Buffer) {
	if t.kind == 0 {
		b.WriteString(t.text)
		return
	}
	b.WriteByte(t.kind)
	for i, item := range t.items {
		if i > 0 {
			b.WriteString(",\n")
		}
		if t.kind == '{' {
			b.WriteString(t.keys[i] + ":")
		}
		item.write(b)
	}
	b.WriteByte(t.kind + 2) // } and ] stand two behind { and [
}

func (t *tree) bytes() []byte {
	var b bytes.Buffer
	t.write(&b)
	return b.Bytes()
}

func (t *tree) clone() *tree {
	out := &tree{kind: t.kind, text: t.text, keys: append([]string(nil), t.keys...)}
	for _, item := range t.items {
		out.items = append(out.items, item.clone())
	}
	return out
}

// all lists the tree and everything in it.
func (t *tree) all() []*tree {
	out := []*tree{t}
	for _, item := range t.items {
		out = append(out, item.all()...)
	}
	return out
}
