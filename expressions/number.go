package expressions

import (
	"cmp"
	"math"
	"slices"
)

// whole gives a number without fraction; the truth values are 1 and 0.
func whole(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func isNumber(v any) bool {
	_, fraction := v.(float64)
	_, ok := whole(v)
	return fraction || ok
}

// float gives a number as a floating point number.
func float(v any) float64 {
	if f, ok := v.(float64); ok {
		return f
	}
	n, _ := whole(v)
	return float64(n)
}

const (
	errZero  = fault("division by zero")
	errRange = fault("the result does not fit into a number of 64 bits")
)

// operate applies an operator with two operands.
func (r *run) operate(operator string, left, right any) (any, error) {
	if err := r.spend(1); err != nil {
		return nil, err
	}
	a, okA := whole(left)
	b, okB := whole(right)
	switch {
	case okA && okB && operator != "/" && !(operator == "**" && b < 0):
		return wholeArithmetic(operator, a, b)
	case isNumber(left) && isNumber(right):
		return floatArithmetic(operator, float(left), float(right))
	case operator == "+":
		switch a := left.(type) {
		case string:
			if b, ok := right.(string); ok {
				return a + b, r.take(len(a) + len(b))
			}
		case []any:
			if b, ok := right.([]any); ok {
				return slices.Concat(a, b), r.takeItems(len(a) + len(b))
			}
		}
	case operator == "%" && typeName(left) == "str":
		return nil, faultf("%% does not format a text here; write f'…{value}…'")
	}
	return nil, faultf("%s does not work between %s and %s", operator, typeName(left), typeName(right))
}

func wholeArithmetic(operator string, a, b int64) (any, error) {
	var made int64
	fits := true
	switch operator {
	case "+":
		made = a + b
		fits = made > a == (b > 0)
	case "-":
		made = a - b
		fits = made < a == (b > 0)
	case "*":
		made, fits = multiplied(a, b)
	case "**":
		made, fits = power(a, b)
	default: // // and %, which round down
		if b == 0 {
			return nil, errZero
		}
		made = a / b
		fits = a != math.MinInt64 || b != -1
		rest := a % b
		if rest != 0 && rest < 0 != (b < 0) {
			made--
			rest += b
		}
		if operator == "%" {
			made, fits = rest, true
		}
	}
	if !fits {
		return nil, errRange
	}
	return made, nil
}

func multiplied(a, b int64) (made int64, fits bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	made = a * b
	return made, made/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64)
}

func power(a, b int64) (made int64, fits bool) {
	made, fits = 1, true
	if a >= -1 && a <= 1 { // only whether the exponent is 0, even or odd counts
		b = min(b, 2+b%2)
	}
	for ; b > 0 && fits; b-- {
		made, fits = multiplied(made, a)
	}
	return made, fits
}

func floatArithmetic(operator string, x, y float64) (any, error) {
	switch operator {
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	case "**":
		made := math.Pow(x, y)
		if x == 0 && y < 0 {
			return nil, errZero
		}
		if (math.IsNaN(made) || math.IsInf(made, 0)) && !math.IsNaN(x+y) && !math.IsInf(x+y, 0) {
			return nil, errRange
		}
		return made, nil
	}
	if y == 0 {
		return nil, errZero
	}
	if operator == "/" {
		return x / y, nil
	}
	rest := math.Mod(x, y)
	if rest != 0 && rest < 0 != (y < 0) {
		rest += y
	}
	if operator == "%" {
		return rest, nil
	}
	return math.Round((x - rest) / y), nil
}

// sign is a unary operator.
func (r *run) sign(operator string, v any) (any, error) {
	if err := r.spend(1); err != nil {
		return nil, err
	}
	n, ok := whole(v)
	f, fraction := v.(float64)
	switch {
	case !ok && !fraction:
		return nil, faultf("%s does not work on %s", operator, typeName(v))
	case operator == "+" && ok:
		return n, nil
	case operator == "+":
		return f, nil
	case fraction:
		return -f, nil
	case n == math.MinInt64:
		return nil, errRange
	}
	return -n, nil
}

// compareNumbers gives -1, 0 or 1; ok is false where one of them is not a number at all
// (nan). Whole numbers and fractions are compared exactly.
func compareNumbers(left, right any) (order int, ok bool) {
	a, okA := whole(left)
	b, okB := whole(right)
	x, y := float(left), float(right)
	switch {
	case okA && okB:
		return cmp.Compare(a, b), true
	case math.IsNaN(x) || math.IsNaN(y):
		return 0, false
	case x != y || math.Abs(x) >= 1<<63:
		return cmp.Compare(x, y), true
	}
	// Equal as floating point numbers, so the fraction of each is 0 or they are both fractions.
	if okA {
		return cmp.Compare(a, int64(y)), true
	}
	if okB {
		return cmp.Compare(int64(x), b), true
	}
	return 0, true
}
