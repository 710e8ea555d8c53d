package expressions

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// arguments are what a function is called with.
type arguments struct {
	function string
	list     []any
	named    map[string]any
}

// fit puts the arguments in the order of names, nil where one is left out; the first least
// of them must be there.
func (a arguments) fit(least int, names ...string) ([]any, error) {
	made := make([]any, len(names))
	if len(a.list) > len(names) {
		return nil, faultf("%s takes at most %d arguments, not %d", a.function, len(names), len(a.list))
	}
	copy(made, a.list)
	given := len(a.list)
	for name, value := range a.named {
		i := slices.Index(names, name)
		switch {
		case i < 0:
			return nil, faultf("%s has no argument %q", a.function, name)
		case i < len(a.list):
			return nil, faultf("%s gets its argument %q twice", a.function, name)
		}
		made[i] = value
		given++
	}
	for i := range least {
		if _, named := a.named[names[i]]; i >= len(a.list) && !named {
			return nil, faultf("%s needs %d arguments, not %d", a.function, least, given)
		}
	}
	return made, nil
}

// Functions lists the functions there are.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

var functions = named(map[string]func(*run, arguments) (any, error){
	"abs": callAbs, "all": callAll, "any": callAny, "bool": callBool, "float": callFloat, "int": callInt, "len": callLen,
	"list": callList, "max": callMax, "min": callMin, "range": callRange, "repr": callRepr, "round": callRound, "set": callSet,
	"sorted": callSorted, "str": callStr, "sum": callSum, "tuple": callTuple,
})

func named(calls map[string]func(*run, arguments) (any, error)) map[string]*function {
	all := make(map[string]*function, len(calls))
	for name, call := range calls {
		all[name] = &function{name: name, call: call}
	}
	return all
}

func callLen(r *run, a arguments) (any, error) {
	args, err := a.fit(1, "obj")
	if err != nil {
		return nil, err
	}
	n, ok, err := r.length(args[0])
	if err == nil && !ok {
		err = faultf("%s has no length", typeName(args[0]))
	}
	return big.NewInt(int64(n)), err
}

func callBool(_ *run, a arguments) (any, error) {
	args, err := a.fit(0, "x")
	if err != nil {
		return nil, err
	}
	return truth(args[0]), nil
}

func callStr(r *run, a arguments) (any, error) {
	args, err := a.fit(0, "object")
	if err != nil || len(a.list)+len(a.named) == 0 {
		return "", err
	}
	return r.text(args[0])
}

func callRepr(r *run, a arguments) (any, error) {
	args, err := a.fit(1, "obj")
	if err != nil {
		return nil, err
	}
	return r.repr(args[0])
}

func callAbs(r *run, a arguments) (any, error) {
	args, err := a.fit(1, "x")
	if err != nil {
		return nil, err
	}
	if n := whole(args[0]); n != nil {
		return new(big.Int).Abs(n), nil
	}
	if f, ok := args[0].(float64); ok {
		return math.Abs(f), nil
	}
	return nil, faultf("abs does not work on %s", typeName(args[0]))
}

// callRound rounds half to even, on the exact value of the number.
func callRound(r *run, a arguments) (any, error) {
	args, err := a.fit(1, "number", "ndigits")
	if err != nil {
		return nil, err
	}
	digits := 0
	if args[1] != nil {
		n := whole(args[1])
		if n == nil {
			return nil, faultf("round takes a whole number of digits, not %s", typeName(args[1]))
		}
		digits = int(max(-400, min(n.Int64(), 400)))
		if !n.IsInt64() {
			digits = 400 * n.Sign()
		}
	}
	if n := whole(args[0]); n != nil {
		if digits >= 0 {
			return n, nil
		}
		return roundRat(new(big.Rat).SetInt(n), -digits), r.spend(bits(n))
	}
	f, ok := args[0].(float64)
	switch {
	case !ok:
		return nil, faultf("round does not work on %s", typeName(args[0]))
	case args[1] == nil:
		return wholeOfFloat(math.RoundToEven(f))
	case math.IsNaN(f) || math.IsInf(f, 0):
		return f, nil
	case digits < 0:
		made, _ := new(big.Float).SetInt(roundRat(new(big.Rat).SetFloat64(f), -digits)).Float64()
		return made, nil
	}
	return strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
}

// roundRat rounds to a multiple of ten to the digits, half to even.
func roundRat(v *big.Rat, digits int) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	times := new(big.Rat).Quo(v, new(big.Rat).SetInt(unit))
	down, rest := new(big.Int).DivMod(times.Num(), times.Denom(), new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(times.Denom())
	if half > 0 || half == 0 && down.Bit(0) == 1 {
		down.Add(down, big.NewInt(1))
	}
	return down.Mul(down, unit)
}
