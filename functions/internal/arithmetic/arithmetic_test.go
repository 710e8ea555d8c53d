package arithmetic_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/functions/internal/arithmetic"
)

func TestEvaluate(t *testing.T) {
	for text, want := range map[string]float64{
		"6*7": 42, " 2 + 3 * 4 ": 14, "(2+3)*4": 20, "10-2-3": 5, "2^3^2": 512, "-2^2": -4, "2^-1": 0.5, "--3": 3, "2*-3": -6,
		"7 % 4": 3, "-7 % 4": -3, "1/4/2": 0.125, "2**3": 8, "5!": 120, "3!^2": 36, ".5 + 5.": 5.5, "1e3": 1000, "1.5E-1*10": 1.5,
		"sqrt(16)": 4, "SQRT(16)": 4, "max(1, 2, -3)": 2, "min(4)": 4, "round(2.5)": 3, "round(-2.5)": -2, "pow(2, 10)": 1024,
		"pi": math.Pi, "e^0": 1, "ln(e)": 1, "log10(1000)": 3, "floor(-1.5)": -2, "hypot(3,4)": 5, "sin(0)": 0, "6 × 7 ÷ 2 − 1": 20, "-0": 0,
		"2^64": 18446744073709551616, "0.1+0.2": 0.1 + 0.20000000000000001, "sum(1,2,3)": 6,
	} {
		got, err := arithmetic.Evaluate(text)
		if err != nil || math.Abs(got-want) > 1e-12 || math.Signbit(got) && got == 0 {
			t.Errorf("%s = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestNonsense(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "column 1: want a number, not the end",
		"what is 2+2?":              `column 1: there is no "what" here`,
		"2 +":                       "column 4: want a number, not the end",
		"2 3":                       `column 3: want an operator, not "3"`,
		"(1":                        `column 3: want ")", not the end`,
		"1)":                        `column 2: want an operator, not ")"`,
		"1/0":                       "column 2: division by zero",
		"5 % (2-2)":                 "column 3: division by zero",
		"sqrt(-1)":                  "not a finite number",
		"10^400":                    "not a finite number",
		"(0.5)!":                    "not a finite number",
		"171!":                      "not a finite number",
		"sqrt 4":                    `column 6: want "(", not "4"`,
		"sqrt()":                    "sqrt does not take 0 numbers",
		"sqrt(1,2)":                 "sqrt does not take 2 numbers",
		"max()":                     "max does not take 0 numbers",
		"max(1,)":                   "column 7: want a number",
		"π + é":                     `column 5: there is no "é" here`,
		"2 $ 3":                     `want an operator, not "$"`,
		"1,5":                       `column 2: want an operator, not ","`,
		strings.Repeat("(", 500):    "nested more than 200 deep",
		strings.Repeat("2^", 500):   "nested more than 200 deep",
		strings.Repeat("1", 20_000): "longer than 10000 bytes",
		"\xff":                      "column 1: want a number",
	} {
		_, err := arithmetic.Evaluate(text)
		var e *arithmetic.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: %v, want %s", text, err, want)
		}
	}
}

// FuzzEvaluate: whatever the text, there is a finite number or an error.
func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"2 * (3 + 4)^2 - -5!", "max(1, sqrt(2)) % pi", "1e400", "((("} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := arithmetic.Evaluate(text)
		if err == nil && (math.IsNaN(n) || math.IsInf(n, 0)) {
			t.Fatalf("%q gives %v", text, n)
		}
	})
}
