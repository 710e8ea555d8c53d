package expressions

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// imported makes a value of a decoded JSON one. What the caller has costs nothing.
func (r *run) imported(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, float64:
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return strings.ToValidUTF8(v, "\uFFFD"), nil
		}
		return v, nil
	case int:
		return big.NewInt(int64(v)), nil
	case int64:
		return big.NewInt(v), nil
	case json.Number:
		return importedNumber(string(v))
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

// importedNumber reads JSON's form of a number as Python's json does: without point and
// exponent it is whole.
func importedNumber(text string) (any, error) {
	if len(text) > maxBits/3 {
		return nil, faultf("a number has %d digits", len(text))
	}
	unsigned, negative := strings.CutPrefix(text, "-")
	v, err := number(unsigned)
	if err != nil || !negative {
		return v, err
	}
	if n := whole(v); n != nil {
		return n.Neg(n), nil
	}
	return -v.(float64), nil
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
