package expressions

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

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
