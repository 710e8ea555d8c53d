package code

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

const (
	maxItems   = 1_000_000 // elements that one operation may visit
	maxBytes   = 4 << 20   // of one string
	maxNested  = 200       // levels of one value
	maxIntBits = 1 << 20   // of one integer
	entrySize  = 64        // bytes counted for an entry of a dict or set
)

// weight is the size of a value when it is printed or compared. A part that occurs several
// times counts each time, as it takes time each time.
type weight struct{ items, bytes int }

var errNested = fmt.Errorf("value is nested more than %d deep", maxNested)

// of adds the weight of a value.
func (w *weight) of(v starlark.Value) error { return w.add(v, 0) }

func (w *weight) add(v starlark.Value, depth int) error {
	if depth > maxNested {
		return errNested
	}
	w.items++
	switch v := v.(type) {
	case starlark.String:
		w.bytes += len(v)
	case starlark.Bytes:
		w.bytes += len(v)
	case starlark.Int:
		w.bytes += intSize(v) - intSize(starlark.Int{})
	case *starlark.Dict:
		for key, value := range v.Entries() {
			if err := errors.Join(w.add(key, depth+1), w.add(value, depth+1)); err != nil {
				return err
			}
		}
	case *starlark.List:
		return w.addAll(v, depth)
	case starlark.Tuple:
		return w.addAll(v, depth)
	case *starlark.Set:
		for e := range v.Elements() {
			if err := w.add(e, depth+1); err != nil {
				return err
			}
		}
	case starlark.Sequence:
		w.items += v.Len() // a range or the letters of a string: as many items as its length, not nested
	}
	return w.check()
}

func (w *weight) addAll(v starlark.Indexable, depth int) error {
	for i := range v.Len() {
		if err := w.add(v.Index(i), depth+1); err != nil {
			return err
		}
	}
	return w.check()
}

func (w *weight) check() error {
	switch {
	case w.items > maxItems:
		return fmt.Errorf("value has more than %d elements", maxItems)
	case w.bytes > maxBytes:
		return fmt.Errorf("value has more than %d bytes", maxBytes)
	}
	return nil
}

func measure(values ...starlark.Value) (weight, error) {
	var w weight
	for _, v := range values {
		if err := w.of(v); err != nil {
			return w, err
		}
	}
	return w, nil
}

// size returns the memory of a value without its elements, in bytes.
func size(v starlark.Value) int {
	switch v := v.(type) {
	case starlark.String:
		return 16 + len(v)
	case starlark.Bytes:
		return 16 + len(v)
	case starlark.Int:
		return intSize(v)
	case *starlark.List:
		return 64 + 16*v.Len()
	case starlark.Tuple:
		return 32 + 16*len(v)
	case *starlark.Dict:
		return 128 + entrySize*v.Len()
	case *starlark.Set:
		return 128 + entrySize*v.Len()
	}
	return 16
}

func intSize(v starlark.Int) int {
	if _, small := v.Int64(); small {
		return 16
	}
	return 16 + v.BigInt().BitLen()/8
}
