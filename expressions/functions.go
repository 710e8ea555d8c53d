package expressions

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A function is a function, or a method, whose first argument is the value before the dot. It
// takes least to most arguments.
type function struct {
	least, most int
	call        func(r *run, args []any) (any, error)

	// decide makes a function of a generator stop at the first item that passes, with the
	// result decides.
	decide  func(any) bool
	decides bool
}

// apply checks the number of arguments and calls the function.
func (f function) apply(r *run, name string, args []any, method bool) (any, error) {
	given := len(args)
	if method {
		given--
	}
	switch {
	case given < f.least:
		return nil, faultf("%s needs %d arguments, not %d", name, f.least, given)
	case given > f.most:
		return nil, faultf("%s takes at most %d arguments, not %d", name, f.most, given)
	}
	return f.call(r, args)
}

// Functions lists the functions.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

const anyNumber = 1 << 20

var functions = map[string]function{
	"abs":    {1, 1, callAbs, nil, false},
	"all":    {1, 1, callAll, func(v any) bool { return !truth(v) }, false},
	"any":    {1, 1, callAny, truth, true},
	"bool":   {0, 1, func(_ *run, a []any) (any, error) { return len(a) > 0 && truth(a[0]), nil }, nil, false},
	"float":  {0, 1, callFloat, nil, false},
	"int":    {0, 1, callInt, nil, false},
	"len":    {1, 1, callLen, nil, false},
	"list":   {0, 1, callList, nil, false},
	"max":    {1, anyNumber, func(r *run, a []any) (any, error) { return r.extreme(">", a) }, nil, false},
	"min":    {1, anyNumber, func(r *run, a []any) (any, error) { return r.extreme("<", a) }, nil, false},
	"range":  {1, 3, callRange, nil, false},
	"round":  {1, 2, callRound, nil, false},
	"set":    {0, 1, callSet, nil, false},
	"sorted": {1, 1, callSorted, nil, false},
	"str":    {0, 1, callStr, nil, false},
	"sum":    {1, 1, callSum, nil, false},
	"tuple":  {0, 1, callList, nil, false},
}

func callAny(r *run, a []any) (any, error) {
	return r.find(a[0], func(v any) (bool, error) { return truth(v), nil })
}

func callAll(r *run, a []any) (any, error) {
	failed, err := r.find(a[0], func(v any) (bool, error) { return !truth(v), nil })
	return !failed, err
}

func callLen(r *run, a []any) (any, error) {
	n, ok, err := r.length(a[0])
	if err == nil && !ok {
		err = faultf("%s has no length", typeName(a[0]))
	}
	return int64(n), err
}

func callStr(r *run, a []any) (any, error) {
	if len(a) == 0 {
		return "", nil
	}
	return r.text(a[0])
}

func callAbs(_ *run, a []any) (any, error) {
	if f, ok := a[0].(float64); ok {
		return math.Abs(f), nil
	}
	n, ok := whole(a[0])
	switch {
	case !ok:
		return nil, faultf("abs does not work on %s", typeName(a[0]))
	case n == math.MinInt64:
		return nil, errRange
	}
	return max(n, -n), nil
}

// callInt reads a text with blanks around the number, and cuts a fraction off.
func callInt(r *run, a []any) (any, error) {
	if len(a) == 0 {
		return int64(0), nil
	}
	if n, ok := whole(a[0]); ok {
		return n, nil
	}
	switch v := a[0].(type) {
	case float64:
		return wholeOfFloat(v)
	case string:
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return nil, errRange
		}
		if err != nil {
			return nil, faultf("int cannot be made of %s", quoted(abridged(v)))
		}
		return n, r.look(len(v))
	}
	return nil, faultf("int cannot be made of %s", typeName(a[0]))
}

func wholeOfFloat(f float64) (any, error) {
	if math.IsNaN(f) || math.Abs(f) >= 1<<63 {
		return nil, faultf("int cannot be made of %s", floatText(f))
	}
	return int64(f), nil
}

func callFloat(r *run, a []any) (any, error) {
	if len(a) == 0 {
		return 0.0, nil
	}
	text, ok := a[0].(string)
	if !ok {
		if !isNumber(a[0]) {
			return nil, faultf("float cannot be made of %s", typeName(a[0]))
		}
		return float(a[0]), nil
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(text, "xX_") {
		return nil, faultf("float cannot be made of %s", quoted(abridged(text)))
	}
	return f, r.look(len(text))
}

// callRound rounds half to even, on the exact value of the number.
func callRound(_ *run, a []any) (any, error) {
	var digits int64
	if len(a) == 2 {
		var ok bool
		if digits, ok = whole(a[1]); !ok || digits < 0 || digits > 300 {
			return nil, faultf("round takes 0 to 300 digits")
		}
	}
	if n, ok := whole(a[0]); ok {
		return n, nil
	}
	f, ok := a[0].(float64)
	switch {
	case !ok:
		return nil, faultf("round does not work on %s", typeName(a[0]))
	case len(a) == 1:
		return wholeOfFloat(math.RoundToEven(f))
	}
	return strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(digits), 64), 64)
}

func callSum(r *run, a []any) (any, error) {
	total := any(int64(0))
	err := r.each(a[0], func(v any) (err error) {
		total, err = r.operate("+", total, v)
		return err
	})
	return total, err
}

func callList(r *run, a []any) (any, error) {
	if len(a) == 0 {
		return []any{}, nil
	}
	return r.items(a[0])
}

func callSet(r *run, a []any) (any, error) {
	if len(a) == 0 {
		return r.setOf(nil)
	}
	items, err := r.items(a[0])
	if err != nil {
		return nil, err
	}
	return r.setOf(items)
}

func callRange(r *run, a []any) (any, error) {
	bounds := []int64{0, 0, 1}
	for i, arg := range a {
		n, ok := whole(arg)
		if !ok || n > math.MaxInt32 || n < math.MinInt32 {
			return nil, faultf("range takes whole numbers of at most 32 bits, not %s", typeName(arg))
		}
		bounds[i] = n
	}
	if len(a) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	if bounds[2] == 0 {
		return nil, faultf("the step of range is 0")
	}
	items := []any{}
	for i := bounds[0]; bounds[2] > 0 && i < bounds[1] || bounds[2] < 0 && i > bounds[1]; i += bounds[2] {
		if err := r.takeItems(1); err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	return items, nil
}

// extreme is the first item that stands before all others in the order of the operator.
func (r *run) extreme(operator string, items []any) (any, error) {
	if len(items) == 1 {
		var err error
		if items, err = r.items(items[0]); err != nil {
			return nil, err
		}
	}
	if len(items) == 0 {
		return nil, faultf("an empty list has no smallest or greatest item")
	}
	best := items[0]
	for _, item := range items[1:] {
		before, err := r.ordered(operator, item, best)
		if err != nil {
			return nil, err
		}
		if before {
			best = item
		}
	}
	return best, nil
}

func callSorted(r *run, a []any) (any, error) {
	items, err := r.items(a[0])
	slices.SortStableFunc(items, func(a, b any) int {
		order, failed := 0, err
		if failed == nil {
			failed = r.spend(1)
		}
		if failed == nil {
			order, _, failed = r.order("<", a, b)
		}
		err = failed
		return order
	})
	return items, err
}
