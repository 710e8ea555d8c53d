package expressions

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Values are nil (None), bool, int64, float64, string, []any (a list), *set and *dict.
type (
	// A set keeps its items in the order in which they came.
	set struct{ items dict }

	// A dict keeps its keys in the order in which they came. Equal keys have the same text
	// in keyOf.
	dict struct {
		keys   []any
		values []any
		at     map[string]int
	}
)

func newDict() *dict { return &dict{at: map[string]int{}} }

func (d *dict) get(r *run, key any) (any, bool, error) {
	k, err := r.keyOf(key)
	if err != nil {
		return nil, false, err
	}
	i, ok := d.at[k]
	if !ok {
		return nil, false, nil
	}
	return d.values[i], true, nil
}

func (d *dict) put(r *run, key, value any) error {
	k, err := r.keyOf(key)
	if err != nil {
		return err
	}
	if i, ok := d.at[k]; ok {
		d.values[i] = value
		return nil
	}
	d.at[k] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
	return nil
}

func (r *run) setOf(items []any) (*set, error) {
	made := &set{items: *newDict()}
	for _, item := range items {
		if err := made.items.put(r, item, nil); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// keyOf gives equal values the same text: 1, 1.0 and True are one key.
func (r *run) keyOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "None", nil
	case string:
		return "'" + v, r.look(len(v))
	case float64:
		if v != math.Trunc(v) || math.Abs(v) >= 1<<63 {
			return "f" + strconv.FormatFloat(v, 'g', -1, 64), nil
		}
		return "n" + strconv.FormatInt(int64(v), 10), nil
	case bool, int64:
		n, _ := whole(v)
		return "n" + strconv.FormatInt(n, 10), nil
	case []any:
		var b strings.Builder
		for _, item := range v {
			k, err := r.keyOf(item)
			if err == nil {
				err = r.take(len(k)) // items may be shared, so their texts can be many
			}
			if err != nil {
				return "", err
			}
			b.WriteString(strconv.Itoa(len(k)) + ":" + k)
		}
		return "(" + b.String(), nil
	}
	return "", faultf("%s cannot be a key or an item of a set", typeName(v))
}

// truth reports whether a value counts as true, as in Python: None, zero and empty values do
// not.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	}
	items, _ := sequence(v)
	return len(items) > 0
}

// typeName is Python's name of a value's type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int64:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []any:
		return "list"
	case *set:
		return "set"
	}
	return "dict"
}

// imported makes a value of a decoded JSON one. The caller's data costs nothing.
func (r *run) imported(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, float64, int64:
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return strings.ToValidUTF8(v, "\uFFFD"), nil
		}
		return v, nil
	case int:
		return int64(v), nil
	case json.Number:
		n, err := v.Int64()
		if err == nil {
			return n, nil
		}
		f, failed := v.Float64()
		if failed != nil || errors.Is(err, strconv.ErrRange) {
			return nil, faultf("the number %s does not fit into 64 bits", abridged(string(v)))
		}
		return f, nil
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			one, err := r.imported(item)
			if err != nil {
				return nil, err
			}
			items[i] = one
		}
		return items, nil
	case map[string]any:
		return r.importedObject(v)
	}
	return nil, faultf("a value of type %T is not JSON", v)
}

func (r *run) importedObject(object map[string]any) (any, error) {
	made := newDict()
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys) // the order of a map is not the same twice
	for _, key := range keys {
		one, err := r.imported(object[key])
		if err != nil {
			return nil, err
		}
		if err := made.put(r, key, one); err != nil {
			return nil, err
		}
	}
	return made, nil
}
