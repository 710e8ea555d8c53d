package expressions

import (
	"maps"
	"math/big"
	"slices"
)

// A method is a function of the value before the dot.
type method func(r *run, of any, a arguments) (any, error)

// Methods lists the methods there are, by type.
func Methods() map[string][]string {
	all := map[string][]string{}
	for _, v := range []any{"", []any{}, &dict{}, &set{}, 0.0} {
		all[typeName(v)] = slices.Sorted(maps.Keys(methodsOf(v)))
	}
	return all
}

func methodsOf(v any) map[string]method {
	switch v.(type) {
	case string:
		return textMethods
	case []any, tuple:
		return listMethods
	case *dict:
		return dictMethods
	case *set:
		return setMethods
	case float64:
		return floatMethods
	}
	return nil
}

var listMethods = map[string]method{
	"count": func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(1, "value")
		if err != nil {
			return nil, err
		}
		n := 0
		err = r.each(of, func(item any) error {
			same, err := r.equal(item, args[0])
			if same {
				n++
			}
			return err
		})
		return big.NewInt(int64(n)), err
	},
	"index": func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(1, "value")
		if err != nil {
			return nil, err
		}
		n := -1
		found, err := r.find(of, func(item any) (bool, error) {
			n++
			return r.equal(item, args[0])
		})
		if err == nil && !found {
			err = faultf("the value is not in the %s", typeName(of))
		}
		return big.NewInt(int64(n)), err
	},
}

var dictMethods = map[string]method{
	"get": func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(1, "key", "default")
		if err != nil {
			return nil, err
		}
		v, found, err := of.(*dict).get(r, args[0])
		if !found {
			v = args[1]
		}
		return v, err
	},
	"keys": func(r *run, of any, a arguments) (any, error) {
		if _, err := a.fit(0); err != nil {
			return nil, err
		}
		return r.items(of)
	},
	"values": func(r *run, of any, a arguments) (any, error) {
		if _, err := a.fit(0); err != nil {
			return nil, err
		}
		return r.items(of.(*dict).values)
	},
	"items": func(r *run, of any, a arguments) (any, error) {
		if _, err := a.fit(0); err != nil {
			return nil, err
		}
		d := of.(*dict)
		pairs := make([]any, 0, len(d.keys))
		for i, key := range d.keys {
			if err := r.takeItems(3); err != nil {
				return nil, err
			}
			pairs = append(pairs, tuple{key, d.values[i]})
		}
		return pairs, nil
	},
}

var setMethods = map[string]method{
	"issubset": func(r *run, of any, a arguments) (any, error) {
		other, err := r.otherSet(a)
		if err != nil {
			return nil, err
		}
		return r.within(of.(*set), other)
	},
	"issuperset": func(r *run, of any, a arguments) (any, error) {
		other, err := r.otherSet(a)
		if err != nil {
			return nil, err
		}
		return r.within(other, of.(*set))
	},
	"union":        setMethod("|"),
	"intersection": setMethod("&"),
	"difference":   setMethod("-"),
}

func setMethod(operator string) method {
	return func(r *run, of any, a arguments) (any, error) {
		other, err := r.otherSet(a)
		if err != nil {
			return nil, err
		}
		return r.sets(operator, of.(*set), other)
	}
}

func (r *run) otherSet(a arguments) (*set, error) {
	args, err := a.fit(1, "other")
	if err != nil {
		return nil, err
	}
	items, err := r.items(args[0])
	if err != nil {
		return nil, err
	}
	return r.setOf(items)
}

var floatMethods = map[string]method{
	"is_integer": func(_ *run, of any, a arguments) (any, error) {
		_, err := a.fit(0)
		n, wholeErr := wholeOfFloat(of.(float64))
		if err != nil || wholeErr != nil {
			return false, err
		}
		order, _ := compareNumbers(n, of)
		return order == 0, nil
	},
}
