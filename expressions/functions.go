package expressions

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

func callInt(r *run, a arguments) (any, error) {
	args, err := a.fit(0, "x", "base")
	if err != nil {
		return nil, err
	}
	text, isText := args[0].(string)
	_, named := a.named["base"]
	switch {
	case len(a.list)+len(a.named) == 0:
		return new(big.Int), nil
	case args[1] == nil && (named || len(a.list) > 1):
		return nil, faultf("int takes a whole number as base, not None")
	case isText:
		if err := r.look(len(text)); err != nil {
			return nil, err
		}
		return wholeOfText(text, args[1])
	case args[1] != nil:
		return nil, faultf("int takes a base for a str only")
	}
	if f, ok := args[0].(float64); ok {
		return wholeOfFloat(f)
	}
	if n := whole(args[0]); n != nil {
		return n, nil
	}
	return nil, faultf("int cannot be made of %s", typeName(args[0]))
}

func wholeOfFloat(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, faultf("int cannot be made of %s", floatText(f))
	}
	n, _ := big.NewFloat(f).Int(nil)
	return n, nil
}

// wholeOfText reads a number as int does: with blanks around, a sign and underscores
// between digits, in the digits of any script.
func wholeOfText(text string, base any) (any, error) {
	radix := 10
	if base != nil {
		n := whole(base)
		if n == nil || !n.IsInt64() || n.Int64() < 0 || n.Int64() == 1 || n.Int64() > 36 {
			return nil, faultf("a base is 0 or from 2 to 36")
		}
		radix = int(n.Int64())
	}
	bad := faultf("int cannot be made of %s", quoted(abridged(text)))
	digits, ok := plainDigits(text)
	if !ok || len(digits) > maxBits/3 {
		return nil, bad
	}
	unsigned := strings.TrimLeft(digits, "+-")
	if len(digits)-len(unsigned) > 1 || strings.HasPrefix(unsigned, "_") && radix != 0 && radix != 2 && radix != 8 && radix != 16 {
		return nil, bad
	}
	lower := strings.ToLower(unsigned)
	for prefix, own := range map[string]int{"0x": 16, "0o": 8, "0b": 2} {
		if rest, found := strings.CutPrefix(lower, prefix); found && (radix == own || radix == 0) {
			lower, radix = strings.TrimPrefix(rest, "_"), own
		}
	}
	if radix == 0 {
		if radix = 10; len(lower) > 1 && lower[0] == '0' && strings.Trim(lower, "0_") != "" {
			return nil, bad
		}
	}
	if strings.HasPrefix(lower, "_") || strings.HasSuffix(lower, "_") || strings.Contains(lower, "__") || strings.ContainsAny(lower, "+-") {
		return nil, bad
	}
	n, ok := new(big.Int).SetString(strings.ReplaceAll(lower, "_", ""), radix)
	if !ok {
		return nil, bad
	}
	if strings.HasPrefix(digits, "-") {
		n.Neg(n)
	}
	return bounded(n)
}

// plainDigits takes blanks off and writes the digits of other scripts as 0 to 9.
func plainDigits(text string) (string, bool) {
	text = strings.TrimFunc(text, isSpace)
	made := strings.Map(func(c rune) rune {
		if c < 0x80 || !unicode.IsDigit(c) {
			return c
		}
		zero := c // digits of a script stand side by side
		for zero > 0 && unicode.IsDigit(zero-1) && c-zero < 9 {
			zero--
		}
		return '0' + (c-zero)%10
	}, text)
	return made, made != ""
}

func callFloat(r *run, a arguments) (any, error) {
	args, err := a.fit(0, "x")
	if err != nil || len(a.list) == 0 {
		return 0.0, err
	}
	if text, ok := args[0].(string); ok {
		if err := r.look(len(text)); err != nil {
			return nil, err
		}
		return floatOfText(text)
	}
	f, ok, err := float(args[0])
	if err == nil && !ok {
		err = faultf("float cannot be made of %s", typeName(args[0]))
	}
	return f, err
}

func floatOfText(text string) (any, error) {
	bad := faultf("float cannot be made of %s", quoted(abridged(text)))
	digits, ok := plainDigits(text)
	if !ok || strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return nil, bad
	}
	switch word := strings.ToLower(strings.TrimLeft(digits, "+-")); word {
	case "inf", "infinity", "nan":
	default:
		for i, c := range word {
			between := c == '_' && i > 0 && isDigit(rune(word[i-1])) && i+1 < len(word) && isDigit(rune(word[i+1]))
			if !between && !strings.ContainsRune("0123456789.e+-", c) {
				return nil, bad
			}
		}
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	if err != nil && !isRange(err) {
		return nil, bad
	}
	return f, nil
}

// abridged is a text as an error may show it.
func abridged(text string) string {
	if runes := []rune(text[:min(len(text), 200)]); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
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
