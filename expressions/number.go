package expressions

import (
	"math"
	"math/big"
)

// whole gives a number without fraction, bool included; nil for what is none.
func whole(v any) *big.Int {
	switch v := v.(type) {
	case *big.Int:
		return v
	case bool:
		if v {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	return nil
}

// bounded refuses a number that is too long to go on with.
func bounded(n *big.Int) (*big.Int, error) {
	if n.BitLen() > maxBits {
		return nil, faultf("a number has more than %d bits", maxBits)
	}
	return n, nil
}

// float gives a number as one with a fraction.
func float(v any) (float64, bool, error) {
	if f, ok := v.(float64); ok {
		return f, true, nil
	}
	n := whole(v)
	if n == nil {
		return 0, false, nil
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	if math.IsInf(f, 0) {
		return 0, false, faultf("the number is too large for one with a fraction")
	}
	return f, true, nil
}

func isNumber(v any) bool {
	_, fraction := v.(float64)
	return fraction || whole(v) != nil
}

// arithmetic works on two numbers.
func arithmetic(operator string, left, right any) (any, error) {
	a, b := whole(left), whole(right)
	if a != nil && b != nil && operator != "/" {
		return wholeArithmetic(operator, a, b)
	}
	if a != nil && b != nil {
		if b.Sign() == 0 {
			return nil, errZero
		}
		f, _ := new(big.Rat).SetFrac(a, b).Float64()
		if math.IsInf(f, 0) {
			return nil, faultf("the number is too large for one with a fraction")
		}
		return f, nil
	}
	x, _, err := float(left)
	if err != nil {
		return nil, err
	}
	y, _, err := float(right)
	if err != nil {
		return nil, err
	}
	return floatArithmetic(operator, x, y)
}

const errZero = fault("division by zero")

func wholeArithmetic(operator string, a, b *big.Int) (any, error) {
	made := new(big.Int)
	switch operator {
	case "+":
		made.Add(a, b)
	case "-":
		made.Sub(a, b)
	case "*":
		made.Mul(a, b)
	case "//", "%":
		if b.Sign() == 0 {
			return nil, errZero
		}
		rest := new(big.Int)
		made.QuoRem(a, b, rest)
		if rest.Sign() != 0 && rest.Sign() != b.Sign() { // Python rounds down
			made.Sub(made, big.NewInt(1))
			rest.Add(rest, b)
		}
		if operator == "%" {
			made = rest
		}
	case "**":
		return power(a, b)
	case "<<", ">>":
		return shift(operator, a, b)
	case "&":
		made.And(a, b)
	case "|":
		made.Or(a, b)
	case "^":
		made.Xor(a, b)
	}
	return bounded(made)
}

func power(a, b *big.Int) (any, error) {
	if b.Sign() < 0 {
		if a.Sign() == 0 {
			return nil, errZero
		}
		x, _, err := float(a)
		if err != nil {
			return nil, err
		}
		y, _, err := float(b)
		if err != nil {
			return nil, err
		}
		return math.Pow(x, y), nil
	}
	if a.BitLen() > 1 && (!b.IsInt64() || int64(a.BitLen()-1)*min(b.Int64(), maxBits+1) > maxBits) {
		return nil, faultf("a number has more than %d bits", maxBits)
	}
	if a.BitLen() <= 1 && b.BitLen() > 1 { // 0, 1 and -1: only whether it is even counts
		b = big.NewInt(2 + int64(b.Bit(0)))
	}
	return bounded(new(big.Int).Exp(a, b, nil))
}

func shift(operator string, a, b *big.Int) (any, error) {
	if b.Sign() < 0 {
		return nil, faultf("a number cannot be shifted by less than nothing")
	}
	n := uint(maxBits + 1)
	if b.IsInt64() && b.Int64() < int64(n) {
		n = uint(b.Int64())
	}
	switch {
	case operator == ">>":
		return new(big.Int).Rsh(a, n), nil
	case a.Sign() == 0:
		return a, nil
	}
	return bounded(new(big.Int).Lsh(a, n))
}

func floatArithmetic(operator string, x, y float64) (any, error) {
	switch operator {
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	case "/", "//", "%":
		if y == 0 {
			return nil, errZero
		}
		return divided(operator, x, y), nil
	case "**":
		return floatPower(x, y)
	}
	return nil, faultf("%s does not work on a number with a fraction", operator)
}

func divided(operator string, x, y float64) float64 {
	if operator == "/" {
		return x / y
	}
	rest := math.Mod(x, y)
	down := (x - rest) / y
	switch {
	case rest == 0:
		rest = math.Copysign(0, y)
	case (rest < 0) != (y < 0):
		rest += y
		down--
	}
	if operator == "%" {
		return rest
	}
	if down == 0 {
		return math.Copysign(0, x/y)
	}
	floor := math.Floor(down)
	if down-floor > 0.5 {
		floor++
	}
	return floor
}

func floatPower(x, y float64) (any, error) {
	made := math.Pow(x, y)
	switch {
	case x == 0 && y < 0:
		return nil, errZero
	case x < 0 && !math.IsInf(x, 0) && y != math.Trunc(y) && !math.IsInf(y, 0) && !math.IsNaN(y):
		return nil, faultf("the power of a negative number would be a complex one")
	case math.IsInf(made, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		return nil, faultf("the number is too large for one with a fraction")
	}
	return made, nil
}

// sign is a unary operator.
func (r *run) sign(operator string, v any) (any, error) {
	if err := r.spend(1); err != nil {
		return nil, err
	}
	if n := whole(v); n != nil {
		switch operator {
		case "-":
			return new(big.Int).Neg(n), nil
		case "~":
			return new(big.Int).Not(n), nil
		}
		return n, nil
	}
	f, ok := v.(float64)
	switch {
	case !ok || operator == "~":
		return nil, faultf("%s does not work on %s", operator, typeName(v))
	case operator == "-":
		return -f, nil
	}
	return f, nil
}

// compareNumbers gives -1, 0 or 1; ok is false where one of them is not a number at all
// (nan). Whole numbers and fractions are compared exactly.
func compareNumbers(left, right any) (order int, ok bool) {
	a, b := whole(left), whole(right)
	if a != nil && b != nil {
		return a.Cmp(b), true
	}
	if f, isFloat := left.(float64); isFloat {
		if math.IsNaN(f) {
			return 0, false
		}
		if g, isFloat := right.(float64); isFloat {
			switch {
			case math.IsNaN(g):
				return 0, false
			case f < g:
				return -1, true
			case f > g:
				return 1, true
			}
			return 0, true
		}
		order, ok := compareNumbers(right, left)
		return -order, ok
	}
	g := right.(float64)
	switch {
	case math.IsNaN(g):
		return 0, false
	case math.IsInf(g, 1):
		return -1, true
	case math.IsInf(g, -1):
		return 1, true
	}
	return new(big.Rat).SetInt(a).Cmp(new(big.Rat).SetFloat64(g)), true
}
