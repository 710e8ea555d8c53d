package arithmetic

import "math"

var constants = map[string]float64{"pi": math.Pi, "π": math.Pi, "tau": 2 * math.Pi, "e": math.E, "phi": math.Phi}

// A function accepts at least least numbers, and at most most; 0 means no upper limit.
type function struct {
	least, most int
	of          func(args []float64) float64
}

func one(f func(float64) float64) function {
	return function{1, 1, func(args []float64) float64 { return f(args[0]) }}
}

func two(f func(x, y float64) float64) function {
	return function{2, 2, func(args []float64) float64 { return f(args[0], args[1]) }}
}

func many(f func(x, y float64) float64) function {
	return function{1, 0, func(args []float64) float64 {
		n := args[0]
		for _, m := range args[1:] {
			n = f(n, m)
		}
		return n
	}}
}

// functions take angles in radians; log is the natural logarithm.
var functions = map[string]function{
	"abs": one(math.Abs), "sign": one(sign), "ceil": one(math.Ceil), "floor": one(math.Floor), "round": one(round), "trunc": one(math.Trunc),
	"sqrt": one(math.Sqrt), "cbrt": one(math.Cbrt), "exp": one(math.Exp), "ln": one(math.Log), "log": one(math.Log), "log10": one(math.Log10), "log2": one(math.Log2),
	"sin": one(math.Sin), "cos": one(math.Cos), "tan": one(math.Tan), "asin": one(math.Asin), "acos": one(math.Acos), "atan": one(math.Atan),
	"sinh": one(math.Sinh), "cosh": one(math.Cosh), "tanh": one(math.Tanh), "asinh": one(math.Asinh), "acosh": one(math.Acosh), "atanh": one(math.Atanh),
	"atan2": two(math.Atan2), "pow": two(math.Pow), "mod": two(math.Mod), "fac": one(factorial),
	"min": many(math.Min), "max": many(math.Max), "hypot": many(math.Hypot), "sum": many(func(x, y float64) float64 { return x + y }),
}

func sign(n float64) float64 {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

// round rounds half up.
func round(n float64) float64 { return math.Floor(n + 0.5) }

// factorial returns NaN unless n is a whole number of at least 0.
func factorial(n float64) float64 {
	if n < 0 || n != math.Trunc(n) {
		return math.NaN()
	}
	product := 1.0
	for i := 2.0; i <= n && !math.IsInf(product, 0); i++ {
		product *= i
	}
	return product
}
